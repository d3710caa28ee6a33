// When each domain is checked. Every domain has its own phase within its interval, so that the checks of many domains
// spread out and a restart keeps the rhythm.

import Evidence
import Foundation

package struct CheckSchedule: Sendable {
    package let interval: Duration
    /// The position of the domain's checks in the interval, from 0 up to, not including, 1.
    package let phase: Double

    /// The maximum delay of the next check while a failure or a recovery is unconfirmed.
    package static let recheck: Duration = .seconds(60)

    /// What a busy machine may take for a check, in seconds, besides its interval.
    private static let slack: TimeInterval = 60

    /// Until when a check is recent, if no other one follows.
    static func freshUntil(_ check: Date, _ interval: TimeInterval) -> Date { check + (2 * interval + slack) }

    /// A domain, and a monitor as a whole, is overdue if its last check is older than this.
    package static func overdueBefore(_ now: Date, interval: TimeInterval) -> Date { now - (2 * interval + slack) }

    /// A domain counts for an incident of the monitor itself after this many intervals without a check.
    package static let late = 3.0

    /// How many intervals a domain is late if it was last checked at `check`.
    package static func intervals(of interval: TimeInterval, lateAfter check: Date, now: Date) -> Double {
        (now.timeIntervalSince(check) - slack) / max(interval, 0.001)
    }

    package init(domain: Domain, interval: Duration) {
        self.interval = interval
        phase = Self.phase(of: domain)
    }

    /// Evenly spread over many domains, and the same after each start. From 0 up to, not including, 1.
    static func phase(of domain: Domain) -> Double {
        let digest = ContentHash(of: domain.name.utf8).hex.prefix(8)
        return Double(UInt32(digest, radix: 16) ?? 0) / 4_294_967_296
    }

    /// The delay from `now` to the next check. A domain that was never checked is checked immediately; all others keep
    /// their phase. The delay is at most one interval.
    package func delay(after state: DomainState?, now: Date) -> Duration {
        guard let state, state.lastCheckedAt != nil else { return .zero }
        let isUndecided = state.open.values.contains(where: \.isUndecided)
        let wait = isUndecided ? min(untilNextCheck(now), Self.recheck.inSeconds) : untilNextCheck(now)
        return .seconds(max(0.001, wait))
    }

    /// Seconds from `now` to the domain's next regular check: more than 0, at most one interval.
    package func untilNextCheck(_ now: Date) -> TimeInterval {
        let period = max(0.001, interval.inSeconds)
        let position = now.timeIntervalSince1970 / period - phase
        return (position.rounded(.down) + 1 - position) * period
    }
}
