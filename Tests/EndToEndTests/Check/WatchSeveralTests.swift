// Waiting for several domains at once.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct WatchSeveralTests {
        /// Two sites with old copies.
        private static func stage(_ body: (Stage) async throws -> Void) async throws {
            try await Stage.with { stage in
                for name in ["a.test", "b.test"] {
                    stage.lab.origin(name).serve(file("v2"))
                    stage.lab.cdn.holds(name, body: file("v1"))
                }
                try await body(stage)
            }
        }

        @Test("watch ends when the last domain is in sync, and each line names its domain")
        func lines() async throws {
            try await Self.stage { stage in
                let process = try stage.watch(["a.test", "b.test"])
                try await until("both first looks", seen: { process.output }) {
                    ["a.test", "b.test"].allSatisfy { name in
                        process.output.split(separator: "\n").contains {
                            $0.contains("  \(name): ") && $0.contains(" serves another file")
                        }
                    }
                }
                stage.lab.cdn.holds("b.test", body: file("v2"))
                try await until("the first", seen: { process.output }) {
                    process.output.contains("b.test: every edge serves the origin's file")
                }
                #expect(process.end == nil)
                stage.lab.cdn.holds("a.test", body: file("v2"))
                #expect(try await process.ended() == .exit(0), "\(process.errors)")
                let lines = process.output.split(separator: "\n")
                #expect(lines.last == "2 of 2 domains in sync")
                for line in lines.dropLast() {
                    #expect(line.contains("  a.test: ") || line.contains("  b.test: "), "\(line)")
                }
                #expect(process.errors == "")
            }
        }

        @Test("at the time limit watch ends with 1 and names the domains that are not in sync", .waitsForTimeout)
        func timeLimit() async throws {
            try await Self.stage { stage in
                stage.lab.cdn.holds("b.test", body: file("v2"))
                stage.lab.origin("none.test").behaviour = .reply(.status(404))
                try stage.write("targets.txt", "a.test\nb.test\nnone.test\n")
                let processes = try [(["@targets.txt"], ""), (["-"], "a.test\nb.test\nnone.test\n")].map {
                    try stage.watch(["--max-time", "60s"] + $0.0, input: $0.1)
                }
                for process in processes {
                    #expect(try await process.ended() == .exit(1), "\(process.errors)")
                    #expect(
                        process.output.hasSuffix(
                            "1 of 3 domains in sync; not in sync: a.test (0 of 1 edge in sync), "
                                + "none.test (the origin has no file)\n"), "\(process.output)")
                }
            }
        }

        @Test("each domain has the same objects and annotations as in a watch of one domain")
        func formats() async throws {
            try await Self.stage { stage in
                for name in ["a.test", "b.test"] { stage.lab.cdn.holds(name, body: file("v2")) }
                let objects = try stage.watch(["--format", "jsonl", "a.test", "b.test"])
                #expect(try await objects.ended() == .exit(0), "\(objects.errors)")
                let events = try objects.output.split(separator: "\n").map { try JSONValue(String($0)) }
                for name in ["a.test", "b.test"] {
                    let own = events.filter { $0["domain"].string == name }.map { $0["event"].string }
                    #expect(own == ["started", "goal_set", "edge_seen", "in_sync"])
                }
                #expect(events.count == 8)
                stage.lab.origin("b.test").behaviour = .reply(.status(404))
                let notes = try stage.watch(["--format", "github", "a.test", "b.test"])
                #expect(try await notes.ended() == .exit(1))
                #expect(notes.output.contains("::notice title=a.test::a.test: every edge"), "\(notes.output)")
                #expect(notes.output.contains("::error title=b.test::the origin has no file"), "\(notes.output)")
            }
        }

        @Test("a terminal gets a line for each domain; Ctrl-C ends all with 130")
        func terminal() async throws {
            try await Self.stage { stage in
                let terminal = try Terminal()
                let process = try stage.watch(["a.test", "b.test"], output: terminal.child)
                var text = ""
                try await until("both looks", seen: { text }) {
                    text += terminal.read()
                    return ["a.test", "b.test"].allSatisfy { text.contains("  \($0)  0 of 1 edge in sync after ") }
                }
                process.signal(SIGINT)
                #expect(try await process.ended() == .exit(130), "\(process.errors)")
                text += terminal.read()
                #expect(text.contains("0 of 2 domains in sync"))
                #expect(text.contains("  a.test  stopped after "))
                #expect(
                    text.contains("not in sync: a.test (0 of 1 edge in sync), b.test (0 of 1 edge in sync)"), "\(text)")
            }
        }

        @Test("a target in managed mode or too many targets is a usage error, without any request")
        func usage() async throws {
            try await Self.stage { stage in
                let mode = try stage.watch(["a.test", "applinks:b.test?mode=managed"])
                #expect(try await mode.ended() == .exit(64))
                #expect(mode.errors.contains("read the origin of b.test directly"), "\(mode.errors)")
                let many = try stage.watch(["-"], input: (0...100).map { "s\($0).test\n" }.joined())
                #expect(try await many.ended() == .exit(64))
                #expect(many.errors.contains("watch takes up to 100 domains at once, not 101"), "\(many.errors)")
                #expect(stage.lab.connectionsAccepted == 0)
            }
        }
    }
}
