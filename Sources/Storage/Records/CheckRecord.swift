import Evidence
import Monitoring

/// All that one check leaves behind; it is committed as a whole or not at all.
package struct CheckRecord: Sendable {
    /// nil where the state moves without a look at the network, as when a domain is watched no longer.
    package var observation: Observation?
    package var state: DomainState
    /// New or changed incidents, as they are now.
    package var incidents: [Incident]
    /// Incidents that passed before anybody was told; their rows are deleted.
    package var dropped: [Incident]
    package var outbox: [OutboxDraft]

    package init(
        observation: Observation?, state: DomainState, incidents: [Incident] = [], dropped: [Incident] = [],
        outbox: [OutboxDraft] = []
    ) {
        self.observation = observation
        self.state = state
        self.incidents = incidents
        self.dropped = dropped
        self.outbox = outbox
    }
}
