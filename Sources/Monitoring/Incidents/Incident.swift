// An incident: one stretch of trouble of one kind, with an identity of its own. Most are about one domain; those of the
// global are about many domains at once, or about the monitor itself.

import Evidence
import Foundation

package struct Incident: Codable, Equatable, Sendable, Identifiable {
    /// Hexadecimal, derived from subject, kind, the instant of its start and a stored count: the same where the same check
    /// is evaluated again, and never given twice.
    package var id: String
    package var subject: Subject
    package var kind: IncidentKind
    package var severity: Severity
    package var state: State
    /// When the trouble began, as far as is known. All instants are of the steady clock (`MonitorClock.now`).
    package var since: Date
    /// When a check first saw the condition.
    package var openedAt: Date
    /// When it was confirmed for the first time; nil while it never was.
    package var firedAt: Date?
    package var resolvedAt: Date?
    /// Why it ended.
    package var reason: Resolution?
    /// Counts what is worth notifying: 0 until it fires, 1 when it fires, one more each time it becomes worse, changes, comes
    /// back or begins to flap.
    package var version: Int
    /// The last time it became worse; nil: never. Likewise for the two below.
    package var worse: Mark?
    package var again: Mark?
    package var flapping: Mark?
    /// Whether it begins and ends so often at present that notifications pause.
    package var isFlapping: Bool
    /// The kind of the firing incident of the same domain that this one follows from; nil: none. A channel that knows that one
    /// needs no message about this one.
    package var inhibitedBy: IncidentKind?

    /// A problem that is back so many seconds after its end is the same incident.
    static let reopenWindow: TimeInterval = 30 * 60

    /// A version and when it came.
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

    /// What it is about, in a word: the domain, or `aasa-monitor`.
    package var subjectName: String { domain?.name ?? (kind == .monitorDegraded ? "aasa-monitor" : "many domains") }

    /// From when the reminders count: when it fired, or last came back.
    package var remindsFrom: Date? { [firedAt, again?.at].compactMap(\.self).max() }
    /// From when the steps of the escalation count: when it fired, became worse, or came back.
    package var escalatesFrom: Date? { [firedAt, worse?.at, again?.at].compactMap(\.self).max() }

    /// The same for the same matter and beginning: what is evaluated again after a crash finds the same incident. The number
    /// keeps apart what begins at one instant.
    static func identity(_ problem: String, number: Int, from start: Date) -> String {
        let milliseconds = Int64((start.timeIntervalSince1970 * 1000).rounded())
        return String(ContentHash(of: "\(problem)\n\(milliseconds)\n\(number)".utf8).hex.prefix(32))
    }

    package enum State: String, Codable, Sendable {
        /// Seen, not confirmed. Next: firing, or dropped without a trace.
        case pending
        /// Confirmed. Next: recovering.
        case firing
        /// Seen to be over, not yet often enough. Next: firing or resolved.
        case recovering
        /// Over.
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
        /// The domain, or Apple's copy of it, is no longer watched.
        case removed
        /// What is left of it is ignored by the configuration.
        case ignored
    }
}

/// An acknowledgement: somebody looks after the incident, so that it sends no reminders and does not escalate. It holds
/// until the incident becomes worse or comes back.
package struct Acknowledgement: Equatable, Sendable {
    package let by: String
    /// Empty where none was given.
    package let reason: String
    package let at: Date
    /// The version that was acknowledged.
    package var version: Int

    package init(by: String, reason: String, at: Date, version: Int = 0) {
        self.by = by
        self.reason = reason
        self.at = at
        self.version = version
    }

    /// - Throws: `SilenceFault` with a sentence for the person who asked.
    package init(asked by: String, reason: String, at: Date) throws(SilenceFault) {
        let by = by.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !by.isEmpty else { throw SilenceFault("an acknowledgement needs a name") }
        guard by.count <= 100 else { throw SilenceFault("the name is longer than 100 characters") }
        guard reason.count <= 500 else { throw SilenceFault("the reason is longer than 500 characters") }
        self.init(by: by, reason: reason.trimmingCharacters(in: .whitespacesAndNewlines), at: at)
    }

    /// Whether it still holds for an incident as it is now.
    package func holds(for incident: Incident) -> Bool {
        version >= max(incident.worse?.version ?? 0, incident.again?.version ?? 0)
    }
}
