// What one evaluation changed about incidents, of a domain or global. The store writes the list with the new state, and
// the log gets a line for each change.

import Evidence
import Foundation

/// An incident that is new, changed or deleted.
package struct IncidentChange: Equatable, Sendable {
    package var incident: Incident
    /// What a message about it says; nil: the stored facts stay. Not nil if it fires with a new version, or ends. The
    /// facts of the end describe the state since then. The store keeps them next to the facts of the open incident.
    package var facts: IncidentFacts?
    package var transition: Transition

    package enum Transition: String, Sendable {
        case opened, firing, worse, again, flapping, changed, recovering, resolved
        /// Nothing to notify: it holds again, or its start time is corrected.
        case other
        /// Only the facts are written: earlier ones hold again, or their ages are outdated.
        case rewritten
        /// It ended before it was confirmed: the store deletes it.
        case dropped
    }

    /// Whether it raised the version.
    var isNews: Bool {
        switch transition {
        case .firing, .worse, .again, .flapping, .changed: true
        case .opened, .recovering, .resolved, .other, .rewritten, .dropped: false
        }
    }
}

/// What a message about an incident says in addition to the incident. Stored with the incident and rendered when a
/// message is sent.
package struct IncidentFacts: Codable, Equatable, Sendable {
    package var diagnosis: Diagnosis
    package var comparison: Comparison
    package var findings: [Finding]
    /// The domains of a global incident; nil for an incident of one domain.
    package var affected: AffectedDomains?
    /// Only for a global incident: who has the problem, what is wrong, and what works again, in a few words each.
    package var subject: String?
    package var trouble: String?
    package var resolvedText: String?
    /// The previous check, if it was long before the problem was first seen; otherwise nil.
    package var beganAfter: Date?
    /// The same for its end: the checks before and after it.
    package var ended: OriginChange?
    /// Only for a resolved incident: the domain still fails, as the diagnosis says. nil: it does not.
    package var isStillFailing: Bool?

    package init(
        diagnosis: Diagnosis, comparison: Comparison = Comparison(state: .notCompared), findings: [Finding] = [],
        affected: AffectedDomains? = nil, subject: String? = nil, trouble: String? = nil, resolvedText: String? = nil,
        beganAfter: Date? = nil, ended: OriginChange? = nil, isStillFailing: Bool? = nil
    ) {
        self.beganAfter = beganAfter
        self.ended = ended
        self.diagnosis = diagnosis
        self.comparison = comparison
        self.findings = findings
        self.affected = affected
        self.subject = subject
        self.trouble = trouble
        self.resolvedText = resolvedText
        self.isStillFailing = isStillFailing
    }
}

extension IncidentFacts {
    /// The diagnosis as text, valid at a wall-clock time.
    package func text(at now: Date) -> DiagnosisText { diagnosis.text(at: now) }

    /// The same facts at a later time: a stale copy has grown older. All times are shifted to the wall clock.
    package func aged(to now: Date, shift: TimeInterval) -> IncidentFacts {
        var facts = self
        facts.comparison = comparison.aged(to: now)
        facts.comparison.changedAt? += shift
        facts.comparison.changedAfter? += shift
        facts.beganAfter? += shift
        facts.ended?.at += shift
        facts.ended?.after? += shift
        return facts
    }

    package static let missing = IncidentFacts(diagnosis: .remark(.factsMissing, .unknown(.noFacts)))
}

/// The types of events, as in webhooks.
package enum EventType: String, Codable, Sendable, CaseIterable {
    case firing = "incident.firing"
    case update = "incident.update"
    case reminder = "incident.reminder"
    case resolved = "incident.resolved"
    case acknowledged = "incident.acknowledged"
    case changeDetected = "change.detected"
    case changePropagated = "change.propagated"
}

/// Why a notification is sent: the result of `decide`, and the group that shares a message.
package enum NotificationReason: String, Codable, Sendable, CaseIterable {
    case firing, escalated, again, worse, flapping, changed, reminder, acknowledged, resolved
    /// Firing and resolved in one: the channel received neither.
    case wasFiring = "was_firing"

    package var type: EventType {
        switch self {
        case .firing, .escalated: .firing
        case .again, .worse, .flapping, .changed: .update
        case .reminder: .reminder
        case .acknowledged: .acknowledged
        case .resolved, .wasFiring: .resolved
        }
    }

    /// The type of an event about an incident of this kind.
    package func type(of kind: IncidentKind) -> EventType {
        guard kind == .change else { return type }
        return type == .resolved ? .changePropagated : .changeDetected
    }
}
