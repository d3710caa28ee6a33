import Evidence
import Foundation
import Monitoring

/// A row of checks that all saw the same facts.
package struct ObservationRun: Equatable, Sendable {
    /// The first check of the run, without bodies; `Store.body(_:)` has those.
    package let observation: Observation
    package let lastAt: Date
    /// Checks in the run, at least 1.
    package let count: Int

    package var firstAt: Date { observation.checkedAt }
}

/// One line of the overview.
package struct DomainSummary: Equatable, Sendable {
    package let domain: Domain
    package let state: DomainState
    /// When the run of equal checks that began last began, whatever its depth, and when it was last met; nil before the
    /// first check.
    package let unchangedSince: Date?
    package let lastObservedAt: Date?

    package init(domain: Domain, state: DomainState, unchangedSince: Date?, lastObservedAt: Date?) {
        self.domain = domain
        self.state = state
        self.unchangedSince = unchangedSince
        self.lastObservedAt = lastObservedAt
    }
}
