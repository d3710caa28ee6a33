import Evidence
import Foundation
import Monitoring

/// An open incident of no single domain, as the overview shows it.
package struct FleetLine: Equatable, Sendable {
    package let kind: String
    package let state: String
    /// The short id, for `aasa-monitor ack`.
    package let id: String
    package let diagnosis: String
    package let fix: String
    package let since: Moment
    /// Who has it in hand; nil where nobody has.
    package let acknowledgedBy: String?

    init(_ fleet: FleetIncident, mutings: Mutings, now: Date) {
        kind = fleet.incident.kind.rawValue
        state = fleet.incident.state.rawValue
        id = String(fleet.incident.id.prefix(12))
        diagnosis = fleet.report.diagnosis.onOneLine(upTo: 600)
        fix = fleet.report.finding.fix.onOneLine(upTo: 600)
        since = Moment(fleet.incident.since, now: now)
        acknowledgedBy = mutings.acknowledged[fleet.incident.id]?.by.onOneLine(upTo: 100)
    }
}
