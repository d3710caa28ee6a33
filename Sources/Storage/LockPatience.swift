// How long an access waits while another process holds the database locked.

import Foundation
import Synchronization

/// One patience for all accesses. They queue up behind each other: were each to wait its own time, the last of many
/// would wait for longer than the daemon has to end.
package final class LockPatience: Sendable {
    /// Shorter than the daemon's patience at its end; a check that could not be stored is made again.
    package static let usual: Duration = .milliseconds(1500)
    private static let pause: Duration = .milliseconds(10)
    /// While an access that gave up is not longer ago than this, the others do not wait at all.
    private static let memory: Duration = .seconds(5)

    private let limit: Duration
    private let gaveUp = Mutex<ContinuousClock.Instant?>(nil)

    init(limit: Duration = LockPatience.usual) { self.limit = limit }

    /// Whether to try again for a lock after `tries` tries; takes its time for the answer. It blocks the thread, which
    /// is one of the database's own.
    func waits(afterTries tries: Int) -> Bool {
        let now = ContinuousClock.now
        let isLost = gaveUp.withLock { last in
            if let last, now - last < Self.memory { return true }
            guard Self.pause * tries >= limit else { return false }
            last = now
            return true
        }
        guard !isLost else { return false }
        Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
        return true
    }

    /// An access went through: the lock is gone, and the next one is worth waiting for again.
    func recover() { gaveUp.withLock { $0 = nil } }
}
