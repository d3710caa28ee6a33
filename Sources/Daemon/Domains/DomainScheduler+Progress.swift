// Whether checks end. The loop that begins them reports it: a loop that is stuck reports nothing.

import Evidence
import Foundation
import Monitoring
import Synchronization

extension DomainScheduler {
    /// No check takes so long, whatever the time limit and the number of pages: its work is stuck.
    static let longestCheck: TimeInterval = 3600

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

    /// Whether every check under way may still end.
    private func isProgressing(_ now: Date) -> Bool {
        guard let oldest = state.withLock({ $0.underWay.values.min() }) else { return true }
        return now.timeIntervalSince(oldest) <= Self.longestCheck * time.pace
    }
}
