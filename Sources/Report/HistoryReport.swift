// The stored past of one domain: which versions the origin served and what they changed, how long Apple's CDN took for
// them, incidents and deliveries.

import AASA
import Evidence
import Foundation
import Monitoring

package struct HistoryReport: Codable, Sendable {
    package var schema = "aasa-monitor/history/v1"
    package let domain: String
    package let checkedAt: Date?
    /// What the origin served, newest first.
    package let versions: [Version]
    /// How long Apple's CDN took, oldest first.
    package let propagations: [Propagation]
    /// nil for fewer than five changes.
    package let usual: Usual?
    /// How long the CDN lags behind the latest change; nil if it does not.
    package let lagSeconds: Int?
    /// Newest first.
    package let incidents: [IncidentReport]
    /// Newest first.
    package let deliveries: [DeliveryReport]

    /// A period in which the origin served one content.
    package struct Version: Codable, Sendable {
        package let sha256: String
        package let meaning: String
        package let from: Date
        /// The first check that saw another content; nil: it is the current one.
        package let until: Date?
        /// nil if the body is no longer stored.
        package let bytes: Int?
        /// Compared with the version before it; nil for the first one, and if one of the two bodies is no longer
        /// stored.
        package let changes: [AssociationChange]?
        package let changesTotal: Int?
        package let behaviour: [BehaviourChange]?
        /// How long Apple's CDN took to serve it at every edge; nil if that was not seen.
        package let propagationSeconds: Int?

        package init(
            _ period: OriginPeriod, bytes: Int?, differences: Differences?, propagationSeconds: Int?, time: ReportTime
        ) {
            sha256 = period.content.hex
            meaning = period.meaning.hex
            from = time.shown(period.firstSeen)
            until = period.supersededAt.map(time.shown)
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
    }

    package struct Usual: Codable, Sendable {
        package let medianSeconds: Int
        /// Nine of ten changes took no longer.
        package let ninthSeconds: Int
    }

    package init(
        _ state: DomainState, versions: [Version], incidents: [IncidentReport], deliveries: [DeliveryReport],
        time: ReportTime
    ) {
        domain = state.domain.name
        checkedAt = state.lastCheckedAt.map(time.shown)
        self.versions = versions
        propagations = state.propagations.map {
            Propagation(changedAt: time.shown($0.changedAt), seconds: $0.seconds)
        }
        usual = UsualPropagation(state.propagations.map(\.seconds)).map {
            Usual(medianSeconds: $0.median, ninthSeconds: $0.percentile90)
        }
        lagSeconds = state.verdict?.comparison.aged(to: time.now).lagSeconds
        self.incidents = incidents
        self.deliveries = deliveries
    }

    /// The most versions, incidents and deliveries to read.
    package static let largestLimit = 64
}
