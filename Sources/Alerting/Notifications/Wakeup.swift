// Wakes waiting loops, and remembers a signal that came before a loop waits.

import Synchronization

/// A counter. A loop that reads the revision, looks for work, and then waits past that revision misses no signal.
package final class Wakeup: Sendable {
    private struct State {
        var revision: UInt64 = 0
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package var revision: UInt64 { state.withLock(\.revision) }

    package func signal() {
        let waiters = state.withLock { state in
            state.revision += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Returns when the revision exceeds this one, or when the task is cancelled.
    package func wait(past revision: UInt64) async {
        let (stream, waiter) = AsyncStream<Void>.makeStream()
        let id: UInt64? = state.withLock { state in
            guard state.revision <= revision else { return nil }
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = waiter
            return state.nextWaiter
        }
        guard let id else { return }
        // Ends when the stream finishes or the task is cancelled.
        for await _ in stream {}
        state.withLock { $0.waiters[id] = nil }
    }
}
