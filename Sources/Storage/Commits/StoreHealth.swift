// Whether the store takes writes. Trouble of our own disk is reported as such; it is never a fault of a watched site.

import Foundation
import Synchronization

/// How the store works, for metrics and for an alert about the monitor itself.
package struct StoreHealth: Equatable, Sendable {
    /// When the present trouble began: the first write that failed since the last one that worked. nil: writes work.
    package var failingSince: Date?
    /// What the latest failure was; stays after the trouble has ended.
    package var lastError: StoreError?

    package init() {}

    package var isFailing: Bool { failingSince != nil }
}

/// Keeps the health of one store.
final class HealthRecord: Sendable {
    private let health = Mutex(StoreHealth())
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    var current: StoreHealth { health.withLock(\.self) }

    func worked() { health.withLock { $0.failingSince = nil } }

    func failed(_ error: StoreError) {
        // A refused row is a fault of that write: the disk is fine.
        guard error.code != .other else { return }
        let instant = now()
        health.withLock { health in
            if health.failingSince == nil { health.failingSince = instant }
            health.lastError = error
        }
    }
}
