// How many domains turned to the same trouble together. Those that were not looked at since it began are neither well nor
// ill: with hundreds of domains spread over an interval, waiting for all of them would let the first children be told.

import Evidence
import Foundation

struct FleetTally {
    /// Domains whose trouble turned up within the window.
    var affected: [Domain] = []
    /// When the first of them turned.
    var onset: Date
    /// How many were looked at since.
    var seen = 0
    var total = 0
    /// Whether the first of the children would be told by now.
    var isTelling = false

    struct Turn {
        /// When the domain turned to the trouble: at the end of its time, where it has some to end by itself.
        let at: Date
        /// When it was first seen. Who was looked at since then and is well has not turned.
        let seenAt: Date
        /// Whether it would be told of by now.
        let isTelling: Bool
    }

    /// `turn`: nil where a domain did not turn to the trouble.
    init(
        _ domains: [DomainGlimpse], since anchor: Date?, now: Date,
        turn: (DomainGlimpse) -> Turn?
    ) {
        onset = now
        let checked = domains.filter { $0.checkedAt != nil }
        total = checked.count
        let usual = Self.median(checked.map(\.interval))
        var firstSeen = now
        for glimpse in checked {
            guard let turn = turn(glimpse) else { continue }
            let window = 2 * max(glimpse.interval, usual).inSeconds
            let isRecent = anchor.map { turn.at >= $0 } ?? (now.timeIntervalSince(turn.at) <= window)
            // What was wrong at first sight has not changed.
            guard isRecent, turn.at.timeIntervalSince(now) <= window,
                turn.at > glimpse.firstCheckedAt ?? .distantPast
            else { continue }
            affected.append(glimpse.domain)
            onset = min(onset, turn.at)
            firstSeen = min(firstSeen, turn.seenAt)
            isTelling = isTelling || turn.isTelling
        }
        seen = checked.count { ($0.checkedAt ?? .distantPast) >= min(onset, firstSeen) }
    }

    /// Enough to keep messages back for. Of a few dozen domains five are not looked at before the first is confirmed, so
    /// that three are enough where hardly one that was looked at is well.
    func isSuspect(_ policy: FleetPolicy) -> Bool {
        if isMany(policy), isMore(than: policy.share, of: seen) { return true }
        return total >= policy.least && affected.count * 2 > policy.least && isMore(than: policy.sureShare, of: seen)
    }

    func isSure(_ policy: FleetPolicy) -> Bool {
        isMany(policy)
            && (isMore(than: policy.share, of: total) || isMore(than: policy.sureShare, of: seen))
    }

    /// Under half of what opens it.
    func isCalm(_ policy: FleetPolicy) -> Bool {
        affected.count * 2 < policy.least || !isMore(than: policy.share / 2, of: total)
    }

    private func isMany(_ policy: FleetPolicy) -> Bool { affected.count >= policy.least }
    private func isMore(than share: Double, of count: Int) -> Bool { Double(affected.count) > share * Double(count) }

    static func median(_ intervals: [Duration]) -> Duration {
        let sorted = intervals.sorted()
        return sorted.isEmpty ? .seconds(60) : sorted[sorted.count / 2]
    }
}
