import Foundation
import MonitorConfiguration
import Monitoring
import Storage
import Testing

@testable import Alerting
@testable import Daemon

extension DaemonSuite {
    @Suite struct SilenceRefresherTests {
        private let scratch: ScratchStore
        private let delivery: Delivery
        private let refresher: SilenceRefresher

        init() throws {
            scratch = try ScratchStore()
            let time = MovedTime()
            delivery = DaemonTests.delivery(scratch.store, time)
            refresher = SilenceRefresher(store: scratch.store, delivery: delivery, windows: [], time: time)
        }

        private func silence(_ number: Int) async throws {
            _ = try await scratch.store.add(
                Silence(
                    scope: SilenceScope(domains: [try DomainPattern("a.test")]), startsAt: noon, endsAt: noon + 3600,
                    author: "eva", reason: "\(number)"))
        }

        private func window(_ number: Int) throws -> MaintenanceWindow {
            MaintenanceWindow(
                name: "w\(number)", scope: SilenceScope(domains: [.all]), days: [.mon],
                start: try #require(TimeOfDay("02:00")), extent: .lasting(.seconds(3600)), zone: .gmt,
                reason: "patches")
        }

        @Test("a silence written by this process is active before the answer is sent")
        func write() async throws {
            try await refresher.refresh()
            #expect(delivery.inputs.silences.silences.isEmpty)
            try await silence(1)
            await refresher.followWrite()
            #expect(delivery.inputs.silences.silences.map(\.reason) == ["1"])
        }

        @Test("concurrent refreshes and reloads keep the last written and loaded values")
        func together() async throws {
            for round in 1...300 {
                let window = try window(round)
                try await withThrowingTaskGroup { group in
                    group.addTask { try await refresher.refresh() }
                    group.addTask { refresher.replace(windows: [window]) }
                    group.addTask {
                        try await silence(round)
                        await refresher.followWrite()
                    }
                    group.addTask { try await refresher.refresh() }
                    try await group.waitForAll()
                }
                let silences = delivery.inputs.silences
                #expect(silences.windows.map(\.name) == ["w\(round)"])
                #expect(silences.silences.count == round)
                guard silences.windows.map(\.name) == ["w\(round)"], silences.silences.count == round else { return }
            }
        }
    }
}
