// When each domain is checked. Every domain has a phase of its own within its interval, so that many domains spread out
// and a restart meets the same rhythm.

import Evidence
import Foundation

package struct CheckSchedule: Sendable {
    package let interval: Duration
    /// Where in the interval the domain's checks lie, from 0 up to 1.
    package let phase: Double

    /// While a failure, or its end, is unconfirmed the next check comes this soon, where the interval is longer.
    package static let recheck: Duration = .seconds(60)

    /// What a busy machine may take for a check, in seconds, besides its interval.
    private static let slack: TimeInterval = 60

    /// Until when a check says something of the present, if no other one follows.
    static func freshUntil(_ check: Date, _ interval: TimeInterval) -> Date { check + (2 * interval + slack) }

    /// So many intervals without a check are overdue.
    package static let overdue = 3.0

    /// How many of its intervals a domain is late that was last checked at `check`.
    package static func intervals(of interval: TimeInterval, lateAfter check: Date, now: Date) -> Double {
        (now.timeIntervalSince(check) - slack) / max(interval, 0.001)
    }

    package init(domain: Domain, interval: Duration) {
        self.interval = interval
        phase = Self.phase(of: domain)
    }

    /// Even over many domains, and the same at every start; from 0 up to 1.
    static func phase(of domain: Domain) -> Double {
        let digest = ContentHash(of: domain.name.utf8).hex.prefix(8)
        return Double(UInt32(digest, radix: 16) ?? 0) / 4_294_967_296
    }

    /// How long to wait from `now` to the next check. A domain that was never checked is checked at once; all others keep
    /// their phase. The wait is never longer than one interval.
    package func delay(after state: DomainState?, now: Date) -> Duration {
        guard let state, state.lastCheckedAt != nil else { return .zero }
        let isUndecided = state.open.values.contains(where: \.isUndecided)
        let wait = isUndecided ? min(untilTurn(now), Self.recheck.inSeconds) : untilTurn(now)
        return .seconds(max(0.001, wait))
    }

    /// Seconds from `now` to the domain's next instant in its rhythm: more than nothing, and at most one interval.
    package func untilTurn(_ now: Date) -> TimeInterval {
        let period = max(0.001, interval.inSeconds)
        let position = now.timeIntervalSince1970 / period - phase
        return (position.rounded(.down) + 1 - position) * period
    }
}
