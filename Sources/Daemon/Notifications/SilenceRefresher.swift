// Silences lie in the store. What the page and the API change there holds at once; what commands beside the daemon change, within
// seconds.

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
    private let time: any MonitorClock
    private let logger: Logger
    private let state: Mutex<State>
    private let trouble = LogDeduplicator()

    private struct State {
        var silences: Silences
        /// Looks that have begun, and the latest of those whose answer was taken.
        var begun = 0
        var taken = 0
    }

    /// In real time, whatever the daemon's clock does: the people who type commands live in it too.
    private static let interval: Duration = .seconds(1)

    package init(
        store: Store, delivery: Delivery, windows: [MaintenanceWindow], time: any MonitorClock, logger: Logger
    ) {
        self.store = store
        self.delivery = delivery
        self.time = time
        self.logger = logger
        state = Mutex(State(silences: Silences(silences: [], windows: windows)))
    }

    /// As of the last look.
    var current: Silences { state.withLock(\.silences) }

    /// Takes other maintenance windows, as after a reload.
    package func replace(windows: [MaintenanceWindow]) {
        state.withLock { state in
            state.silences.windows = windows
            // Under the lock: what is given to the delivery last is what holds.
            delivery.set(silences: state.silences)
        }
    }

    /// One look. It must have gone well once before the first check: what was silent before a restart is silent after it.
    package func refresh() async throws {
        try await look()
    }

    /// Somebody has written through this process: what they changed holds before they get their answer.
    package func followWrite() async {
        // The next look, within seconds, logs why one fails.
        try? await look()
        delivery.reconsider()
    }

    private func look() async throws {
        let number = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        let found = try await store.silences(notOverAt: time.systemTime())
        state.withLock { state in
            // Several look at a time: one that began later may have ended sooner, and knows more.
            guard number > state.taken else { return }
            state.taken = number
            state.silences.silences = found
            delivery.set(silences: state.silences)
        }
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
