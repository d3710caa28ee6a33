// What `evaluate` says happened: the raw material of messages. It carries all that a message may need, so that nobody
// has to look anything up later, when the state has moved on.

import Evidence
import Foundation

package struct Event: Codable, Equatable, Sendable {
    package var type: EventType
    package var at: Date
    package var incident: Incident
    /// One line: state, severity, domain, what.
    package var summary: String
    package var diagnosis: String
    package var comparison: Comparison
    package var findings: [Finding]

    package init(
        type: EventType, at: Date, incident: Incident, summary: String, diagnosis: String, comparison: Comparison,
        findings: [Finding]
    ) {
        self.type = type
        self.at = at
        self.incident = incident
        self.summary = summary
        self.diagnosis = diagnosis
        self.comparison = comparison
        self.findings = findings
    }
}

package enum EventType: String, Codable, Sendable, CaseIterable {
    case firing = "incident.firing"
    case reminder = "incident.reminder"
    case resolved = "incident.resolved"
}
