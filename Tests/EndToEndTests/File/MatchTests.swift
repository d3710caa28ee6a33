import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct MatchTests {
        /// A URL, what it opens, and the line of the rule that decides.
        private static let table: [(url: String, opens: JSONValue, line: JSONValue)] = [
            ("/buy/1?coupon=a", .string(Sample.app), .number(6)),
            ("https://site.test/buy/1?x=1&coupon=a", .string(Sample.app), .number(6)),
            ("/buy/1", .null, .null), ("/help/website/1", .null, .number(7)),
            ("/help/1", .string(Sample.app), .number(8)), ("/news/1#top", .string(Sample.app), .number(9)),
            ("/news/1#end", .null, .null), ("/", .null, .null),
        ]

        @Test("JSON says what each URL opens and which rule decides")
        func json() async throws {
            try await Stage.withoutLab { stage in
                let process = try await stage.run(
                    ["match", "--format", "json", "-"] + Self.table.map(\.url), input: Sample.clean)
                #expect(process.end == .exit(0))
                let answers = try process.json().elements
                #expect(answers.count == Self.table.count)
                for (answer, row) in zip(answers, Self.table) {
                    #expect(answer.keys.isSuperset(of: ["url", "opens", "service", "rule"]))
                    #expect(answer["url"] == .string(row.url))
                    #expect(answer["service"] == .string("applinks"))
                    #expect(answer["opens"] == row.opens, "\(row.url)")
                    guard case .number(let line) = row.line else {
                        #expect(answer["rule"] == .null, "\(row.url)")
                        continue
                    }
                    #expect(answer["rule"].keys == ["pointer", "line"])
                    #expect(answer["rule"]["line"] == row.line, "\(row.url)")
                    let pointer = "/applinks/details/0/components/\(Int(line) - 6)"
                    #expect(answer["rule"]["pointer"] == .string(pointer), "\(row.url)")
                }
            }
        }

        @Test("text has one line per URL")
        func text() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("app.json", Sample.clean)
                let process = try await stage.run(["match", "app.json", "/help/1", "/help/website/1", "/buy/1"])
                #expect(process.end == .exit(0))
                #expect(
                    process.output == """
                        /help/1  opens \(Sample.app), by app.json:8:9 {"/": "/help/*"}
                        /help/website/1  opens nothing, excluded by app.json:7:9 {"/": "/help/website/*", "exclude": true}
                        /buy/1  opens nothing: no rule matches

                        """)
            }
        }

        @Test("--explain names each rule that was tried, and why it did not match")
        func explain() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("app.json", Sample.clean)
                let process = try await stage.run(["match", "--explain", "app.json", "/buy/1", "/news/1?coupon=#end"])
                #expect(
                    process.output == """
                        /buy/1  opens nothing: no rule matches
                            /applinks/details/0, for \(Sample.app)
                              6:9 {"/": "/buy/*", "?": {"coupon": "?*"}}: the URL has no query
                              7:9 {"/": "/help/website/*", "exclude": true}: the path does not match
                              8:9 {"/": "/help/*"}: the path does not match
                              9:9 {"/": "/news/*", "#": "top"}: the path does not match

                        /news/1?coupon=#end  opens nothing: no rule matches
                            /applinks/details/0, for \(Sample.app)
                              6:9 {"/": "/buy/*", "?": {"coupon": "?*"}}: the path does not match
                              7:9 {"/": "/help/website/*", "exclude": true}: the path does not match
                              8:9 {"/": "/help/*"}: the path does not match
                              9:9 {"/": "/news/*", "#": "top"}: the fragment does not match

                        """)
                let decided = try await stage.run(["match", "--explain", "app.json", "/help/website/1"])
                #expect(
                    decided.output.contains(
                        #"7:9 {"/": "/help/website/*", "exclude": true}: matches, and excludes"#))
                #expect(!decided.output.contains("8:9"))
            }
        }

        @Test(
            "a met expectation passes, and an unmet one is reported",
            arguments: [
                (["/help/1", "--expect", Sample.app], true), (["/help/1", "--expect", Sample.other], false),
                (["/help/1", "/buy/1", "--expect", Sample.app], false),
                (["/buy/1", "/help/website/1", "--expect", "nothing"], true),
                (["/help/1", "--expect", "nothing"], false),
                (["--expect-url", "/help/1=\(Sample.app)"], true),
                (["--expect-url", "/buy/1?coupon=a=\(Sample.app)"], true),
                (["--expect-url", "/help/1=\(Sample.app)", "--expect-url", "/buy/1=\(Sample.app)"], false),
                (["--expect-url", "/buy/1=nothing"], true), (["--expect-url", "/help/1=nothing"], false),
                (["/news/1", "--expect-url", "/help/1=\(Sample.app)"], true),
            ])
        func expectations(_ arguments: [String], _ holds: Bool) async throws {
            try await Stage.withoutLab { stage in
                let text = try await stage.run(["match", "-"] + arguments, input: Sample.clean)
                #expect(text.end == .exit(holds ? 0 : 1))
                #expect(text.output.contains("error: expected to open ") == !holds)
                let json = try await stage.run(["match", "--format", "json", "-"] + arguments, input: Sample.clean)
                #expect(json.end == .exit(holds ? 0 : 1))
                let answers = try json.json().elements
                #expect(answers.contains { $0["as_expected"] == .bool(false) } == !holds)
            }
        }

        @Test("a bad URL has its own line, and the others are still answered", arguments: ["text", "json"])
        func batch(_ format: String) async throws {
            try await Stage.withoutLab { stage in
                try stage.write("app.json", Sample.clean)
                try stage.write("urls", "# the shop\r\n/help/1\r\n\r\n  site.test/a  \n/news/1#top\nhttps://\n")
                let process = try await stage.run(
                    ["match", "app.json", "nonsense", "@urls", "/buy/1", "--expect-url", "/help/2", "--format", format])
                #expect(process.end == .exit(64))
                if format == "json" {
                    #expect(
                        try process.json().elements.compactMap { $0["url"].string } == [
                            "/help/1", "/news/1#top", "/buy/1",
                        ])
                } else {
                    #expect(
                        process.output.split(separator: "\n").map { $0.prefix { $0 != "," } } == [
                            "/help/1  opens \(Sample.app)", "/news/1#top  opens \(Sample.app)",
                            "/buy/1  opens nothing: no rule matches",
                        ])
                }
                let words = [
                    "'nonsense' is not a URL; ", "urls, line 4: 'site.test/a' is not a URL; ",
                    "urls, line 6: 'https://' is not a URL; ", "'/help/2' is not of the form URL=APPID",
                ]
                let lines = process.errors.split(separator: "\n")
                #expect(lines.count == words.count, "\(process.errors)")
                for (line, words) in zip(lines, words) { #expect(line.hasPrefix("aasa-monitor: " + words), "\(line)") }
            }
        }

        @Test("URLs can come from a file and from standard input; an invalid list is an error")
        func lists() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("app.json", Sample.clean)
                try stage.write("empty", "\n# none\n")
                try #require(mkfifo(stage.folder.appending(path: "pipe").path, 0o600) == 0)
                let answers = try await stage.run(
                    ["match", "app.json", "-", "--expect", Sample.app], input: "/help/1\n/news/2#top\n/buy/1")
                #expect(answers.output.split(separator: "\n").count == 4)
                #expect(answers.output.contains("/news/2#top  opens \(Sample.app)"))
                #expect(answers.end == .exit(1))
                for (arguments, words, end): ([String], String, Int32) in [
                    (["app.json", "@empty"], "there is no URL", 64), (["-", "-"], "can be read only once", 64),
                    (["app.json", "@none"], "the list of URLs: ", 66), (["app.json", "@."], "the list of URLs: ", 66),
                    (
                        ["app.json", "@pipe"],
                        "the list of URLs: cannot read 'pipe': it is a pipe that nobody writes to", 66
                    ),
                    (["pipe", "/a"], "it is a pipe that nobody writes to", 66),
                ] {
                    let process = try await stage.run(["match"] + arguments, input: "/a")
                    #expect(process.end == .exit(end), "\(arguments)")
                    #expect(process.errors.contains(words), "\(process.errors)")
                    #expect(process.output.isEmpty)
                }
            }
        }

        @Test("every app that claims the URL is listed")
        func severalApps() async throws {
            try await Stage.withoutLab { stage in
                let text = Sample.clean.replacing(
                    #"["\#(Sample.app)"]"#, with: #"["\#(Sample.app)", "\#(Sample.other)"]"#)
                let process = try await stage.run(["match", "--format", "json", "-", "/help/1"], input: text)
                let answer = try process.json()[0]
                #expect(answer["opens"] == .string(Sample.app))
                #expect(answer["also_opened_by"] == .array([.string(Sample.other)]))
                let words = try await stage.run(["match", "-", "/help/1"], input: text)
                #expect(words.output.contains("note: \(Sample.other) claims this URL too"))
            }
        }

        @Test("an invalid file has no answer; a file without applinks says so")
        func noAnswer() async throws {
            try await Stage.withoutLab { stage in
                let broken = try await stage.run(["match", "-", "/a"], input: Sample.broken)
                #expect(broken.end == .exit(65))
                #expect(broken.output == "/a  opens nothing: devices ignore this file\n")
                let list = try await stage.run(["match", "-", "/a", "--format", "json"], input: "[]")
                #expect(list.end == .exit(65))
                #expect(try list.json()[0]["opens"] == .null)
                #expect(broken.errors.contains("<stdin>:3:18: "), "\(broken.errors)")
                let other = try await stage.run(["match", "-", "/a"], input: #"{"webcredentials":{"apps":[]}}"#)
                #expect(other.end == .exit(0))
                #expect(other.output == "/a  opens nothing: the file has no applinks object\n")
                try Data([0x30, 0x82, 0x0A, 0x1F, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
                    .write(to: stage.folder.appending(path: "signed"))
                let signed = try await stage.run(["match", "signed", "/a"])
                #expect(signed.end == .exit(66))
                #expect(signed.errors.contains("signed: the file is CMS-signed"))
                #expect(!signed.errors.contains("devices ignore"))
            }
        }

        @Test(
            "with --domain, a URL of another host opens nothing",
            arguments: [
                ("https://site.test/help/1", "opens \(Sample.app)"), ("/help/1", "opens \(Sample.app)"),
                ("https://SITE.test./help/1", "opens \(Sample.app)"),
                ("https://www.site.test/help/1", "opens nothing: the file belongs to site.test"),
                ("https://a.b.site.test/help/1", "opens nothing: the file belongs to site.test"),
                ("https://other.test/help/1", "opens nothing: the file belongs to site.test"),
                ("https://mysite.test/help/1", "opens nothing: the file belongs to site.test"),
            ])
        func domain(_ url: String, _ words: String) async throws {
            try await Stage.withoutLab { stage in
                let process = try await stage.run(["match", "-", url, "--domain", "Site.test"], input: Sample.clean)
                #expect(process.end == .exit(0))
                #expect(process.output.hasPrefix("\(url)  \(words)"), "\(process.output)")
                let isBelow = url.contains(".site.test/")
                #expect(
                    process.errors.contains("apps with the entitlement applinks:*.site.test use this one too")
                        == isBelow)
                let expected = try await stage.run(
                    ["match", "-", url, "--domain", "site.test", "--expect", Sample.app], input: Sample.clean)
                #expect(expected.end == .exit(words.contains("nothing") ? 1 : 0))
                let bad = try await stage.run(["match", "-", url, "--domain", "a b"], input: Sample.clean)
                #expect(bad.end == .exit(64))
            }
        }

        @Test(
            "a placeholder app ID opens nothing",
            arguments: ["{PLACE_YOUR_APP_ID_HERE}", "$(AppIdentifierPrefix)jp.shop.app", "<TEAM>.jp.shop.app"])
        func placeholder(_ id: String) async throws {
            try await Stage.withoutLab { stage in
                let text = Sample.clean.replacing(Sample.app, with: id)
                let process = try await stage.run(["match", "-", "/help/1"], input: text)
                #expect(process.output == "/help/1  opens nothing: the app ID \"\(id)\" was never filled in\n")
                let beside = Sample.clean.replacing("[\"\(Sample.app)\"]", with: "[\"\(id)\", \"\(Sample.app)\"]")
                let both = try await stage.run(["match", "-", "/help/1", "--format", "json"], input: beside)
                #expect(try both.json()[0]["opens"] == .string(Sample.app))
                #expect(try both.json()[0]["also_opened_by"] == .array([]))
            }
        }

        /// Patterns that a router or a regular expression would accept, but devices do not.
        @Test(
            "a router's placeholder or a regular expression is compared literally, and the answer says so",
            arguments: [
                ("/help/:id", "/help/1", ":id"), ("/help/[id]", "/help/1", "[id]"), ("/help/{id}", "/help/1", "{id}"),
                ("/help/:id/edit/$(digit)", "/help/1/edit/2", ":id"), ("/help/[0-9]+", "/help/1", "[0-9]"),
                ("/help/(a|b)", "/help/b", "(a|b)"), ("^/help/\\\\d+$", "/help/1", "^"),
                // A filled-in URL does not match either.
                ("/help/:id", "/buy/1", nil), ("/help/*", "/buy/1", nil),
            ])
        func literal(_ pattern: String, _ url: String, _ part: String?) async throws {
            try await Stage.withoutLab { stage in
                let text = Sample.clean.replacing(#"{"/": "/help/*"}"#, with: "{\"/\": \"\(pattern)\"}")
                let process = try await stage.run(["match", "-", url], input: text)
                #expect(process.end == .exit(0))
                let note = part.map {
                    "    note: 8:9 {\"/\": \"\(pattern)\"} does not match: devices compare \"\($0)\" literally\n"
                }
                #expect(process.output == "\(url)  opens nothing: no rule matches\n" + (note ?? ""))
            }
        }

        @Test("terminal escape codes never reach the terminal", arguments: ["text", "json"])
        func hostile(_ format: String) async throws {
            try await Stage.withoutLab { stage in
                let url = "/a\u{1B}[31m\u{9B}2J\u{202E}?b=\u{2028}#\u{7}"
                let process = try await stage.run(
                    ["match", "--explain", "--format", format, "-", url, "/"], input: Sample.hostile)
                #expect(process.end == .exit(0))
                #expect(process.output.contains("/a"))
                expectHarmless(process)
            }
        }
    }
}
