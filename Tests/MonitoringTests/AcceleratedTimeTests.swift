import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Monitoring

extension MonitoringSuite {
    @Suite("Demonstration time") struct AcceleratedTimeTests {
        /// Work that is due at several instants, and takes some real time.
        private final class Work: Sendable {
            private let state: Mutex<(due: [Date], ended: [Date], isUnderWay: Bool)>

            init(due: [Date]) { state = Mutex((due, [], false)) }

            var due: Date {
                state.withLock { $0.isUnderWay ? .distantPast : $0.due.first ?? .distantFuture }
            }
            var ended: [Date] { state.withLock(\.ended) }

            /// Wakes late, as on a busy machine, and takes long.
            func run(on time: AcceleratedTime) async throws {
                while let next = state.withLock({ $0.due.first }) {
                    try await time.sleep(until: next)
                    for _ in 0..<50 { await Task.yield() }
                    state.withLock { state in
                        state.isUnderWay = true
                        state.due.removeFirst()
                    }
                    for _ in 0..<50 { await Task.yield() }
                    state.withLock { state in
                        state.ended.append(time.now())
                        state.isUnderWay = false
                    }
                }
            }
        }

        private final class Notes: Sendable {
            private let instants = Mutex<[TimeInterval]>([])

            var all: [TimeInterval] { instants.withLock(\.self) }

            func add(_ seconds: TimeInterval) { instants.withLock { $0.append(seconds) } }
        }

        @Test("work that is due ends at its due instant, however long it takes")
        func standsStill() async throws {
            let instants = [60, 61, 4000, 86_400, 86_400.5].map { Date.testing + $0 }
            let work = Work(due: instants)
            let besides = Work(due: [Date.testing + 70, .testing + 5000])
            // One real second is three years.
            let time = AcceleratedTime(factor: 100_000_000, anchor: .testing) { besides.due }
            let passing = Task { await time.pass { work.due } }
            async let other: Void = besides.run(on: time)
            try await work.run(on: time)
            try await other
            passing.cancel()
            await passing.value
            #expect(work.ended == instants)
            #expect(besides.ended == [Date.testing + 70, .testing + 5000])
        }

        @Test("sleeping tasks wake at their instants, in order")
        func wakes() async throws {
            let time = AcceleratedTime(factor: 100_000_000, anchor: .testing)
            let woken = Notes()
            try await withThrowingTaskGroup { group in
                for seconds in [300.0, 100, 200] {
                    group.addTask {
                        try await time.sleep(until: .testing + seconds)
                        woken.add(seconds)
                    }
                }
                // Each one runs before time goes on.
                let passing = Task {
                    await time.pass { .testing + Double(woken.all.count + 1) * 100 }
                }
                try await group.waitForAll()
                passing.cancel()
            }
            #expect(woken.all == [100, 200, 300])
        }

        @Test("time is never faster than its factor, and a wait ends with its task")
        func factor() async throws {
            let time = AcceleratedTime(factor: 1000, anchor: .testing)
            let begin = ContinuousClock.now
            let passing = Task { await time.pass { .distantFuture } }
            try await time.sleep(for: .seconds(300))
            #expect(ContinuousClock.now - begin >= .milliseconds(300))
            passing.cancel()
            let task = Task { try await time.sleep(for: .seconds(1000)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }

        @Test("work that never ends stops time forever")
        func stuck() async throws {
            let results = Notes()
            let time = AcceleratedTime(factor: 100_000_000, anchor: .testing)
            let passing = Task {
                await time.pass {
                    results.add(0)
                    return .distantPast
                }
            }
            while results.all.count < 20 { await Task.yield() }
            #expect(time.now() == .testing)
            passing.cancel()
            await passing.value
        }
    }
}
