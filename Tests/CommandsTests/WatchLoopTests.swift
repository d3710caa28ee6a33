// The loop of a watch, with a clock that advances only during sleeps.

import Evidence
import Foundation
import Monitoring
import Probing
import Synchronization
import TestSupport
import Testing

@testable import Commands

extension CommandsTests {
    @Suite struct WatchLoopTests {
        /// Each round gets the script's next answers of the edges and the origin. The last one repeats.
        private final class Script: MonitorClock {
            private struct State {
                var now = Date.testing
                var edges: [[(String, Served)]]
                var origins: [Served]
                var events: [WatchEvent] = []
                var originLooks = 0
                var sleeps: [Duration] = []
            }

            private let state: Mutex<State>

            init(edges: [[(String, Served)]], origins: [Served]) {
                state = Mutex(State(edges: edges, origins: origins))
            }

            func now() -> Date { state.withLock(\.now) }

            func pass(_ duration: Duration) { state.withLock { $0.now += duration / .seconds(1) } }

            func sleep(for duration: Duration) async throws {
                try Task.checkCancellation()
                pass(duration)
                state.withLock { $0.sleeps.append(duration) }
            }

            /// `look` replaces the script's rounds.
            func run(
                limit: Duration = .seconds(3600),
                look: (@Sendable (@escaping @Sendable (EdgeNews) -> Void) async throws -> Void)? = nil
            ) async -> WatchEvent.Kind {
                let loop = WatchLoop(
                    time: self, begin: .testing, every: .seconds(30), limit: limit,
                    origin: { [self] in
                        try state.withLock { state in
                            state.originLooks += 1
                            let served = state.origins.count > 1 ? state.origins.removeFirst() : state.origins.first
                            return try (served ?? .status(404)).atOrigin()
                        }
                    },
                    edges: look ?? { [self] tell in
                        let served = state.withLock { state in
                            state.edges.count > 1 ? state.edges.removeFirst() : state.edges.first ?? []
                        }
                        tell(.asking(served.map(\.0)))
                        for (address, served) in served { tell(served.at(address)) }
                    },
                    tell: { [self] event in state.withLock { $0.events.append(event) } })
                return await loop.run().kind
            }

            var events: [WatchEvent] { state.withLock(\.events).filter { $0.kind != .lookEnded } }
            var originLooks: Int { state.withLock(\.originLooks) }
            var sleeps: [Duration] { state.withLock(\.sleeps) }
        }

        @Test("the watch ends when every edge serves the file, and reports the duration")
        func success() async {
            let script = Script(
                edges: [
                    [("a", .version(1)), ("b", .version(1))], [("a", .version(2)), ("b", .version(1))],
                    [("a", .version(2)), ("b", .version(2))],
                ], origins: [.version(2)])
            #expect(await script.run() == .inSync)
            #expect(script.events.prefix(2).map(\.kind) == [.started, .goalSet])
            #expect(script.events.last?.kind == .inSync)
            #expect(script.events.last?.elapsed == 60)
            #expect(script.originLooks == 2)
        }

        @Test("the watch ends at the time limit, and never sleeps beyond it")
        func timeLimit() async {
            let script = Script(edges: [[("a", .version(1))]], origins: [.version(2)])
            #expect(await script.run(limit: .seconds(100)) == .timeLimit)
            #expect(script.sleeps == [.seconds(30), .seconds(30), .seconds(30), .seconds(10)])
            #expect(script.events.last?.kind == .timeLimit)
            #expect(script.events.last?.elapsed == 100)
        }

        @Test("a deploy just before the end moves the goal, and the watch continues")
        func movedGoal() async {
            let script = Script(
                edges: [[("a", .version(2))], [("a", .version(2))], [("a", .version(3))]],
                origins: [.version(2), .version(3)])
            #expect(await script.run() == .inSync)
            #expect(script.events.map(\.kind).contains(.goalMoved))
            #expect(script.events.last?.watch.goal?.hash == ContentHash(of: Data(SampleFile.version(3).utf8)))
            #expect(script.events.last?.elapsed == 60)
        }

        @Test("there is no success while the origin cannot be read, even if the edges serve the file")
        func brokenOrigin() async {
            let script = Script(edges: [[("a", .version(2))]], origins: [.version(2), .status(500), .version(2)])
            #expect(await script.run() == .inSync)
            #expect(
                script.events.map(\.kind)
                    == [.started, .goalSet, .edgeSeen, .originUnreadable, .originReadable, .inSync])
        }

        @Test("if the origin has no file, no edge is asked")
        func nothing() async {
            let script = Script(edges: [[("a", .version(2))]], origins: [.status(404)])
            #expect(await script.run() == .nothingToWaitFor)
            #expect(script.events.map(\.kind) == [.started, .nothingToWaitFor])
        }

        @Test("a cancelled watch ends with a last event")
        func interrupted() async {
            let script = Script(edges: [[("a", .version(1))]], origins: [.version(2)])
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await script.run()
            }
            #expect(await task.value == .interrupted)
            #expect(script.events.last?.kind == .interrupted)
        }

        @Test("a round cut off by the time limit ends the watch, and what it saw until then is reported")
        func slowCheck() async {
            let script = Script(edges: [], origins: [.version(2)])
            let end = await script.run(limit: .seconds(60)) { tell in
                tell(.asking(["a", "b"]))
                tell(Served.version(2).at("a"))
                script.pass(.seconds(61))
                throw CancellationError()
            }
            #expect(end == .timeLimit)
            #expect(script.events.map(\.kind) == [.started, .goalSet, .edgeSeen, .timeLimit])
            #expect(script.events.last?.watch.count == 2)
            #expect(script.events.last?.detail == "no answer yet: b")
        }

        @Test("an edge is reported before the slowest one answers")
        func asTheyCome() async {
            let script = Script(edges: [], origins: [.version(2)])
            let end = await script.run { tell in
                tell(.asking(["a", "b"]))
                tell(Served.version(2).at("a"))
                // The second edge answers only after the first was reported. A failure hangs until the time limit.
                while !script.events.contains(where: { $0.edge == "a" }) { await Task.yield() }
                tell(Served.version(2).at("b"))
            }
            #expect(end == .inSync)
        }
    }
}
