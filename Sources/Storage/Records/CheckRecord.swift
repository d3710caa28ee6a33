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
    /// Ids of incidents about which something was not said now, and may have to be said later.
    package var withheld: [String]
    /// Incidents that were taken in hand and are graver, or back: somebody must look again.
    package var reawakened: [String]

    package init(
        observation: Observation?, state: DomainState, incidents: [Incident] = [], dropped: [Incident] = [],
        outbox: [OutboxDraft] = [], withheld: [String] = [], reawakened: [String] = []
    ) {
        self.observation = observation
        self.state = state
        self.incidents = incidents
        self.dropped = dropped
        self.outbox = outbox
        self.withheld = withheld
        self.reawakened = reawakened
    }
}
