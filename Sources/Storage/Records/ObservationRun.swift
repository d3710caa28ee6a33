import Evidence
import Foundation

/// A row of checks that all saw the same facts.
package struct ObservationRun: Equatable, Sendable {
    /// The first check of the run, without bodies; `Store.body(_:)` has those.
    package let observation: Observation
    package let lastAt: Date
    /// Checks in the run, at least 1.
    package let count: Int

    package var firstAt: Date { observation.checkedAt }
}
