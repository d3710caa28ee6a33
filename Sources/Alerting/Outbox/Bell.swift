// Wakes those who wait, and remembers a ring that nobody heard.

import Synchronization

/// A counter of rings. Who read the count before looking for work and waits past it afterwards misses nothing.
package final class Bell: Sendable {
    private struct State {
        var rings: UInt64 = 0
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Waiters whose task was cancelled before they had begun to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())

    package var rings: UInt64 { state.withLock(\.rings) }

    package func ring() {
        let waiters = state.withLock { state in
            state.rings += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    package init() {}

    /// Returns once the bell has rung more often than `count`, or the task is cancelled.
    package func wait(past count: UInt64) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state in
                    if state.cancelled.remove(id) != nil || state.rings > count { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if ready { continuation.resume() }
            }
            // A cancellation that came after a ring has left its mark; nobody else would remove it.
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
