// What the store remembers of one domain's past: which versions the origin served and what they changed, how long Apple's
// CDN took for them, incidents and deliveries.

import AASA
import Evidence
import Foundation

package struct HistoryReport: Codable, Sendable {
    package var schema = "aasa-monitor/history/v1"
    package let domain: String
    package let checkedAt: Date?
    /// What the origin served, newest first.
    package let versions: [Version]
    /// How long Apple's CDN took, oldest first.
    package let propagations: [Propagation]
    /// nil: of fewer than five changes nothing is usual.
    package let usual: Usual?
    /// How long the CDN lags behind the latest change; nil where it does not.
    package let lagSeconds: Int?
    /// Newest first.
    package let incidents: [IncidentReport]
    /// Newest first.
    package let deliveries: [DeliveryReport]

    /// A stretch of time in which the origin served one content.
    package struct Version: Codable, Sendable {
        package let sha256: String
        package let meaning: String
        package let from: Date
        /// The first check that saw another content; nil: it is the present one.
        package let until: Date?
        /// nil where the body is no longer kept.
        package let bytes: Int?
        /// From the version before it; nil for the first one, and where one of the two bodies is no longer kept.
        package let changes: [AssociationChange]?
        package let changesTotal: Int?
        package let behaviour: [BehaviourChange]?
        /// How long Apple's CDN took to serve it at every edge; nil where that was not seen.
        package let propagationSeconds: Int?

        package init(
            content: ContentHash, meaning: ContentHash, from: Date, until: Date?, bytes: Int?,
            differences: Differences?, propagationSeconds: Int?
        ) {
            sha256 = content.hex
            self.meaning = meaning.hex
            self.from = from
            self.until = until
            self.bytes = bytes
            changes = differences?.changes
            changesTotal = differences?.total
            behaviour = differences?.behaviour
            self.propagationSeconds = propagationSeconds
        }

        package var differences: Differences? {
            changes.map { Differences(changes: $0, total: changesTotal, behaviour: behaviour ?? []) }
        }
    }

    package struct Propagation: Codable, Sendable {
        package let changedAt: Date
        package let seconds: Int

        package init(changedAt: Date, seconds: Int) {
            self.changedAt = changedAt
            self.seconds = seconds
        }
    }

    package struct Usual: Codable, Sendable {
        package let medianSeconds: Int
        /// Nine of ten changes took no longer.
        package let ninthSeconds: Int

        package init(_ usual: UsualPropagation) {
            medianSeconds = usual.median
            ninthSeconds = usual.percentile90
        }
    }

    package init(
        domain: String, checkedAt: Date?, versions: [Version], propagations: [Propagation], usual: Usual?,
        lagSeconds: Int?, incidents: [IncidentReport], deliveries: [DeliveryReport]
    ) {
        self.domain = domain
        self.checkedAt = checkedAt
        self.versions = versions
        self.propagations = propagations
        self.usual = usual
        self.lagSeconds = lagSeconds
        self.incidents = incidents
        self.deliveries = deliveries
    }

    /// Versions, incidents and deliveries that are read at most.
    package static let largestLimit = 64
}
