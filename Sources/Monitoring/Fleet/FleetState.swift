import Evidence
import Foundation

/// All that the monitor remembers about the fleet between evaluations. A restart neither repeats nor forgets an incident.
package struct FleetState: Codable, Equatable, Sendable {
    package var incidents = IncidentMemory<FleetCause>()

    package init() {}

    package var open: [FleetCause: TrackedIncident] {
        get { incidents.open }
        set { incidents.open = newValue }
    }
    package var ended: [FleetCause: TrackedIncident] {
        get { incidents.ended }
        set { incidents.ended = newValue }
    }
    package var begun: Int { incidents.begun }

    package subscript(cause: FleetCause) -> TrackedIncident? { incidents.open[cause] }
}

/// The result of `evaluateFleet`.
package struct FleetEvaluation: Equatable, Sendable {
    package var state: FleetState
    /// The incidents that are new or differ, dropped ones apart.
    package var changes: [IncidentChange] = []
    /// Pending incidents that ended before they were confirmed. The store deletes them.
    package var dropped: [Incident] = []
    /// All domains that each open incident is about at present, by the incident's id.
    package var affected: [String: [Domain]] = [:]
    /// Whether the store must have it: what only counts on is not worth a write.
    package var isWorthStoring = false

    package init(state: FleetState) { self.state = state }
}
