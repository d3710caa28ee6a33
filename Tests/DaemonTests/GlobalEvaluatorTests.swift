import Alerting
import Evidence
import Foundation
import Monitoring
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("Global evaluator")
    struct GlobalEvaluatorTests {
        @Test("a pass stores its result and logs it once")
        func pass() async throws {
            let scratch = try ScratchStore()
            let time = MovedTime()
            let book = LogBook()
            let evaluator = GlobalEvaluator(
                GlobalEvaluator.Configuration(
                    domains: [WatchedDomain(domain: try Domain("a.test"))], channels: [], canaries: nil),
                store: scratch.store, delivery: delivery(scratch.store, time),
                refusal: { RefusedConfiguration(since: noon, words: "line 3") }, time: time, logger: book.logger)
            try await evaluator.prepare()
            for _ in 0..<20 {
                await evaluator.evaluate()
                time.pass(10)
            }
            let open = try await scratch.store.incidents(.openGlobal)
            #expect(open.map(\.incident.cause) == [.configuration])
            #expect(book.lines == ["incident fired"])
        }

        /// Every sleep ends immediately; one of them took hours.
        private final class SuspendedTime: MonitorClock {
            static let resumed = noon + 8 * 3600
            private let instant = Mutex(noon)

            func now() -> Date { instant.withLock(\.self) }

            func sleep(for duration: Duration) async throws {
                try Task.checkCancellation()
                instant.withLock { instant in
                    instant += duration.inSeconds
                    if instant > noon + 60, instant < Self.resumed { instant = Self.resumed }
                }
                await Task.yield()
            }
        }

        @Test("checks are not late because of a suspended machine, but are if they stay late afterwards")
        func suspended() async throws {
            let scratch = try ScratchStore()
            let (time, book) = (SuspendedTime(), LogBook())
            let domains = try (0..<6).map { try Domain("d\($0).test") }
            let evaluator = GlobalEvaluator(
                GlobalEvaluator.Configuration(
                    domains: domains.map { WatchedDomain(domain: $0) }, channels: [], canaries: nil),
                store: scratch.store, delivery: delivery(scratch.store, time), refusal: { nil }, time: time,
                logger: book.logger)
            try await evaluator.prepare()
            for domain in domains {
                var state = DomainState(domain: domain)
                state.lastCheckedAt = noon
                await evaluator.note(state)
            }
            let task = Task { await evaluator.run() }
            try await until { book.lines.contains("incident fired") }
            task.cancel()
            await task.value
            let late = try await scratch.store.incidents(.openGlobal).map(\.incident)
            #expect(late.map(\.cause) == [.schedule])
            #expect(late.allSatisfy { $0.openedAt > SuspendedTime.resumed + 600 })
            #expect(
                book.lines.first == "monitor was paused: the machine was suspended, or the process was stopped")
        }

        @Test("a pass takes at most a tenth of the time, and short intervals make passes more frequent")
        func pause() async throws {
            let scratch = try ScratchStore()
            let time = MovedTime()
            func pause(_ interval: Duration) async throws -> Duration {
                return await GlobalEvaluator(
                    GlobalEvaluator.Configuration(
                        domains: [
                            WatchedDomain(domain: try Domain("a.test"), checks: CheckSettings(interval: interval))
                        ], channels: [], canaries: nil),
                    store: scratch.store, delivery: delivery(scratch.store, time), refusal: { nil }, time: time,
                    logger: silent
                ).pause
            }
            #expect(try await pause(.seconds(300)) == .seconds(2))
            #expect(try await pause(.seconds(1)) == .milliseconds(250))
            #expect(try await pause(.milliseconds(100)) == .milliseconds(50))
        }
    }
}
