// How many domains turned to the same problem together. Those that were not checked since it began count neither way: with
// hundreds of domains spread over an interval, waiting for all of them would let the first children fire.

import Evidence
import Foundation

struct FleetTally {
    /// The indices of the domains whose problem turned up within the window.
    private(set) var affected: [Int] = []
    /// When the first of them turned.
    private(set) var onset: Date
    private var firstSeen: Date
    /// How many were checked since then.
    private(set) var seen = 0
    private(set) var total = 0
    /// Whether the first of the children would be notified by now.
    private(set) var isTelling = false
    /// When the incident began, where one is open.
    private let anchor: Date?
    private let usual: TimeInterval
    private let now: Date

    struct Turn {
        /// When the domain turned to the problem: at the end of its time, where it has some to end by itself.
        let at: Date
        /// When it was first seen. A domain that was checked since then and is well has not turned.
        let seenAt: Date
        /// Whether it would be notified by now.
        let isTelling: Bool
    }

    init(since anchor: Date?, usual: TimeInterval, now: Date) {
        self.anchor = anchor
        self.usual = usual
        self.now = now
        onset = now
        firstSeen = now
    }

    /// `turn`: nil where a domain did not turn to the problem.
    mutating func add(_ index: Int, _ health: DomainHealth, _ turn: Turn?) {
        total += 1
        guard let turn else { return }
        let window = 2 * max(health.seconds, usual)
        let isRecent = anchor.map { turn.at >= $0 } ?? (now.timeIntervalSince(turn.at) <= window)
        // What was wrong at the first check has not changed.
        guard isRecent, turn.at.timeIntervalSince(now) <= window, turn.at > health.firstCheckedAt ?? .distantPast
        else { return }
        affected.append(index)
        onset = min(onset, turn.at)
        firstSeen = min(firstSeen, turn.seenAt)
        isTelling = isTelling || turn.isTelling
    }

    /// To be called once all are added.
    mutating func countSeen(_ domains: [DomainHealth], where isCounted: (DomainHealth) -> Bool) {
        guard !affected.isEmpty else { return }
        let start = min(onset, firstSeen)
        seen = domains.count { $0.checkedAt ?? .distantPast >= start && isCounted($0) }
    }

    /// Enough to be an incident that is pending.
    func isSuspect(_ policy: FleetPolicy) -> Bool { isMany(policy) && isMore(than: policy.share, of: seen) }

    func isSure(_ policy: FleetPolicy) -> Bool {
        isMany(policy) && (isMore(than: policy.share, of: total) || isMore(than: policy.sureShare, of: seen))
    }

    /// Under half of what opens it.
    func isCalm(_ policy: FleetPolicy) -> Bool {
        affected.count * 2 < policy.least || !isMore(than: policy.share / 2, of: total)
    }

    private func isMany(_ policy: FleetPolicy) -> Bool { affected.count >= policy.least }
    private func isMore(than share: Double, of count: Int) -> Bool { Double(affected.count) > share * Double(count) }
}
