// What the fleet's incidents keep back: while one of them explains what happens to many domains, nobody is told of each.

import Foundation

package struct FleetWithholding: Equatable, Sendable {
    /// What is kept back at present, by the incident that explains it.
    package var causes: [Cause]
    /// When the last of them ended: what it kept back is told only after a look that is younger.
    package var endedAt: Date?

    package struct Cause: Equatable, Sendable {
        package let kind: IncidentKind
        package let withholds: Set<IncidentKind>
        package let since: Date
        /// In words, for pages.
        package let reason: String

        package init(kind: IncidentKind, withholds: Set<IncidentKind>, since: Date, reason: String) {
            self.kind = kind
            self.withholds = withholds
            self.since = since
            self.reason = reason
        }
    }

    package init(causes: [Cause] = [], endedAt: Date? = nil) {
        self.causes = causes
        self.endedAt = endedAt
    }

    /// Why messages of that kind are kept back now; nil where they are not. When that began does not matter: with a clock
    /// that was set back it may lie ahead.
    func reason(for kind: IncidentKind) -> String? {
        causes.first { $0.withholds.contains(kind) }?.reason
    }
}
