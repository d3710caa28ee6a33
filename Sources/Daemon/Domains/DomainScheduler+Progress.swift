// Whether checks begin and end. The loop that begins them says so itself: what is stuck cannot.

import Evidence
import Foundation
import Monitoring
import Synchronization

extension DomainScheduler {
    /// A check that waits longer for its begin, while none begins or ends, shows that the scheduler is stuck.
    static let patience: TimeInterval = 60
    /// No check takes so long: where only such are under way, and none begins or ends, their work is stuck.
    static let longestCheck: TimeInterval = 900

    /// Reports to the watchdog where that is due.
    /// - Returns: when the next report is; nil without a watchdog.
    func reportProgress(_ reportedAt: inout Date?) -> Date? {
        guard let watchdog else { return nil }
        let (now, every) = (time.now(), watchdog.every.inSeconds * time.pace)
        if let last = reportedAt, now < last + every { return last + every }
        watchdog.report(isProgressing(now))
        reportedAt = now
        return now + every
    }

    /// Whether a check began or ended since the last call, or none had to.
    private func isProgressing(_ now: Date) -> Bool {
        state.withLock { state in
            defer { state.moves.seen = state.moves.count }
            if state.moves.count != state.moves.seen { return true }
            if let first = state.queue.first, now.timeIntervalSince(first.at) > Self.patience * time.pace {
                return false
            }
            guard let oldest = state.underWay.values.min() else { return true }
            return now.timeIntervalSince(oldest) <= Self.longestCheck * time.pace
        }
    }
}
