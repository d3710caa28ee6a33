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
    /// When the facts seen last were first seen, and when last; nil before the first check.
    package let unchangedSince: Date?
    package let lastObservedAt: Date?
}
