import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct DiffTests {
        /// /help/website is no longer excluded, and an app is new.
        private static let newer = Sample.clean
            .replacing(#"{"/": "/help/website/*", "exclude": true}"#, with: #"{"/": "/trips/*"}"#)

        @Test("files with the same meaning pass, whatever their formatting")
        func formatting() async throws {
            try await Stage.with { stage in
                try stage.write("a", Sample.clean)
                let same = try await stage.run(["diff", "a", "a"])
                #expect(same.end == .exit(0))
                #expect(same.output == "the two files are the same, byte for byte\n")
                let process = try await stage.run(["diff", "a", "-"], input: Sample.cleanInOneLine)
                #expect(process.end == .exit(0))
                #expect(process.output.contains("formatting only"))
                let json = try await stage.run(["diff", "--format", "json", "a", "-"], input: Sample.cleanInOneLine)
                #expect(json.end == .exit(0))
                let report = try json.json()
                #expect(report["bytes_equal"] == .bool(false))
                #expect(report["meaning_equal"] == .bool(true))
                #expect(report["changes"] == .array([]))
                #expect(report["behaviour"] == .array([]))
            }
        }

        @Test("JSON lists the differences, with a URL for each change of behaviour")
        func json() async throws {
            try await Stage.with { stage in
                try stage.write("old", Sample.clean)
                try stage.write("new", Self.newer)
                let process = try await stage.run(["diff", "--format", "json", "old", "new"])
                #expect(process.end == .exit(1))
                let report = try process.json()
                #expect(report["sources"] == .array([.string("old"), .string("new")]))
                #expect(report["meaning_equal"] == .bool(false))
                #expect(report["behaviour_complete"] == .bool(true))
                #expect(report["changes"].elements.isEmpty == false)
                for change in report["changes"].elements { #expect(change.keys == ["kind", "summary", "pointer"]) }
                let behaviour = report["behaviour"].elements
                #expect(
                    Set(behaviour.map { [$0["from"].string, $0["to"].string] })
                        == [["blocked", "opens"], ["not_matched", "opens"]])
                // The examples are correct: the matcher confirms them for both files.
                for change in behaviour {
                    let url = change["example"].string ?? ""
                    #expect(change["app"] == .string(Sample.app))
                    #expect(url.hasPrefix("/"))
                    #expect(
                        try await stage.run(["match", "old", url, "--expect", "nothing"]).end == .exit(0), "\(url)")
                    #expect(
                        try await stage.run(["match", "new", url, "--expect", Sample.app]).end == .exit(0), "\(url)")
                }
            }
        }

        @Test("text lists the changes, then what phones do: one line per URL with all its apps")
        func text() async throws {
            try await Stage.withoutLab { stage in
                let apps = [#"["\#(Sample.app)"]"#, #"["\#(Sample.app)", "\#(Sample.other)"]"#]
                try stage.write("old", Sample.clean.replacing(apps[0], with: apps[1]))
                try stage.write("new", Self.newer.replacing(apps[0], with: apps[1]))
                let process = try await stage.run(["diff", "old", "new"])
                #expect(process.end == .exit(1))
                #expect(process.output.hasPrefix("from old  to new\n"))
                #expect(process.output.contains("what changes on a phone\n"))
                #expect(process.output.contains("\(Sample.app): not opened (excluded) before, opened by the app now\n"))
                #expect(process.output.contains("\(Sample.other): not opened before, opened by the app now\n"))
                let urls = process.output.split(separator: "\n").filter { $0.hasPrefix("  /") }
                #expect(urls.count == 2, "\(process.output)")
                #expect(Set(urls).count == urls.count)
            }
        }

        @Test("a change that affects no URL is reported as one")
        func silent() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("old", Sample.clean)
                let more = Sample.clean.replacing(#"{"/": "/help/*"},"#, with: #"{"/": "/help/*"}, {"/": "/help/1"},"#)
                let process = try await stage.run(["diff", "old", "-"], input: more)
                #expect(process.end == .exit(1))
                #expect(process.output.contains("no app gains or loses a URL (proven for all URLs)\n"))
            }
        }

        @Test(
            "an invalid file does not differ from itself, but is still reported as invalid",
            arguments: ["text", "json"])
        func sameBroken(_ format: String) async throws {
            try await Stage.withoutLab { stage in
                try stage.write("bad", Sample.broken)
                let process = try await stage.run(["diff", "--format", format, "bad", "bad"])
                #expect(process.end == .exit(65))
                #expect(process.errors.contains("bad:3:18: "))
                if format == "json" {
                    #expect(try process.json()["bytes_equal"] == .bool(true))
                } else {
                    #expect(process.output == "the two files are the same, byte for byte\n")
                }
            }
        }

        @Test("comparing Apple's copy with the origin shows what phones do not have yet")
        func copy() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Self.newer)
                stage.lab.cdn.holds("site.test", body: Sample.clean)
                let process = try await stage.command("diff", ["--format", "json", "cdn:site.test", "site.test"])
                #expect(process.end == .exit(1))
                let report = try process.json()
                #expect(report["sources"] == .array([.string("cdn:site.test"), .string("site.test")]))
                #expect(report["behaviour"].elements.allSatisfy { $0["to"] == .string("opens") })
                #expect(!report["behaviour"].elements.isEmpty)
            }
        }

        @Test(
            "devices ignore a side that is not a file: what stops or begins to open is shown",
            arguments: [
                (Sample.broken, "bad:3:18: "), ("[]", "bad: the outermost value is not a JSON object"),
                (Sample.clean + String(repeating: "\n", count: 131_072), "but devices read up to 131,072"),
            ])
        func broken(_ text: String, _ reason: String) async throws {
            try await Stage.with { stage in
                try stage.write("good", Sample.clean)
                try stage.write("bad", text)
                for (sources, words) in [
                    (["good", "bad"], "opened by the app before, not opened now"),
                    (["bad", "good"], "not opened before, opened by the app now"),
                ] {
                    let process = try await stage.run(["diff"] + sources)
                    #expect(process.end == .exit(65))
                    #expect(process.output.contains("  devices ignore bad\n"))
                    #expect(process.output.contains(words), "\(process.output)")
                    #expect(process.errors.contains(reason), "\(process.errors)")
                    // Each rule that opens has an example.
                    for part in ["  /buy?coupon=a\n", "  /help\n", "  /news#top\n"] {
                        #expect(process.output.contains(part), "\(process.output)")
                    }
                    let json = try await stage.run(["diff", "--format", "json"] + sources)
                    #expect(json.end == .exit(65))
                    let report = try json.json()
                    #expect(report["meaning_equal"] == .bool(false))
                    #expect(report["taken_by_devices"] == .array(sources.map { .bool($0 == "good") }))
                }
            }
        }

        @Test("each changed rule has an example, and a URL that Safari opens before and after is not a change")
        func phones() async throws {
            func file(_ components: String, _ rest: String) -> String {
                #"{"applinks":{"details":[{"appIDs":["\#(Sample.app)"],"components":[\#(components)]}]}\#(rest)}"#
            }
            try await Stage.withoutLab { stage in
                let old = #"{"/":"/a/*"},{"/":"/b/*"},{"/":"/e/*","exclude":true}"#
                try stage.write("old", file(old, #","webcredentials":{"apps":["\#(Sample.app)"]}"#))
                let new = #"{"/":"/b/*"},{"/":"/c/*"},{"/":"/d"}"#
                try stage.write("new", file(new, #","appclips":{"apps":["\#(Sample.app).Clip"]}"#))
                let process = try await stage.run(["diff", "old", "new"])
                #expect(process.end == .exit(1))
                for part in ["  /a\n", "  /c\n", "  /d\n"] {
                    #expect(process.output.contains(part), "\(process.output)")
                }
                #expect(!process.output.contains("excluded"), "\(process.output)")
                #expect(process.output.contains("  links can open the App Clip \(Sample.app).Clip now\n"))
                #expect(process.output.contains("\(Sample.app) can no longer use the site's passwords and passkeys"))
                let many = (0..<14).map { #"{"/":"/m\#($0)"}"# }.joined(separator: ",")
                let more = try await stage.run(["diff", "old", "-"], input: file(many, ""))
                #expect(more.output.contains("  and 4 more rules\n"), "\(more.output)")
                let counted = try await stage.run(["diff", "--format", "json", "old", "-"], input: file(many, ""))
                #expect(try counted.json()["more_rules"] == .number(4))
                let template = file(old, "").replacing(Sample.app, with: "{PLACE_YOUR_APP_ID_HERE}")
                let unfilled = try await stage.run(["diff", "--format", "json", "-", "old"], input: template)
                let apps = Set(try unfilled.json()["behaviour"].elements.map { $0["app"].string })
                #expect(apps == [Sample.app])
            }
        }

        @Test("a router's placeholder in a rule is mentioned beside the URL that the rule opens")
        func literal() async throws {
            try await Stage.withoutLab { stage in
                let router = Sample.clean.replacing(#"{"/": "/help/*"}"#, with: #"{"/": "/help/:id"}"#)
                try stage.write("old", router)
                let gone = Sample.clean.replacing(#"{"/": "/help/*"},"#, with: "")
                let process = try await stage.run(["diff", "old", "-"], input: gone)
                #expect(
                    process.output.contains(
                        """
                          /help/:id
                              \(Sample.app): opened by the app before, not opened now
                              ":id" is not a wildcard: devices compare it literally

                        """), "\(process.output)")
            }
        }

        @Test("an answer that relies on undocumented behaviour says so")
        func contested() async throws {
            try await Stage.withoutLab { stage in
                let app = Sample.app
                let entry = #"{"appIDs":["\#(app)"],"components":[{"/":"/a/*"}]}"#
                let shut = #"{"appIDs":["\#(app)"],"components":[{"/":"/a/*","exclude":true}]}"#
                try stage.write("old", #"{"applinks":{"details":[\#(entry)]}}"#)
                try stage.write("new", #"{"applinks":{"details":[\#(shut),\#(entry)]}}"#)
                let process = try await stage.run(["diff", "old", "new"])
                #expect(process.output.contains("not documented by Apple: "), "\(process.output)")
                let json = try await stage.run(["diff", "--format", "json", "old", "new"])
                let points = try json.json()["behaviour"].elements.first?["contested"]
                #expect(points == .array([.string("several-entries-of-one-app")]))
            }
        }

        @Test("terminal escape codes never reach the terminal", arguments: ["text", "json"])
        func hostile(_ format: String) async throws {
            try await Stage.withoutLab { stage in
                try stage.write("a", Sample.clean)
                for sources in [["a", "-"], ["-", "a"]] {
                    let process = try await stage.run(["diff", "--format", format] + sources, input: Sample.hostile)
                    #expect(process.end == .exit(1))
                    #expect(process.output.contains("details") || process.output.contains(Sample.app))
                    expectHarmless(process)
                }
            }
        }
    }
}
