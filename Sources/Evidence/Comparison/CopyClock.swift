// Since when the origin no longer serves what a copy holds.

import Foundation

struct CopyClock {
    let readings: Readings
    let history: CopyHistory
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
        guard !history.isKept, let modified = readings.observation.origin.answer?.header("last-modified"),
            let changedAt = HTTPDate.parse(modified), changedAt <= now, changedAt > Self.firstFiles
        else { return nil }
        return Period(changedAt: changedAt, changedAfter: nil)
    }

    /// Whole seconds; a clock that went backwards makes nothing younger than now.
    func lag(of period: Period) -> Int { Int(max(0, now.timeIntervalSince(period.changedAt))) }

    /// The first files of this kind appeared with iOS 8, in 2014. An older Last-Modified is a build's placeholder, such as
    /// the epoch.
    private static let firstFiles = Date(timeIntervalSince1970: 1_388_534_400)
}
