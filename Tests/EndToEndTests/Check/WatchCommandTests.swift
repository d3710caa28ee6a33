// Waiting until every edge of the CDN serves what the origin serves.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct WatchCommandTests {
        private static let edges = ["127.0.0.2", "127.0.0.3"]
        private static let addresses = ["127.0.0.1"] + edges

        private static func events(_ process: MonitorProcess) -> [JSONValue] {
            process.output.split(separator: "\n").compactMap { try? JSONValue(String($0)) }
        }

        private static func kinds(_ process: MonitorProcess) -> [String] {
            events(process).map { ($0["event"].string ?? "") + ($0["edge"].string.map { " \($0)" } ?? "") }
        }

        private func start(
            _ stage: Stage, _ options: [String] = [], output: FileHandle? = nil
        ) throws -> MonitorProcess {
            try stage.watch(options + ["site.test"], edges: Self.edges, output: output)
        }

        @Test("each edge is reported when it gets the file, and the last one ends the watch")
        func pickUp() async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                stage.lab.origin("site.test").serve(file("v2"))
                stage.lab.cdn.holds("site.test", body: file("v1"))
                let process = try start(stage, ["--format", "jsonl"])
                try await until("the first look", seen: { process.output }) { Self.events(process).count >= 4 }
                stage.lab.cdn.holds("site.test", body: file("v2"), edge: Self.edges[1])
                try await until("the first edge", seen: { process.output }) {
                    Self.kinds(process).contains("edge_picked_up \(Self.edges[1])")
                }
                #expect(process.end == nil)
                stage.lab.cdn.holds("site.test", body: file("v2"), edge: Self.edges[0])
                #expect(try await process.ended() == .exit(0), "\(process.errors)")
                #expect(Self.kinds(process).prefix(2) == ["started", "goal_set"])
                #expect(Set(Self.kinds(process).dropFirst(2).prefix(2)) == Set(Self.edges.map { "edge_seen \($0)" }))
                #expect(
                    Self.kinds(process).dropFirst(4) == [
                        "edge_picked_up \(Self.edges[1])", "edge_picked_up \(Self.edges[0])", "in_sync",
                    ])
                let keys: Set<String> = [
                    "schema", "event", "domain", "at", "elapsed_seconds", "edge", "state", "detail", "goal",
                    "edges_in_sync", "edges", "usual_seconds", "message",
                ]
                #expect(Self.events(process).allSatisfy { $0.keys == keys })
                #expect(Self.events(process).map { $0["edges_in_sync"].int } == [0, 0, 0, 0, 1, 2, 2])
                #expect(process.errors == "")
            }
        }

        @Test("without a terminal each event is a line with its time and no escape codes")
        func lines() async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                stage.lab.origin("site.test").serve(file("v2"))
                stage.lab.cdn.holds("site.test", body: file("v1"))
                let process = try start(stage)
                try await until("the first look", seen: { process.output }) {
                    Self.edges.allSatisfy { process.output.contains("\($0) serves another file") }
                }
                stage.lab.cdn.holds("site.test", body: file("v2"))
                #expect(try await process.ended() == .exit(0))
                let lines = process.output.split(separator: "\n")
                #expect(lines.count == 7, "\(process.output)")
                for line in lines { #expect(line.firstMatch(of: #/^20\d\d-\d\d-\d\dT[0-9:]+Z  \+[0-9hms]+  /#) != nil) }
                #expect(!process.output.contains("\u{1B}"))
            }
        }

        @Test("on a terminal one block is redrawn")
        func block() async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                stage.lab.origin("site.test").serve(file("v2"))
                stage.lab.cdn.holds("site.test", body: file("v1"))
                let terminal = try Terminal()
                let process = try start(stage, output: terminal.child)
                try await until("the first look") { stage.lab.cdn.requests(for: "site.test").count >= 2 }
                stage.lab.cdn.holds("site.test", body: file("v2"))
                #expect(try await process.ended() == .exit(0))
                let text = terminal.read()
                #expect(text.contains("\u{1B}[J"))
                #expect(text.contains("2 of 2 edges in sync"))
                #expect(text.contains("every edge serves the origin's file"))
            }
        }

        @Test("at the time limit it ends with 1 and names the edges that are behind", .waitsForTimeout)
        func timeLimit() async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                stage.lab.origin("site.test").serve(file("v2"))
                stage.lab.cdn.holds("site.test", body: file("v2"), edge: Self.edges[0])
                stage.lab.cdn.holds("site.test", body: file("v1"), edge: Self.edges[1])
                // Enough time for a first check on a busy machine.
                let process = try start(stage, ["--max-time", "60"])
                #expect(try await process.ended() == .exit(1))
                let last = "timed out: 1 of 2 edges has the new file; uslab3 127.0.0.3 serves another file"
                #expect(process.output.contains(last), "\(process.output)")
            }
        }

        @Test(
            "an unreachable edge is named but not awaited; if all are unreachable, watch waits and fails",
            .waitsForTimeout)
        func unreachable() async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                stage.lab.origin("site.test").serve(file("v1"))
                stage.lab.cdn.behaves("site.test", .fault(.reset), edge: Self.edges[1])
                let one = try start(stage, ["--max-time", Stage.patience])
                #expect(try await one.ended() == .exit(0))
                #expect(one.output.contains("127.0.0.3 cannot be reached: "), "\(one.output)")
                #expect(one.output.contains("1 of 2 edges in sync, could not be reached: 127.0.0.3 ("), "\(one.output)")
                stage.lab.cdn.behaves("site.test", .fault(.reset))
                let all = try start(stage, ["--max-time", "60"])
                #expect(try await all.ended() == .exit(1))
                #expect(all.output.contains("no edge can be reached"), "\(all.output)")
            }
        }

        @Test("the first line comes before any answer, and each edge's line when it answers")
        func atOnce() async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                let origin = stage.lab.origin("site.test")
                origin.behaviour = .fault(.hang)
                let silent = try start(stage)
                try await until("the first line", seen: { silent.output }) {
                    silent.output.contains("reading the origin")
                }
                #expect(!silent.output.contains("waiting until"))
                silent.signal(SIGINT)
                try await silent.ended()
                origin.serve(file("v2"))
                stage.lab.cdn.behaves("site.test", .fault(.hang), edge: Self.edges[0])
                stage.lab.cdn.holds("site.test", body: file("v1"), edge: Self.edges[1])
                let process = try start(stage)
                try await until("the quick edge", seen: { process.output }) {
                    process.output.contains("127.0.0.3 serves another file; 0 of 2 edges in sync")
                }
                // The silent one eventually times out, on a slow machine before this line: only the order is certain.
                let words = process.output
                let silence = words.firstRange(of: "127.0.0.2 ")?.lowerBound ?? words.endIndex
                #expect(words.firstRange(of: "127.0.0.3 ").map { $0.lowerBound < silence } == true, "\(words)")
                process.signal(SIGINT)
                #expect(try await process.ended() == .exit(130))
            }
        }

        @Test("an edge may take as long as the configuration says", .waitsForTimeout)
        func slowEdge() async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                stage.lab.origin("site.test").serve(file())
                stage.lab.cdn.holds("site.test", body: file())
                // Longer than without a configuration.
                stage.lab.cdn.behaves("site.test", .after(.seconds(12), .reply(.json(file()))), edge: Self.edges[1])
                let process = try start(stage)
                #expect(try await process.ended() == .exit(0))
                #expect(process.output.contains("2 of 2 edges"), "\(process.output)")
            }
        }

        @Test("no request outlasts the watch")
        func shortRequests() async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                stage.lab.origin("site.test").serve(file("v2"))
                stage.lab.cdn.behaves("site.test", .fault(.hang))
                // Less than the timeout of a request, but enough to read the origin.
                let process = try start(stage, ["--max-time", "8"])
                #expect(try await process.ended() == .exit(1))
                #expect(process.output.contains("timed out"), "\(process.output)")
            }
        }

        @Test("after a deploy during the watch it waits for the newer file")
        func newerDeploy() async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                let origin = stage.lab.origin("site.test")
                origin.serve(file("v2"))
                stage.lab.cdn.holds("site.test", body: file("v1"))
                let process = try start(stage)
                try await until("the first look", seen: { process.output }) { process.output.contains("0 of 2 edges") }
                origin.serve(file("v3"))
                stage.lab.cdn.holds("site.test", body: file("v2"))
                try await until("the newer file", seen: { process.output }) {
                    process.output.contains("the origin serves a newer file")
                }
                stage.lab.cdn.holds("site.test", body: file("v3"))
                #expect(try await process.ended() == .exit(0))
            }
        }

        @Test(
            "without a file at the origin watch ends at once with 1",
            arguments: [(404, "the origin has no file"), (500, "no file that can be read")])
        func nothing(_ status: Int, _ words: String) async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                stage.lab.origin("site.test").behaviour = .reply(.status(status))
                let process = try start(stage)
                #expect(try await process.ended() == .exit(1))
                #expect(process.output.lowercased().contains(words), "\(process.output)")
                #expect(process.output.contains("origin.status"))
                let objects = try start(stage, ["--format", "jsonl"])
                #expect(try await objects.ended() == .exit(1))
                #expect(Self.kinds(objects) == ["started", "nothing_to_wait_for"])
                #expect(stage.lab.cdn.requests(for: "site.test").isEmpty)
            }
        }

        @Test("a signal ends watch with a summary", arguments: [SIGINT, SIGTERM])
        func interrupt(_ number: Int32) async throws {
            try await Stage.with(addresses: Self.addresses) { stage in
                stage.lab.origin("site.test").serve(file("v2"))
                stage.lab.cdn.holds("site.test", body: file("v1"))
                let process = try start(stage)
                try await until("the first look", seen: { process.output }) { process.output.contains("0 of 2 edges") }
                process.signal(number)
                #expect(try await process.ended() == .exit(130))
                #expect(process.output.contains("site.test: stopped after "), "\(process.output)")
            }
        }

        @Test("the usual duration comes from the daemon's store")
        func usual() async throws {
            try await Stage.with { stage in
                let origin = stage.lab.origin("site.test")
                origin.serve(file("v1"))
                let daemon = try Watch(stage, ["site.test"], Watch.Settings())
                let (process, _) = try await daemon.started()
                try await daemon.checks(2, of: "site.test")
                origin.serve(file("v2"))
                try await daemon.checks(3, of: "site.test")
                stage.lab.cdn.refresh("site.test")
                try await daemon.checks(3, of: "site.test")
                process.signal(SIGTERM)
                try await process.ended()
                let watch = try await stage.run(
                    ["watch"] + stage.route + ["--config", daemon.file, "--format", "jsonl", "site.test"])
                #expect(watch.end == .exit(0), "\(watch.errors)")
                let started = Self.events(watch).dropFirst().first ?? .absent
                #expect(started["message"].string?.contains("the last change took") == true, "\(started)")
                #expect(started["usual_seconds"] != .null)
            }
        }
    }
}
