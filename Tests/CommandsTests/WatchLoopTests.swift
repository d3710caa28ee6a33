// The loop of a watch, with a clock that passes only while somebody sleeps.

import Evidence
import Foundation
import Monitoring
import Synchronization
import TestSupport
import Testing

@testable import Commands

extension CommandsTests {
    @Suite struct WatchLoopTests {
        /// A world in which each look at edges or origin gets the next answer, the last one for ever.
        private final class Script: MonitorClock {
            private struct State {
                var now = Date.testing
                var edges: [[EdgeAnswer]]
                var origins: [OriginAnswer]
                var events: [WatchEvent] = []
                var originResults = 0
                var sleeps: [Duration] = []
                var limits: [Duration] = []
            }

            private let state: Mutex<State>

            init(edges: [[EdgeAnswer]], origins: [OriginAnswer]) {
                state = Mutex(State(edges: edges, origins: origins))
            }

            func now() -> Date { state.withLock(\.now) }

            func sleep(for duration: Duration) async throws {
                try Task.checkCancellation()
                state.withLock {
                    $0.now += duration / .seconds(1)
                    $0.sleeps.append(duration)
                }
            }

            func run(every: Duration = .seconds(30), limit: Duration = .seconds(3600), goal: WatchGoal) async
                -> WatchEvent.Kind
            {
                let loop = WatchLoop(
                    time: self, every: every, limit: limit,
                    origin: { [self] _ in
                        state.withLock { state in
                            state.originResults += 1
                            return state.origins.count > 1 ? state.origins.removeFirst() : state.origins.first
                        }
                    },
                    edges: { [self] left, tell in
                        let fetches = state.withLock { state in
                            state.limits.append(left)
                            return state.edges.count > 1 ? state.edges.removeFirst() : state.edges.first ?? []
                        }
                        tell(.asking(fetches.map(\.address)))
                        for fetched in fetches { tell(.seen(fetched)) }
                        return !fetches.isEmpty
                    },
                    tell: { [self] events, _ in state.withLock { $0.events += events } })
                return await loop.run(goal: goal, begin: .testing).kind
            }

            var events: [WatchEvent] { state.withLock(\.events) }
            var originResults: Int { state.withLock(\.originResults) }
            var sleeps: [Duration] { state.withLock(\.sleeps) }
            var limits: [Duration] { state.withLock(\.limits) }
        }

        private static func goal(_ version: Int) -> WatchGoal {
            let reading = ContentReading(Data(SampleFile.version(version).utf8))
            return WatchGoal(meaning: reading.meaning ?? reading.hash, content: reading.hash, bytes: reading.byteCount)
        }

        private static func edge(_ address: String, _ version: Int) -> EdgeAnswer {
            EdgeAnswer(address: address, content: .file(goal(version).meaning))
        }

        @Test("it ends when every edge serves the file, with the time that it took")
        func success() async {
            let script = Script(
                edges: [
                    [Self.edge("a", 1), Self.edge("b", 1)], [Self.edge("a", 2), Self.edge("b", 1)],
                    [Self.edge("a", 2), Self.edge("b", 2)],
                ], origins: [.file(Self.goal(2))])
            #expect(await script.run(goal: Self.goal(2)) == .inSync)
            #expect(script.events.last?.kind == .inSync)
            #expect(script.events.last?.elapsed == 60)
            #expect(script.originResults == 1)
        }

        @Test("it ends at the time limit, and sleeps no longer than that")
        func timeLimit() async {
            let script = Script(edges: [[Self.edge("a", 1)]], origins: [.file(Self.goal(2))])
            #expect(await script.run(limit: .seconds(100), goal: Self.goal(2)) == .timeLimit)
            #expect(script.sleeps == [.seconds(30), .seconds(30), .seconds(30), .seconds(10)])
            #expect(script.events.last?.kind == .timeLimit)
            #expect(script.events.last?.elapsed == 100)
            // No request is given more time than the watch has left.
            #expect(script.limits == [.seconds(100), .seconds(70), .seconds(40), .seconds(10)])
        }

        @Test("a deploy that comes just before the end moves the goal, and the wait goes on")
        func movedGoal() async {
            let script = Script(
                edges: [[Self.edge("a", 2)], [Self.edge("a", 2)], [Self.edge("a", 3)]],
                origins: [.file(Self.goal(3))])
            #expect(await script.run(goal: Self.goal(2)) == .inSync)
            #expect(script.events.map(\.kind).contains(.goalMoved))
            #expect(script.events.last?.goal == Self.goal(3))
            #expect(script.events.last?.elapsed == 60)
        }

        @Test("edges that serve the file are no success while the origin cannot be read")
        func brokenOrigin() async {
            let script = Script(
                edges: [[Self.edge("a", 2)]], origins: [.broken("status 500"), .file(Self.goal(2))])
            #expect(await script.run(goal: Self.goal(2)) == .inSync)
            #expect(
                script.events.map(\.kind) == [.goalSet, .edgeSeen, .originUnreadable, .originReadable, .inSync])
        }

        @Test("a cancelled watch ends with a last word")
        func interrupted() async {
            let script = Script(edges: [[Self.edge("a", 1)]], origins: [.file(Self.goal(2))])
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await script.run(goal: Self.goal(2))
            }
            #expect(await task.value == .interrupted)
            #expect(script.events.last?.kind == .interrupted)
        }

        @Test("a look that takes too long ends the watch, with what it saw until then told")
        func slowCheck() async {
            let events = Mutex<[WatchEvent]>([])
            let loop = WatchLoop(
                time: Script(edges: [], origins: []), every: .seconds(30), limit: .seconds(60),
                origin: { _ in nil },
                edges: { _, tell in
                    tell(.asking(["a", "b"]))
                    tell(.seen(Self.edge("a", 2)))
                    return false
                },
                tell: { new, _ in events.withLock { $0 += new } })
            #expect(await loop.run(goal: Self.goal(2), begin: .testing).kind == .timeLimit)
            #expect(events.withLock { $0.map(\.kind) } == [.goalSet, .edgeSeen, .timeLimit])
            #expect(events.withLock { $0.last?.edges } == 2)
        }

        @Test("an edge is told before the slowest one has answered")
        func asTheyCome() async {
            let (told, feed) = AsyncStream.makeStream(of: String.self)
            let loop = WatchLoop(
                time: Script(edges: [], origins: []), every: .seconds(30), limit: .seconds(60),
                origin: { _ in .file(Self.goal(2)) },
                edges: { _, tell in
                    tell(.asking(["a", "b"]))
                    tell(.seen(Self.edge("a", 2)))
                    // The second answers only once the first has been told: else this waits until the suite's time is over.
                    for await edge in told where edge == "a" { break }
                    tell(.seen(Self.edge("b", 2)))
                    return true
                },
                tell: { events, _ in for edge in events.compactMap(\.edge) { feed.yield(edge) } })
            #expect(await loop.run(goal: Self.goal(2), begin: .testing).kind == .inSync)
        }
    }
}
