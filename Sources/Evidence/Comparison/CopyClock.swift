// Since when the origin no longer serves what a copy holds.

import Foundation

struct CopyClock {
    let readings: Readings
    let history: CopyHistory
    let staleAfter: Duration
    let now: Date

    struct Period {
        /// The change happened at this instant or before it.
        let changedAt: Date
        /// And after this one.
        let changedAfter: Date?
    }

    /// - Parameter meaning: a content that the origin does not serve now.
    /// - Returns: nil where the origin is not known to have served it before.
    func period(of meaning: ContentHash) -> Period? {
        if let period = history.superseded(meaning), let changedAt = period.supersededAt {
            return Period(changedAt: changedAt, changedAfter: period.lastSeen)
        }
        guard !history.isKept, let changedAt = modifiedLately else { return nil }
        return Period(changedAt: changedAt, changedAfter: nil)
    }

    /// The origin's Last-Modified, where it tells of a change that Apple's CDN may not have picked up yet. An older one does
    /// not prove that the origin ever served Apple's copy; one that equals `Date` is made with each answer.
    private var modifiedLately: Date? {
        guard let answer = readings.observation.origin.answer,
            let modified = answer.header("last-modified").flatMap(HTTPDate.parse), modified <= now,
            now.timeIntervalSince(modified) < staleAfter.inSeconds
        else { return nil }
        let answered = answer.header("date").flatMap(HTTPDate.parse) ?? now
        return abs(answered.timeIntervalSince(modified)) <= Self.generation ? nil : modified
    }

    /// Whole seconds; a clock that went backwards makes nothing younger than now.
    func lag(of period: Period) -> Int { Int(max(0, now.timeIntervalSince(period.changedAt))) }

    /// Seconds between which a date counts as made with the answer.
    private static let generation: TimeInterval = 10
}
