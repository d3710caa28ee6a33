import Alerting
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Storage
import Synchronization
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("Domain scheduler", .timeLimit(.minutes(5)))
    struct DomainSchedulerTests {
        /// Its checks end by cancellation only.
        private final class Hanging: DomainProbing {
            let begun = Mutex(0)

            func observe(
                _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String],
                timeout: Duration?, compared: (origin: ContentHash, copy: ContentHash)?, now: Date
            ) async throws -> Observation {
                begun.withLock { $0 += 1 }
                try await Task.sleep(for: .seconds(3600))
                throw CancellationError()
            }
        }

        private func watchers(_ count: Int, _ probe: Hanging, _ scratch: ScratchStore) throws -> [DomainWatcher] {
            let time = MovedTime()
            let delivery = Delivery(
                store: scratch.store, routing: Routing(channels: [], domains: [:], cdnBaseURL: "https://cdn.test"),
                transport: Receivers(), time: time, settings: Delivery.Settings(userAgent: "x"), logger: silent)
            let file = ConfigurationFile(
                domains: try (0..<count).map { WatchedDomain(domain: try Domain("d\($0).test")) })
            return file.domainConfigurations.map {
                DomainWatcher(
                    configuration: $0, policy: Policy(), probe: probe, store: scratch.store, fleet: nil,
                    delivery: delivery, time: time, logger: silent)
            }
        }

        @Test("thousands of checks under way end at once when the daemon ends")
        func cancelled() async throws {
            let scratch = try ScratchStore()
            let probe = Hanging()
            let scheduler = DomainScheduler(try watchers(2000, probe, scratch))
            let task = Task { try await scheduler.run() }
            try await eventually { probe.begun.withLock(\.self) == 2000 }
            let took = try await ContinuousClock().measure {
                task.cancel()
                try await task.value
            }
            #expect(took < .seconds(2))
        }

        @Test("single watchers end and begin while the others go on")
        func reload() async throws {
            let scratch = try ScratchStore()
            let probe = Hanging()
            let scheduler = DomainScheduler(try watchers(3, probe, scratch))
            let task = Task { try await scheduler.run() }
            try await eventually { probe.begun.withLock(\.self) == 3 }
            let gone = try Domain("d1.test")
            await scheduler.stop([gone])
            #expect(scheduler.configurations.keys.sorted() == [try Domain("d0.test"), try Domain("d2.test")])
            scheduler.start(try watchers(3, probe, scratch).filter { $0.configuration.domain == gone })
            try await eventually { probe.begun.withLock(\.self) == 4 }
            task.cancel()
            try await task.value
        }
    }
}
