import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct DiffTests {
        /// /help/website is excluded no more, and an app is new.
        private static let newer = Sample.clean
            .replacing(#"{"/": "/help/website/*", "exclude": true}"#, with: #"{"/": "/trips/*"}"#)

        @Test("files that mean the same pass, whatever their formatting")
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

        @Test("JSON tells what differs, and gives a URL for each change of behaviour")
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
                // The examples are true: the matcher says so of either file.
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

        @Test("text names the changes, then what phones do, one URL with all of its apps")
        func text() async throws {
            try await Stage.with { stage in
                let apps = [#"["\#(Sample.app)"]"#, #"["\#(Sample.app)", "\#(Sample.other)"]"#]
                try stage.write("old", Sample.clean.replacing(apps[0], with: apps[1]))
                try stage.write("new", Self.newer.replacing(apps[0], with: apps[1]))
                let process = try await stage.run(["diff", "old", "new"])
                #expect(process.end == .exit(1))
                #expect(process.output.hasPrefix("from old  to new\n"))
                #expect(process.output.contains("what changes on a phone\n"))
                #expect(process.output.contains("\(Sample.app): excluded before, opened by the app now\n"))
                #expect(process.output.contains("\(Sample.other): not matched before, opened by the app now\n"))
                let urls = process.output.split(separator: "\n").filter { $0.hasPrefix("  /") }
                #expect(urls.count == 2, "\(process.output)")
                #expect(Set(urls).count == urls.count)
            }
        }

        @Test("a change that no URL notices is told as one")
        func silent() async throws {
            try await Stage.with { stage in
                try stage.write("old", Sample.clean)
                let more = Sample.clean.replacing(#"{"/": "/help/*"},"#, with: #"{"/": "/help/*"}, {"/": "/help/1"},"#)
                let process = try await stage.run(["diff", "old", "-"], input: more)
                #expect(process.end == .exit(1))
                #expect(process.output.contains("no URL changes what it opens"))
            }
        }

        @Test("apps that change places are told with a URL, and \"no URL changes\" is not said")
        func order() async throws {
            try await Stage.with { stage in
                let apps = [#"["\#(Sample.app)"]"#, #"["\#(Sample.app)", "\#(Sample.other)"]"#]
                try stage.write("old", Sample.clean.replacing(apps[0], with: apps[1]))
                let turned = #"["\#(Sample.other)", "\#(Sample.app)"]"#
                try stage.write("new", Sample.clean.replacing(apps[0], with: turned))
                let process = try await stage.run(["diff", "old", "new"])
                #expect(process.end == .exit(1))
                #expect(process.output.contains("no app gains or loses a URL (proven for all URLs)\n"))
                #expect(!process.output.contains("no URL"))
                #expect(process.output.contains("      \(Sample.app) before, \(Sample.other) now\n"))
                let report = try await stage.run(["diff", "--format", "json", "old", "new"]).json()
                #expect(report["behaviour"] == .array([]))
                #expect(report["order_complete"] == .bool(true))
                let change = try #require(report["order"].elements.first)
                #expect(change["from"] == .array([.string(Sample.app), .string(Sample.other)]))
                #expect(change["to"] == .array([.string(Sample.other), .string(Sample.app)]))
                let url = change["example"].string ?? ""
                for (file, app) in [("old", Sample.app), ("new", Sample.other)] {
                    let match = try await stage.run(["match", file, url])
                    #expect(match.output.hasPrefix("\(url)  opens \(app), "), "\(match.output)")
                }
            }
        }

        @Test("what is no file does not differ from itself", arguments: ["text", "json"])
        func sameBroken(_ format: String) async throws {
            try await Stage.with { stage in
                try stage.write("bad", Sample.broken)
                let process = try await stage.run(["diff", "--format", format, "bad", "bad"])
                #expect(process.end == .exit(0))
                #expect(process.errors.contains("bad:3:18: "))
                if format == "json" {
                    #expect(try process.json()["bytes_equal"] == .bool(true))
                } else {
                    #expect(process.output == "the two files are the same, byte for byte\n")
                }
            }
        }

        @Test("Apple's copy against the origin tells what phones do not have yet")
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

        @Test("a side that is no file is a failure that names the side")
        func broken() async throws {
            try await Stage.with { stage in
                try stage.write("good", Sample.clean)
                try stage.write("bad", Sample.broken)
                for sources in [["good", "bad"], ["bad", "good"]] {
                    let process = try await stage.run(["diff"] + sources)
                    #expect(process.end == .exit(1))
                    #expect(process.output == "")
                    #expect(process.errors.contains("bad:3:18: "), "\(process.errors)")
                }
            }
        }

        @Test("text that steers a terminal never reaches it", arguments: ["text", "json"])
        func hostile(_ format: String) async throws {
            try await Stage.with { stage in
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
