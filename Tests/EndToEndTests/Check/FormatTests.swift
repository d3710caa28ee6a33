// The formats of `check` and `watch` for other programs: job summaries, workflow annotations, monitoring plugins.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct FormatTests {
        /// good.test is OK, warn.test has a warning, bad.test fails.
        private func sites(_ stage: Stage) {
            stage.lab.origin("good.test").serve(file())
            stage.lab.origin("warn.test").serve(
                #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"},{"/":"/a"}]}]}}"#
            )
            stage.lab.origin("bad.test").behaviour = .reply(.status(500))
        }

        @Test("the plugin format has its line, performance data and exit codes")
        func plugin() async throws {
            let cases: [(words: [String], code: Int32, first: String)] = [
                (["good.test"], 0, "AASA OK - good.test: "), (["warn.test"], 1, "AASA WARNING - warn.test: "),
                (["bad.test"], 2, "AASA CRITICAL - bad.test: "),
                (["good.test", "bad.test", "warn.test"], 2, "AASA CRITICAL - 2 of 3 domains: bad.test, warn.test"),
                (["good.test", "--quiet"], 0, ""), (["bad.test", "--quiet"], 2, ""),
                (["x"], 3, "AASA UNKNOWN - "), (["good.test", "--config", "none.yaml"], 3, "AASA UNKNOWN - "),
            ]
            try await Stage.with { stage in
                sites(stage)
                for (words, code, first) in cases {
                    let checked = try await attempt {
                        try await stage.check(["--format", "nagios"] + words)
                    } again: {
                        // A slow site that is not shown.
                        words.contains("--quiet") && $0.end == .exit(1)
                    }
                    #expect(checked.end == .exit(code), "\(checked.output)\(checked.errors)")
                    #expect(checked.output.hasPrefix(first), "\(checked.output)")
                    let lines = checked.output.split(separator: "\n")
                    guard code < 3, !words.contains("--quiet") else { continue }
                    #expect(lines.count == (words.count == 1 ? 1 : 4))
                    let data = try #require(lines.first?.split(separator: "|").dropFirst().first)
                    let label = words.count == 1 ? "" : "\(words[0]) "
                    #expect(data.hasPrefix("'\(label)origin_seconds'="), "\(data)")
                    #expect(data.wholeMatch(of: /('[^']+'=[0-9.]+s?(;;;0(;[0-9]+)?)? ?)+/) != nil, "\(data)")
                    #expect(lines.allSatisfy { $0.filter { $0 == "|" }.count <= 1 })
                }
            }
        }

        @Test("in JUnit a domain is a test that fails when the exit code does")
        func junit() async throws {
            try await Stage.with { stage in
                sites(stage)
                for (options, failing) in [([String](), ["bad.test"]), (["--strict"], ["warn.test", "bad.test"])] {
                    let domains = ["good.test", "warn.test", "bad.test"]
                    let checked = try await stage.check(["--format", "junit"] + options + domains)
                    #expect(checked.end == .exit(1))
                    let results = try await TestResults(checked.output, on: stage)
                    #expect(results.cases.map(\.name) == domains)
                    #expect(results.cases.filter(\.isFailed).map(\.name) == failing)
                    #expect(results.text.contains("origin.status"))
                }
            }
        }

        @Test("each finding is one annotation; without findings one says that all is well")
        func annotations() async throws {
            try await Stage.with { stage in
                sites(stage)
                let checked = try await stage.check(["--format", "github", "good.test", "warn.test", "bad.test"])
                #expect(checked.end == .exit(1))
                let lines = checked.output.split(separator: "\n")
                #expect(lines.allSatisfy { $0.hasPrefix("::") }, "\(checked.output)")
                #expect(lines.contains { $0.hasPrefix("::notice title=good.test::") })
                #expect(lines.contains { $0.hasPrefix("::warning title=warn.test%3A aasa.") })
                #expect(lines.contains { $0.hasPrefix("::error title=bad.test%3A origin.status::") })
            }
        }

        @Test("Markdown has the diagnosis and a table, and text of the site is never markup")
        func markdown() async throws {
            try await Stage.with { stage in
                sites(stage)
                let hostile = "https://evil.test/|[x](http://y)<img src=x>@team"
                stage.lab.origin("mark.test").behaviour = .reply(
                    LabReply(status: 301, headers: [("Location", hostile)], body: []))
                let checked = try await stage.check(["--format", "markdown", "good.test", "bad.test", "mark.test"])
                #expect(checked.end == .exit(1))
                let text = checked.output
                #expect(text.contains("## ✅ good.test: ok\n\n**"), "\(text)")
                #expect(text.contains("## ❌ bad.test: failing\n\n**"))
                #expect(text.contains("| error | [origin.status](https://"))
                #expect(text.hasSuffix("\n3 domains: 2 failing, 1 up to date\n"))
                for piece in ["<img", "[x](http", "@team", "https://evil"] {
                    #expect(!text.contains(piece), "\(piece)")
                }
                for row in text.split(separator: "\n") where row.hasPrefix("| ") {
                    #expect(row.replacing("\\|", with: "").filter { $0 == "|" }.count == 4, "\(row)")
                }
            }
        }

        @Test("watch in a workflow ends with an annotation", arguments: [true, false])
        func watch(isInSync: Bool) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file("v1"))
                _ = try await stage.check(["site.test"])
                if !isInSync { stage.lab.origin("site.test").serve(file("v2")) }
                let watched = try stage.watch(
                    ["--format", "github", "--max-time", isInSync ? Stage.patience : "20", "site.test"])
                #expect(try await watched.ended() == .exit(isInSync ? 0 : 1))
                let last = try #require(watched.output.split(separator: "\n").last)
                #expect(
                    last.hasPrefix(isInSync ? "::notice title=site.test::" : "::error title=site.test::"), "\(last)")
                #expect(watched.output.hasPrefix("site.test: reading the origin's file"))
            }
        }
    }
}
