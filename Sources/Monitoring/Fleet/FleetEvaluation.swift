/// The result of `judgeFleet`.
package struct FleetEvaluation: Equatable, Sendable {
    package var state: FleetState
    /// Incidents that are new or changed, dropped ones apart, as they are now.
    package var incidents: [Incident] = []
    /// Pending ones that passed before anybody was told.
    package var dropped: [Incident] = []
    /// What is to be told, each with the cause that decides who is.
    package var news: [News] = []

    package struct News: Equatable, Sendable {
        package let cause: FleetCause
        package let event: Event
    }

    package init(state: FleetState) { self.state = state }
}
