// What `evaluate` says happened: the raw material of messages. It carries all that a message may need, so that nobody
// has to look anything up later, when the state has moved on.

import Evidence
import Foundation

package struct Event: Codable, Equatable, Sendable {
    package var type: EventType
    /// What an update is about; nil for all other types.
    package var news: News?
    package var at: Date
    package var incident: Incident
    /// One line: state, severity, domain, what.
    package var summary: String
    package var diagnosis: String
    package var comparison: Comparison
    package var findings: [Finding]
    /// The domains that an incident of the fleet is about; nil where it is about one.
    package var affected: AffectedDomains?
    /// The steps that this is told by, where it is told to more people because nobody has it in hand.
    package var escalation: EscalationSpan?

    package init(
        type: EventType, news: News? = nil, at: Date, incident: Incident, summary: String, diagnosis: String,
        comparison: Comparison, findings: [Finding], affected: AffectedDomains? = nil, escalation: EscalationSpan? = nil
    ) {
        self.escalation = escalation
        self.affected = affected
        self.type = type
        self.news = news
        self.at = at
        self.incident = incident
        self.summary = summary
        self.diagnosis = diagnosis
        self.comparison = comparison
        self.findings = findings
    }

    /// Whether it ends an acknowledgement: whoever took the incident in hand did so for less.
    package var isReawakening: Bool { news == .worse || news == .again }

    package enum News: String, Codable, Sendable, CaseIterable {
        /// The trouble is back shortly after its end was told.
        case again
        /// It comes and goes so fast that nothing more is told until it is calm.
        case flapping
        /// It is graver than was told.
        case worse
        /// What is the matter differs from what was told.
        case changed
    }
}

package enum EventType: String, Codable, Sendable, CaseIterable {
    case firing = "incident.firing"
    case update = "incident.update"
    case reminder = "incident.reminder"
    case resolved = "incident.resolved"
    /// Somebody has taken it in hand. No judgement brings it; the command does that.
    case acknowledged = "incident.acknowledged"
}
