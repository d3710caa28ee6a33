import Evidence
import Monitoring

/// All that one check leaves behind; it is committed as a whole or not at all.
package struct CheckRecord: Sendable {
    /// nil where the state changes without a probe, as when a domain was removed from the configuration.
    package var observation: Observation?
    package var state: DomainState
    /// What the store holds already, where the caller knows that; it is the state before.
    package var stored: DomainState?
    /// What the origin and each edge served.
    package var places: [PlaceReading]
    package var changes: [IncidentChange]
    /// Incidents that ended before they were confirmed; their rows are deleted.
    package var dropped: [Incident]

    package init(
        observation: Observation?, state: DomainState, stored: DomainState? = nil, places: [PlaceReading] = [],
        changes: [IncidentChange] = [], dropped: [Incident] = []
    ) {
        self.places = places
        self.observation = observation
        self.state = state
        self.stored = stored
        self.changes = changes
        self.dropped = dropped
    }
}

/// All that one evaluation of the fleet leaves behind; it is committed as a whole or not at all.
package struct FleetRecord: Sendable {
    package var state: FleetState
    package var changes: [IncidentChange]
    /// Incidents that ended before they were confirmed; their rows are deleted.
    package var dropped: [Incident]

    package init(state: FleetState, changes: [IncidentChange] = [], dropped: [Incident] = []) {
        self.state = state
        self.changes = changes
        self.dropped = dropped
    }
}
