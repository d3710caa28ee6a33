// An incident: one period of one kind of problem, with its own id. Most are about one domain; global ones are about
// many domains at once, or about the monitor itself.

import Evidence
import Foundation

package struct Incident: Codable, Equatable, Sendable, Identifiable {
    /// Hexadecimal. Derived from subject, kind, start time and a stored count: evaluating the same check again gives
    /// the same id, and no other incident gets it.
    package var id: String
    package var subject: Subject
    package var kind: IncidentKind
    package var severity: Severity
    package var state: State
    /// When the problem began, as far as is known. All times are of the steady clock (`MonitorClock.now`).
    package var since: Date
    /// When a check first saw the condition.
    package var openedAt: Date
    /// When it was first confirmed; nil: never.
    package var firedAt: Date?
    package var resolvedAt: Date?
    /// Why it ended.
    package var reason: Resolution?
    /// Counts what is worth a notification: 0 until it fires, 1 when it fires, plus one each time it becomes worse,
    /// changes, comes back or begins to flap.
    package var version: Int
    /// The last time it became worse; nil: never. `again` and `flapping` work the same.
    package var worse: Mark?
    package var again: Mark?
    package var flapping: Mark?
    /// Whether notifications are paused because it begins and ends often.
    package var isFlapping: Bool
    /// The kind of the firing incident of the same domain that inhibits this one; nil: none. A channel that knows that
    /// incident needs no message about this one.
    package var inhibitedBy: IncidentKind?

    /// A problem that returns within this many seconds after its end is the same incident.
    static let reopenWindow: TimeInterval = 30 * 60

    /// A version and its time.
    package struct Mark: Codable, Equatable, Sendable {
        package let version: Int
        package let at: Date

        package init(version: Int, at: Date) {
            self.version = version
            self.at = at
        }
    }

    package enum Subject: Codable, Hashable, Sendable {
        case domain(Domain)
        case global(GlobalCause)
    }

    package init(
        id: String, subject: Subject, kind: IncidentKind, severity: Severity, state: State, since: Date,
        openedAt: Date, firedAt: Date? = nil, resolvedAt: Date? = nil, reason: Resolution? = nil, version: Int = 0,
        worse: Mark? = nil, again: Mark? = nil, flapping: Mark? = nil, isFlapping: Bool = false,
        inhibitedBy: IncidentKind? = nil
    ) {
        self.id = id
        self.subject = subject
        self.kind = kind
        self.severity = severity
        self.state = state
        self.since = since
        self.openedAt = openedAt
        self.firedAt = firedAt
        self.resolvedAt = resolvedAt
        self.reason = reason
        self.version = version
        self.worse = worse
        self.again = again
        self.flapping = flapping
        self.isFlapping = isFlapping
        self.inhibitedBy = inhibitedBy
    }

    /// nil for a global incident.
    package var domain: Domain? { if case .domain(let domain) = subject { domain } else { nil } }
    /// nil for an incident of a domain.
    package var cause: GlobalCause? { if case .global(let cause) = subject { cause } else { nil } }

    /// The domain, `many domains` or `aasa-monitor`.
    package var subjectName: String { domain?.name ?? (kind == .monitorDegraded ? "aasa-monitor" : "many domains") }

    /// The time from which reminders count: when it fired or last came back.
    package var remindsFrom: Date? { [firedAt, again?.at].compactMap(\.self).max() }
    /// The time from which escalation steps count: when it last fired, became worse, or came back.
    package var escalatesFrom: Date? { [firedAt, worse?.at, again?.at].compactMap(\.self).max() }

    /// The same for the same problem and start, so that a check evaluated again after a crash finds the same incident.
    /// The number separates incidents that begin at the same time.
    static func identity(_ problem: String, number: Int, from start: Date) -> String {
        let milliseconds = Int64((start.timeIntervalSince1970 * 1000).rounded())
        return String(ContentHash(of: "\(problem)\n\(milliseconds)\n\(number)".utf8).hex.prefix(32))
    }

    package enum State: String, Codable, Sendable {
        /// Seen, not confirmed. Next: firing, or deleted.
        case pending
        /// Confirmed. Next: recovering.
        case firing
        /// No longer seen, but not often enough to end. Next: firing or resolved.
        case recovering
        case resolved
    }

    package enum Resolution: String, Codable, Sendable {
        /// The condition is over: the file is back, the certificate is renewed.
        case recovered
        /// The CDN serves what the origin serves.
        case cdnCaughtUp = "cdn_caught_up"
        /// The CDN moved to a newer version, but not the newest.
        case cdnRefreshed = "cdn_refreshed"
        /// The origin reverted to what the CDN serves.
        case originReverted = "origin_reverted"
        /// A problem of another kind replaced it.
        case superseded
        /// The domain, or Apple's copy of it, is no longer monitored.
        case removed
        /// The configuration ignores what remains of it.
        case ignored
    }
}

/// An acknowledgement: somebody works on the incident, so it sends no reminders and does not escalate. It holds until
/// the incident becomes worse or comes back.
package struct Acknowledgement: Equatable, Sendable {
    package let by: String
    /// Empty if none was given.
    package let reason: String
    package let at: Date
    package var version: Int

    package init(by: String, reason: String, at: Date, version: Int = 0) {
        self.by = by
        self.reason = reason
        self.at = at
        self.version = version
    }

    /// - Throws: `SilenceFault` with a sentence for the user.
    package init(asked by: String, reason: String, at: Date) throws(SilenceFault) {
        let by = by.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !by.isEmpty else { throw SilenceFault("an acknowledgement needs a name") }
        guard by.count <= 100 else { throw SilenceFault("the name is longer than 100 characters") }
        guard reason.count <= 500 else { throw SilenceFault("the reason is longer than 500 characters") }
        self.init(by: by, reason: reason.trimmingCharacters(in: .whitespacesAndNewlines), at: at)
    }

    /// Whether it still holds for the current state of an incident.
    package func holds(for incident: Incident) -> Bool {
        version >= max(incident.worse?.version ?? 0, incident.again?.version ?? 0)
    }
}
