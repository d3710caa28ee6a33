import Evidence
import Foundation
import Monitoring
import Storage

/// An open incident of no single domain, as the overview and `status` show it.
package struct FleetLine: Equatable, Sendable {
    package let kind: String
    package let state: String
    /// The short id, for `aasa-monitor ack`.
    package let id: String
    let address: String
    /// Part by part.
    package let diagnosis: [String]
    /// `26 h ago`
    package let since: String
    /// Who acknowledged it; nil: nobody.
    package let acknowledgedBy: String?
}

extension FleetLine {
    init(_ record: IncidentRecord, _ facts: IncidentFacts?, time: PageTime) {
        let incident = record.incident
        self.init(
            kind: incident.kind.rawValue, state: incident.state.rawValue, id: String(incident.id.prefix(12)),
            address: "/incidents/\(incident.id)",
            diagnosis: facts?.text.parts.map { $0.onOneLine(upTo: 600) } ?? [], since: time.age(incident.since),
            acknowledgedBy: record.acknowledgement?.by.onOneLine(upTo: 100))
    }
}
