// An edge that hangs: it is asked by itself, and the others do not wait for it.

import Evidence
import Foundation
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Commands

extension CommandsTests {
    @Suite struct SlowEdgeTests {
        private static let goal = goal(2)

        private static func goal(_ version: Int) -> WatchGoal {
            let reading = ContentReading(Data(SampleFile.version(version).utf8))
            return WatchGoal(meaning: reading.meaning ?? reading.hash, content: reading.hash, bytes: reading.byteCount)
        }

        private static func edge(_ address: String, _ version: Int) -> EdgeAnswer {
            EdgeAnswer(address: address, content: .file(goal(version).meaning))
        }

        private static let silent = EdgeAnswer(address: "b", content: .silent("timed out"), isAnswer: false)

        /// A clock that passes only while the loop sleeps.
        private final class Clock: MonitorClock {
            private let instant = Mutex(Date.testing)
            func now() -> Date { instant.withLock(\.self) }
            func sleep(for duration: Duration) async throws {
                try Task.checkCancellation()
                instant.withLock { $0 += duration / .seconds(1) }
                await Task.yield()
            }
        }

        private final class Record: Sendable {
            let events = Mutex<[WatchEvent]>([])
            let results = Mutex<[Set<String>]>([])
            var kinds: [String] {
                events.withLock { $0.map { $0.kind.rawValue + ($0.edge.map { " \($0)" } ?? "") } }
            }
        }

        /// Edge `a` answers at once, `b` hangs in the common look; `beside` is what asking it by itself gives.
        private func run(
            _ record: Record, limit: Duration = .seconds(300),
            beside: @escaping @Sendable () async throws -> EdgeAnswer?
        ) async -> WatchEvent.Kind {
            let loop = WatchLoop(
                time: Clock(), every: .seconds(30), limit: limit,
                origin: { _ in .file(Self.goal) },
                edges: { _, slow, tell in
                    record.results.withLock { $0.append(slow) }
                    tell(.asking(["a", "b"]))
                    tell(.seen(Self.edge("a", 2)))
                    if !slow.contains("b") { tell(.slow("b")) }
                    return true
                },
                edge: { _, _ in try await beside() },
                tell: { new, _ in record.events.withLock { $0 += new } })
            return await loop.run(goal: Self.goal, begin: .testing).kind
        }

        @Test("the looks at the others go on while it hangs, and the end names it")
        func hangs() async {
            let record = Record()
            let end = await run(record) {
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
            #expect(end == .timeLimit)
            #expect(record.kinds == ["goal_set", "edge_seen a", "time_limit"])
            #expect(record.results.withLock(\.self) == [[]] + Array(repeating: ["b"], count: 9))
            let last = record.events.withLock(\.last)
            #expect(last?.edges == 2 && last?.inSync == 1 && last?.detail == "no answer yet: b")
        }

        @Test("what it answers in its own time counts, and ends the watch")
        func answers() async {
            let record = Record()
            #expect(await run(record, limit: .seconds(86_400)) { Self.edge("b", 2) } == .inSync)
            #expect(record.kinds == ["goal_set", "edge_seen a", "edge_seen b", "in_sync"])
        }

        @Test("one that never answers in three looks of its own is not waited for")
        func silence() async {
            let record = Record()
            #expect(await run(record, limit: .seconds(86_400)) { Self.silent } == .inSync)
            #expect(record.kinds == ["goal_set", "edge_seen a", "edge_seen b", "in_sync"])
            #expect(record.events.withLock(\.last)?.detail == "could not be asked: b (timed out)")
        }

        @Test("one that is still listed is not taken for gone, and one that is not is")
        func listed() {
            var watch = PropagationWatch(goal: Self.goal, begin: .testing)
            watch.onResult(at: ["a", "b"])
            _ = watch.on(Self.edge("a", 2), at: .testing) + watch.on(Self.edge("b", 1), at: .testing)
            #expect(watch.onRoundEnd(at: .testing).isEmpty)
            watch.onResult(at: ["a", "b"])
            watch.onSlow("b")
            _ = watch.on(Self.edge("a", 2), at: .testing)
            #expect(watch.onRoundEnd(at: .testing).isEmpty && watch.count == 2 && watch.unheard.isEmpty)
            watch.onResult(at: ["a"])
            _ = watch.on(Self.edge("a", 2), at: .testing)
            #expect(watch.onRoundEnd(at: .testing).map(\.kind) == [.edgeRemoved])
            #expect(watch.count == 1 && watch.slow.isEmpty)
        }

        @Test("the sentence at the end names who has not answered")
        func sentence() throws {
            var watch = PropagationWatch(goal: Self.goal, begin: .testing)
            watch.onResult(at: ["192.0.2.1", "192.0.2.2"])
            _ = watch.on(Self.edge("192.0.2.1", 1), at: .testing)
            let wording = WatchWording(domain: try Domain("site.test"), usual: nil)
            #expect(
                wording.sentence(for: watch.end(.timeLimit, at: .testing + 60), watch)
                    == "site.test: not in sync in time; 0 of 2 edges in sync; 192.0.2.2 has not answered yet; "
                    + "192.0.2.1 serves another file")
        }
    }
}
