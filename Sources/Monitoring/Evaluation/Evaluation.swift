// The result of `evaluate`.

import Evidence

package struct Evaluation: Equatable, Sendable {
    package var state: DomainState
    package var verdict: Verdict
    /// Incidents that are new or changed, dropped ones apart, as they are now.
    package var incidents: [Incident]
    /// Pending incidents that passed before anybody was told; their rows are removed.
    package var dropped: [Incident]
    package var events: [Event]
    /// The incidents that nobody has in hand any more, by id, told or not: graver than they were, or back after their end.
    package var reawakened: Set<String> = []

    package init(
        state: DomainState, verdict: Verdict, incidents: [Incident], dropped: [Incident], events: [Event]
    ) {
        self.state = state
        self.verdict = verdict
        self.incidents = incidents
        self.dropped = dropped
        self.events = events
    }
}
