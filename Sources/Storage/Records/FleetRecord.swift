import Monitoring

/// All that one judgement over the fleet leaves behind; it is committed as a whole or not at all.
package struct FleetRecord: Sendable {
    package var state: FleetState
    /// New or changed incidents, as they are now.
    package var incidents: [Incident]
    /// Incidents that passed before anybody was told; their rows are deleted.
    package var dropped: [Incident]
    package var outbox: [OutboxDraft]
    /// Ids of incidents about which something was not said now, and may have to be said later.
    package var withheld: [String]
    /// Kinds of domains' incidents whose waiting messages, as far as nobody has tried to send them, are kept back from now
    /// on: an incident of the fleet explains them.
    package var recalled: Set<IncidentKind>
    /// Incidents that were taken in hand and are graver, or back: somebody must look again.
    package var reawakened: [String]

    package init(
        state: FleetState, incidents: [Incident] = [], dropped: [Incident] = [], outbox: [OutboxDraft] = [],
        withheld: [String] = [], recalled: Set<IncidentKind> = [], reawakened: [String] = []
    ) {
        self.state = state
        self.incidents = incidents
        self.dropped = dropped
        self.outbox = outbox
        self.withheld = withheld
        self.recalled = recalled
        self.reawakened = reawakened
    }
}
