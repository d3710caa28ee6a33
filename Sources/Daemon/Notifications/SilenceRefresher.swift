// Silences lie in the store, and commands beside the daemon write there: what they change holds within seconds.

import Alerting
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization

/// Reads the silences and gives them to the delivery, and wakes it when another process has written to the store.
package final class SilenceRefresher: Sendable {
    private let store: Store
    private let delivery: Delivery
    private let time: any Timekeeper
    private let logger: Logger
    private let silences: Mutex<Silences>
    private let people: OperatorLog
    private let trouble = LogDeduplicator()

    /// In real time, whatever the daemon's clock does: the people who type commands live in it too.
    private static let interval: Duration = .seconds(1)

    package init(
        store: Store, delivery: Delivery, windows: [MaintenanceWindow], time: any Timekeeper, logger: Logger
    ) {
        self.store = store
        self.delivery = delivery
        self.time = time
        self.logger = logger
        people = OperatorLog(store: store, time: time, logger: logger)
        silences = Mutex(Silences(silences: [], windows: windows))
    }

    /// As of the last look.
    var current: Silences { silences.withLock(\.self) }

    /// Takes other maintenance windows, as after a reload.
    package func replace(windows: [MaintenanceWindow]) {
        delivery.set(
            silences: silences.withLock { silences in
                silences.windows = windows
                return silences
            })
    }

    /// One look. It must have gone well once before the first check: what was silent before a restart is silent after it.
    package func refresh() async throws {
        let found = try await store.silences(notOverAt: time.wall())
        delivery.set(
            silences: silences.withLock { silences in
                silences.silences = found
                return silences
            })
        people.note(found)
        try await people.followAcknowledgements()
    }

    /// Looks at every second turn, and whenever another process has written, until the task is cancelled.
    func run() async {
        var seen: Int?
        var isSecond = true
        while !Task.isCancelled {
            do {
                let writes = try await store.outsideWrites()
                let isOutside = seen != nil && seen != writes
                seen = writes
                isSecond.toggle()
                if isOutside || isSecond { try await refresh() }
                if isOutside {
                    delivery.wake()
                    delivery.reconsider()
                }
                trouble.isOver()
            } catch is CancellationError {
                return
            } catch {
                if trouble.isNews("away") {
                    logger.error("silences not refreshed: store read failed", metadata: ["error": "\(error)"])
                }
            }
            try? await Task.sleep(for: Self.interval)
        }
    }
}
