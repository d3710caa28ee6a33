// `check --why`: matches a URL against the file that phones use, and lists what only the phone knows.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct WhyTests {
        private static let app = "ABCDE12345.com.example.app"
        private static let other = "ABCDE12345.com.example.other"
        private static let rules =
            "{\n  \"applinks\": {\"details\": [\n    {\"appIDs\": [\"\(app)\"], \"components\": [\n"
            + "      {\"/\": \"/trips/help\", \"exclude\": true},\n      {\"/\": \"/search\", \"?\": {\"day\": \"?*\"}},\n"
            + "      {\"/\": \"/trips/*\"},\n      {\"/\": \"/news\", \"#\": \"top\"}\n    ]}\n  ]}\n}"

        private static func ids(_ report: JSONValue) -> [String] {
            report["why"]["reasons"].elements.compactMap { $0["id"].string }
        }

        @Test(
            "the URL's path, query and fragment are matched against Apple's copy",
            arguments: [
                ("https://links.site.test/trips/1", true, 6), ("https://links.site.test:443/search?day=2", true, 5),
                ("links.site.test/trips/1", true, 6), ("https://links.site.test/news#top", true, 7),
                ("https://links.site.test/news", false, nil), ("https://links.site.test/trips/help", false, 4),
                ("https://links.site.test/", false, nil),
            ] as [(String, Bool, Int?)])
        func match(_ url: String, _ opens: Bool, _ line: Int?) async throws {
            try await Stage.with { stage in
                stage.lab.origin("links.site.test").serve(Self.rules)
                let process = try await stage.check(["--format", "json", "--why", url])
                #expect(process.end == .exit(0), "\(process.errors)")
                let report = try process.json()
                #expect(report["domain"] == .string("links.site.test"))
                let why = report["why"]
                #expect(
                    why.keys == [
                        "url", "opens", "service", "rule", "also_opened_by", "as_expected", "complete", "file",
                        "differs_at_origin", "reasons",
                    ])
                #expect(why["opens"] == (opens ? .string(Self.app) : .null))
                #expect(why["rule"]["line"].int == line)
                #expect(why["file"] == .string("cdn:links.site.test"))
                #expect(why["differs_at_origin"] == .bool(false))
                #expect(Self.ids(report).isEmpty == !opens, "\(report)")
                for reason in why["reasons"].elements { #expect(reason.keys == ["id", "what", "test", "source"]) }
            }
        }

        @Test("the text has what the file says, then what only the phone knows, then the report")
        func text() async throws {
            try await Stage.with { stage in
                stage.lab.origin("links.site.test").serve(Self.rules)
                let process = try await stage.check(["--why", "https://links.site.test/trips/1"])
                #expect(process.end == .exit(0), "\(process.errors)")
                let answer =
                    "https://links.site.test/trips/1  opens \(Self.app), by cdn:links.site.test:6:7 {\"/\": \"/trips/*\"}\n"
                #expect(process.output.hasPrefix(answer), "\(process.output)")
                let parts = process.output.components(separatedBy: "\n\nlinks.site.test  OK  Up to date")
                #expect(parts.count == 2, "\(process.output)")
                let phone = parts.first ?? ""
                let sentences = phone.split { $0.isWhitespace }.joined(separator: " ")
                for words in [
                    "only the phone knows why", "1. The URL was typed", "test: Paste the URL into Notes",
                    "see: https://developer.apple.com/", "applinks:*.site.test", "applinks:links.site.test",
                    "aasa-monitor audit --entitlements",
                ] { #expect(sentences.contains(words), "\(words)\n\(phone)") }
                // Numbered without gaps.
                let numbers = phone.split(separator: "\n").compactMap { $0.wholeMatch(of: #/  (\d+)\. .*/#)?.1 }
                #expect(numbers.map(String.init) == (1...numbers.count).map(String.init))
                // Without the option none of this is shown.
                #expect(try await !stage.check(["links.site.test"]).output.contains("only the phone knows why"))
                #expect(try await stage.report("links.site.test")["why"] == .absent)
            }
        }

        @Test("Apple's copy decides, and a different origin is mentioned")
        func stale() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file("v2"))
                stage.lab.cdn.holds("site.test", body: file("v1"))
                let old = try await stage.check(["--why", "https://site.test/v1/a"])
                #expect(old.end == .exit(0))
                for words in [
                    "https://site.test/v1/a  opens \(Self.app), by cdn:site.test:1:",
                    "site.test has problems: see its report below",
                    "The origin's file opens nothing with it. Phones follow once Apple's CDN has that file.",
                ] { #expect(old.output.contains(words), "\(words)\n\(old.output)") }
                #expect(!old.output.contains("only the phone knows why"))
                let new = try await stage.check(["--format", "json", "--why", "https://site.test/v2/a"]).json()
                #expect(new["why"]["opens"] == .null)
                #expect(new["why"]["differs_at_origin"] == .bool(true))
                #expect(Self.ids(new) == [])
            }
        }

        @Test("without a copy at Apple the report is the answer, but a wildcard can still open the app")
        func noCopy() async throws {
            try await Stage.with { stage in
                stage.lab.origin("a.site.test").serve(file())
                stage.lab.cdn.fails(
                    "a.site.test", reason: "SWCERR00101 Bad HTTP Response: 403 Forbidden", details: "{}")
                let failed = try await stage.check(["--why", "https://a.site.test/v1/a"])
                #expect(failed.end == .exit(1))
                #expect(
                    failed.output.contains("/v1/a  opens nothing: Apple's CDN has no copy of the file\n"),
                    "\(failed.output)")
                #expect(failed.output.contains("The origin's file opens it in \(Self.app)."))
                #expect(failed.output.contains("The app claims only applinks:*.site.test."))
                #expect(!failed.output.contains("address bar"))
                // A subdomain without its own file.
                stage.lab.origin("b.site.test").behaviour = .reply(.status(404))
                let none = try await stage.check(["--format", "json", "--why", "https://b.site.test/v1/a"]).json()
                #expect(none["why"]["file"] == .null)
                #expect(none["why"]["differs_at_origin"] == .null)
                #expect(Self.ids(none) == ["wildcard"])
            }
        }

        @Test("--why with a target accepts a path, another mode and the wildcard's file")
        func besideTarget() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Self.rules)
                let path = try await stage.check(["--format", "json", "--why", "/trips/1", "site.test"]).json()
                #expect(path["why"]["url"] == .string("https://site.test/trips/1"))
                #expect(path["why"]["opens"] == .string(Self.app))
                let target = "applinks:site.test?mode=developer"
                let developer = try await stage.check(
                    ["--format", "json", target, "--why", "https://site.test/trips/1"]
                ).json()
                #expect(developer["why"]["file"] == .string("site.test"))
                #expect(developer["why"]["differs_at_origin"] == .null)
                #expect(Self.ids(developer).first == "alternate-mode")
                #expect(!Self.ids(developer).contains("old-system"))
                let wildcard = try await stage.check(
                    ["--format", "json", "applinks:*.site.test", "--why", "https://a.site.test/trips/1"])
                #expect(wildcard.errors.contains("applinks:*.site.test"))
                #expect(try wildcard.json()["why"]["opens"] == .string(Self.app))
                #expect(
                    try wildcard.json()["why"]["reasons"].elements.contains {
                        $0["what"].string?.contains("claims applinks:a.site.test") == true
                    })
            }
        }

        @Test("an expected app that the file does not open is an error, without the phone's reasons")
        func unexpected() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Self.rules)
                let wanted = "/trips/1=\(Self.other)"
                let process = try await stage.check(
                    ["--expect-url", wanted, "--why", "https://site.test/trips/1"])
                #expect(process.end == .exit(1))
                #expect(process.output.contains("error: expected to open \(Self.other)"), "\(process.output)")
                #expect(!process.output.contains("only the phone knows why"))
                let json = try await stage.check(
                    ["--format", "json", "--expect-url", wanted, "--why", "https://site.test/trips/1"]
                ).json()
                #expect(json["why"]["as_expected"] == .bool(false))
            }
        }

        @Test("a link as target is answered first, then its domain")
        func typed() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Self.rules)
                for url in ["https://site.test/nope/1", "site.test/nope/1"] {
                    let none = try await stage.check([url])
                    #expect(none.end == .exit(0))
                    #expect(
                        none.output.hasPrefix("https://site.test/nope/1  opens nothing: no rule matches\n"),
                        "\(none.output)")
                    #expect(none.output.hasSuffix("\n\nsite.test  OK  Up to date on 1 edge\n"), "\(none.output)")
                }
                let opens = try await stage.check(["https://site.test/trips/1"])
                #expect(
                    opens.output.hasPrefix("https://site.test/trips/1  opens \(Self.app), by cdn:site.test:6:7"),
                    "\(opens.output)")
                // Only the option prints the long list.
                #expect(opens.output.contains("aasa-monitor check --why 'https://site.test/trips/1'\n"))
                #expect(!opens.output.contains("1. "))
                let json = try await stage.check(["--format", "json", "https://site.test/trips/1"]).json()
                #expect(json["why"]["opens"] == .string(Self.app))
                // A URL of the home page is a domain target.
                #expect(try await stage.check(["https://site.test/"]).output.hasPrefix("site.test  OK  "))
                let several = try await stage.check(["https://site.test/nope/1", "https://site.test/trips/1"])
                #expect(
                    several.output.contains("/nope/1  opens nothing") && several.output.contains("/trips/1  opens A"))
            }
        }

        @Test(
            "a misplaced file is found: in the page's folder, or with an extension",
            arguments: [
                ("https://site.test/app/", "/app\(LabOrigin.wellKnownPath)"),
                ("https://site.test/app/en/index.html", "/app\(LabOrigin.wellKnownPath)"),
                ("https://site.test\(LabOrigin.wellKnownPath).json", "\(LabOrigin.wellKnownPath).json"),
            ])
        func misplaced(_ url: String, _ path: String) async throws {
            try await Stage.with { stage in
                let origin = stage.lab.origin("site.test")
                origin.behaviour = .reply(.status(404))
                origin.on(
                    path: path,
                    .reply(LabReply(headers: [("Content-Type", "application/json")], body: Array(file().utf8))))
                let process = try await stage.check([url])
                #expect(process.end == .exit(1))
                let head = process.output.prefix { $0 != "\n" } + process.output.components(separatedBy: "\n\n")[0]
                #expect(head.contains("The file is at https://site.test\(path). "), "\(process.output)")
                #expect(head.contains("site.test  FAILING  "))
                let json = try await stage.check(["--format", "json", url]).json()
                #expect(json["diagnosis_id"] == .string("misplaced") && json.rules.contains("origin.misplaced"))
                // Without the URL as the target, the misplaced file is not found.
                #expect(try await stage.report("site.test")["diagnosis_id"] == .string("not-deployed"))
            }
        }

        @Test("a URL that meets its expectation is shown in text and JSON")
        func expected() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Self.rules)
                let wanted = ["--expect-url", "/trips/1=\(Self.app)", "--expect-url", "/nope=nothing", "site.test"]
                let brief = try await stage.check(wanted)
                #expect(brief.output == "site.test  OK  Up to date on 1 edge, 2 URLs as expected\n")
                let text = try await stage.check(["-v"] + wanted)
                #expect(text.end == .exit(0))
                #expect(
                    text.output.contains("  as expected: /trips/1  opens \(Self.app), by site.test:6:7"),
                    "\(text.output)")
                #expect(text.output.contains("  as expected: /nope  opens nothing: no rule matches"))
                let json = try await stage.check(["--format", "json"] + wanted).json()
                #expect(json["expected_urls"].elements.map { $0["as_expected"] } == [.bool(true), .bool(true)])
                #expect(try await stage.report("site.test")["expected_urls"] == .absent)
                let unmet = try await stage.check(["--expect-url", "/nope=\(Self.app)", "site.test"])
                #expect(unmet.end == .exit(1) && !unmet.output.contains("  as expected: "))
            }
        }

        @Test("each format has the answer of --why", arguments: ["markdown", "github", "nagios", "jsonl"])
        func formats(_ format: String) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Self.rules)
                let process = try await stage.check(["--format", format, "--why", "https://site.test/trips/1"])
                #expect(process.end == .exit(0))
                let lines = process.output.split(separator: "\n")
                switch format {
                case "markdown":
                    #expect(process.output.hasPrefix("## https:\u{2060}//site.test/trips/1\n"), "\(process.output)")
                    let rows = lines.filter { $0.contains(#/^\| \d+ \| /#) }
                    #expect(rows.count >= 10)
                    for row in rows {
                        #expect(row.replacing("\\|", with: "").filter { $0 == "|" }.count == 4, "\(row)")
                    }
                case "github":
                    try #require(lines.count == 2, "\(process.output)")
                    #expect(lines[0].hasPrefix("::notice title=site.test%3A why https%3A//site.test/trips/1::https://"))
                    #expect(lines[0].contains("%0A1. The URL was typed"))
                case "nagios":
                    try #require(lines.count == 1, "\(process.output)")
                    #expect(
                        lines[0].hasPrefix(
                            "AASA OK - https://site.test/trips/1 opens \(Self.app), by cdn:site.test:6:7"))
                default: #expect(try JSONValue(String(lines[0]))["why"]["opens"] == .string(Self.app))
                }
            }
        }
    }
}
