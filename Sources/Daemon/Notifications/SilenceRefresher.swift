// Silences lie in the store. What the page and the API change there holds at once; what commands beside the daemon change, within
// seconds.

import Alerting
import Foundation
import Monitoring
import Storage
import Synchronization

/// Reads the silences and gives them to the delivery.
package final class SilenceRefresher: Sendable {
    private let store: Store
    private let delivery: Delivery
    private let time: any MonitorClock
    private let state: Mutex<State>

    private struct State {
        var silences: Silences
        /// Looks that have begun, and the latest of those whose answer was taken.
        var begun = 0
        var taken = 0
    }

    package init(store: Store, delivery: Delivery, windows: [MaintenanceWindow], time: any MonitorClock) {
        self.store = store
        self.delivery = delivery
        self.time = time
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

    /// Somebody has written through this process: what they changed holds before they get their answer.
    package func followWrite() async {
        // The next look, within seconds, logs why one fails.
        try? await refresh()
        delivery.reconsider()
    }

    /// One look. It must have gone well once before the first check: what was silent before a restart is silent after it.
    package func refresh() async throws {
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
}
