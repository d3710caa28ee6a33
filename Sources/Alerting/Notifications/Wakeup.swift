// Wakes those who wait, and remembers a wakeup that came before they waited.

import Synchronization

/// A counter. A loop that reads the revision, looks for work, and then waits past that revision misses nothing.
package final class Wakeup: Sendable {
    private struct State {
        var revision: UInt64 = 0
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Waiters whose task was cancelled before they had begun to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())

    package var revision: UInt64 { state.withLock(\.revision) }

    package func signal() {
        let waiters = state.withLock { state in
            state.revision += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    package init() {}

    /// Returns once the revision is above this one, or the task is cancelled.
    package func wait(past revision: UInt64) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state in
                    if state.cancelled.remove(id) != nil || state.revision > revision { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if ready { continuation.resume() }
            }
            // A cancellation that came after the wakeup has left its mark; nobody else would remove it.
            _ = state.withLock { $0.cancelled.remove(id) }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.resume()
        }
    }
}
