// All that the monitor remembers of one domain between checks.

import Evidence
import Foundation

package struct DomainState: Codable, Equatable, Sendable {
    package var domain: Domain
    package var lastCheckedAt: Date?
    /// Contents that the origin was seen to serve, oldest first; bounded by `maximumPeriods`.
    package var originPeriods: [OriginPeriod]
    /// What the CDN served at the last look that had an answer.
    package var cdnCopy: CDNSighting?
    /// The open incidents, pending ones included, by kind.
    package var open: [IncidentKind: OpenIncident]
    /// Since when the origin has been serving a valid file without a break; nil while it does not.
    package var originValidSince: Date?
    /// The last verdict, for those who read.
    package var verdict: Verdict?

    package static let maximumPeriods = 64

    package init(domain: Domain) {
        self.domain = domain
        originPeriods = []
        open = [:]
    }
}

package struct CDNSighting: Codable, Equatable, Sendable {
    /// nil: the CDN said that it has no copy.
    package var meaning: ContentHash?
    package var content: ContentHash?
    package var firstSeen: Date
    package var lastSeen: Date

    package init(meaning: ContentHash?, content: ContentHash?, firstSeen: Date, lastSeen: Date) {
        self.meaning = meaning
        self.content = content
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// An incident that is not over, with the counts that decide its next step. Counts are stored: a restart neither
/// delays nor repeats an alert.
package struct OpenIncident: Codable, Equatable, Sendable {
    package var incident: Incident
    /// Consecutive checks that held the condition true.
    package var confirmations: Int
    /// Consecutive checks that held it false.
    package var recoveries: Int
    /// Since when checks could not tell; nil while they can.
    package var unknownSince: Date?
    /// Until when nobody is told, since the trouble may well end by itself; nil: the count alone decides.
    package var graceUntil: Date?
    /// Why the condition ended, as the first check without it saw; nil while it holds.
    package var recovery: Incident.Resolution?

    package init(
        incident: Incident, confirmations: Int = 0, recoveries: Int = 0, unknownSince: Date? = nil,
        graceUntil: Date? = nil, recovery: Incident.Resolution? = nil
    ) {
        self.incident = incident
        self.confirmations = confirmations
        self.recoveries = recoveries
        self.unknownSince = unknownSince
        self.graceUntil = graceUntil
        self.recovery = recovery
    }
}
