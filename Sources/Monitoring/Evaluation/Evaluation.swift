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
