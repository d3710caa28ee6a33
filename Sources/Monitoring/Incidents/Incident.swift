// An incident: one stretch of trouble of one kind, with an identity of its own for ever. Most are about one domain; those of
// the fleet are about many at once, or about the monitor itself.

import Evidence
import Foundation

package enum IncidentKind: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable, Comparable {
    case originUnreachable = "origin.unreachable"
    case originBroken = "origin.broken"
    case originInconsistent = "origin.inconsistent"
    case cdnMissing = "cdn.missing"
    case cdnStale = "cdn.stale"
    case cdnDivergent = "cdn.divergent"
    /// Many domains turned to trouble of Apple's side together.
    case cdnWide = "cdn.wide"
    case certificateExpiring = "certificate.expiring"
    case expectationFailed = "expectation.failed"
    /// Trouble of our own: the network, the store, a channel, the schedule.
    case monitorDegraded = "monitor.degraded"

    /// Whether it is about no single domain.
    package var isOfFleet: Bool { self == .cdnWide || self == .monitorDegraded }

    /// The kinds that a domain can have.
    package static let ofDomains = allCases.filter { !$0.isOfFleet }

    package static func < (left: IncidentKind, right: IncidentKind) -> Bool { left.rawValue < right.rawValue }
}

package struct Incident: Codable, Equatable, Sendable, Identifiable {
    /// Hexadecimal, derived from domain, kind, the instant of its start and a stored count: the same where the same check is
    /// judged again, and never given twice.
    package var id: String
    /// nil: about many domains, or about the monitor itself.
    package var domain: Domain?
    package var kind: IncidentKind
    package var severity: Severity
    package var state: State
    /// When the trouble began, as far as is known.
    package var since: Date
    /// When a check first saw the condition.
    package var openedAt: Date
    /// When it was confirmed and told.
    package var firedAt: Date?
    package var resolvedAt: Date?
    /// Why it ended.
    package var reason: Resolution?
    /// Counts the messages of this incident; makes each message's key.
    package var sequence: Int
    package var nextReminderAt: Date?

    package init(
        id: String, domain: Domain?, kind: IncidentKind, severity: Severity, state: State, since: Date,
        openedAt: Date, firedAt: Date? = nil, resolvedAt: Date? = nil, reason: Resolution? = nil, sequence: Int = 0,
        nextReminderAt: Date? = nil
    ) {
        self.id = id
        self.domain = domain
        self.kind = kind
        self.severity = severity
        self.state = state
        self.since = since
        self.openedAt = openedAt
        self.firedAt = firedAt
        self.resolvedAt = resolvedAt
        self.reason = reason
        self.sequence = sequence
        self.nextReminderAt = nextReminderAt
    }

    /// What it is about, in a word: the domain, or who stands for it.
    package var subject: String { domain?.name ?? (kind == .monitorDegraded ? "aasa-monitor" : "many domains") }

    /// The same for the same matter and beginning: what is judged again after a crash finds the same incident. The instant
    /// alone would not do, since a clock that is set back meets it again; nor would the number, which a lost store forgets.
    static func identity(_ matter: String, number: Int, from start: Date) -> String {
        let milliseconds = Int64((start.timeIntervalSince1970 * 1000).rounded())
        return String(ContentHash(of: "\(matter)\n\(milliseconds)\n\(number)".utf8).hex.prefix(32))
    }

    package enum State: String, Codable, Sendable {
        /// Seen, not confirmed, nobody told. Next: firing, or dropped without a trace.
        case pending
        /// Confirmed and told. Next: recovering.
        case firing
        /// Seen to be over, not yet often enough. Next: firing or resolved.
        case recovering
        /// Over, and told. The end.
        case resolved
    }

    package enum Resolution: String, Codable, Sendable {
        /// The condition is over: the file is back, the certificate renewed.
        case recovered
        /// The CDN serves what the origin serves.
        case cdnCaughtUp = "cdn_caught_up"
        /// The CDN moved on to a newer version, though not yet the newest.
        case cdnRefreshed = "cdn_refreshed"
        /// The origin went back to what the CDN serves.
        case originReverted = "origin_reverted"
        /// Trouble of another kind took its place.
        case superseded
        /// The domain, or Apple's copy of it, is watched no longer.
        case removed
    }
}
