// What one evaluation did to incidents, of a domain or global: one list, which the store writes with the new state, and a line
// of the log for each change.

import Evidence
import Foundation

/// An incident that is new, differs from what was known, or is gone.
package struct IncidentChange: Equatable, Sendable {
    package var incident: Incident
    /// What a message about it says; nil where the stored facts stay. Present whenever it fires with another version, and at
    /// the end.
    package var facts: IncidentFacts?
    package var transition: Transition

    package enum Transition: String, Sendable {
        case opened, firing, worse, again, flapping, changed, recovering, resolved
        /// Nothing that anybody is notified of: it holds again, or its beginning became known better.
        case other
        /// Only the facts are written again: those of before hold again, or their ages are old.
        case rewritten
        /// It was over before it was confirmed: the store deletes it.
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

/// All that a message about an incident may say beside the incident itself. Stored with the incident and rendered when it is
/// sent.
package struct IncidentFacts: Codable, Equatable, Sendable {
    package var diagnosis: Diagnosis
    package var comparison: Comparison
    package var findings: [Finding]
    /// The domains of a global incident; nil for one about a single domain.
    package var affected: AffectedDomains?
    /// For a global incident: who has the trouble, what is wrong, and what is well again, in a few words each.
    package var subject: String?
    package var trouble: String?
    package var relief: String?
    /// Where nobody looked for long before it was seen: the last check before. nil: somebody looked.
    package var beganAfter: Date?
    /// The same for its end: between which checks it was.
    package var ended: OriginChange?
    /// Of an end: the domain still fails, as the diagnosis says. nil: it does not.
    package var isStillFailing: Bool?

    package init(
        diagnosis: Diagnosis, comparison: Comparison = Comparison(state: .notCompared), findings: [Finding] = [],
        affected: AffectedDomains? = nil, subject: String? = nil, trouble: String? = nil, relief: String? = nil,
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
        self.relief = relief
        self.isStillFailing = isStillFailing
    }
}

extension IncidentFacts {
    /// The diagnosis in words, as they are true at an instant of the wall clock.
    package func text(at now: Date) -> DiagnosisText { diagnosis.text(at: now) }

    /// The same facts some time later: a stale copy has grown older since they were seen. The comparison's instants are moved to the
    /// wall clock.
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

/// The names of what is sent, as webhooks carry them.
package enum EventType: String, Codable, Sendable, CaseIterable {
    case firing = "incident.firing"
    case update = "incident.update"
    case reminder = "incident.reminder"
    case resolved = "incident.resolved"
    case acknowledged = "incident.acknowledged"
    case changeDetected = "change.detected"
    case changePropagated = "change.propagated"
}

/// Why a notification is sent: what `decide` answers, and the name of the group that it may share a message with.
package enum NotificationReason: String, Codable, Sendable, CaseIterable {
    case firing, escalated, again, worse, flapping, changed, reminder, acknowledged, resolved
    /// Both in one: it fired and is over, and the channel received neither.
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

    /// The name of what is sent about an incident of this kind.
    package func type(of kind: IncidentKind) -> EventType {
        guard kind == .change else { return type }
        return type == .resolved ? .changePropagated : .changeDetected
    }
}
