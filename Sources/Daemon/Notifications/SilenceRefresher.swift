// The silences are in the store. Changes through the page and the API apply immediately; changes by commands in another
// process apply within seconds.

import Alerting
import Foundation
import Monitoring
import Storage
import Synchronization

/// Reads the silences and passes them to the delivery.
package final class SilenceRefresher: Sendable {
    private let store: Store
    private let delivery: Delivery
    private let time: any MonitorClock
    private let state: Mutex<State>

    private struct State {
        var silences: Silences
        /// The number of started reads, and the number of the latest one whose result was used.
        var begun = 0
        var taken = 0
    }

    package init(store: Store, delivery: Delivery, windows: [MaintenanceWindow], time: any MonitorClock) {
        self.store = store
        self.delivery = delivery
        self.time = time
        state = Mutex(State(silences: Silences(silences: [], windows: windows)))
    }

    /// According to the last read.
    var current: Silences { state.withLock(\.silences) }

    /// Applies new maintenance windows after a reload.
    package func replace(windows: [MaintenanceWindow]) {
        state.withLock { state in
            state.silences.windows = windows
            // Under the lock: the delivery must get the updates in order.
            delivery.set(silences: state.silences)
        }
    }

    /// Called after a write by this process: the change applies before the response is sent.
    package func followWrite() async {
        // If it fails, the next refresh logs the reason within seconds.
        try? await refresh()
        delivery.reconsider()
    }

    /// Reads the silences. It must succeed once before the first check: silences survive a restart.
    package func refresh() async throws {
        let number = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        let found = try await store.silences(notOverAt: time.systemTime())
        state.withLock { state in
            // Reads can overlap: a read that started later may have finished first, and is newer.
            guard number > state.taken else { return }
            state.taken = number
            state.silences.silences = found
            delivery.set(silences: state.silences)
        }
    }
}
