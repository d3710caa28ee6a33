// All that the monitor remembers of one domain between checks.

import Evidence
import Foundation

package struct DomainState: Codable, Equatable, Sendable {
    package var domain: Domain
    package var lastCheckedAt: Date?
    /// When it was first seen: what was wrong then has not changed since. nil before the first check.
    package var firstCheckedAt: Date?
    /// How far the last looks got.
    package var reach: Reach
    /// When everything was last asked for, not only the two plain requests.
    package var lastFullAt: Date?
    /// Contents that the origin was seen to serve, oldest first; bounded by `maximumPeriods`.
    package var originPeriods: [OriginPeriod]
    /// What the origin served at the last looks that found a file, by meaning, oldest first; at most `maximumLooks`.
    package var originLooks: [ContentHash]
    /// What the CDN served at the last look that had an answer.
    package var cdnCopy: CDNSighting?
    /// The open incidents, pending ones included, by kind.
    package var open: [IncidentKind: OpenIncident]
    /// The last incident of each kind whose end was told, as long as it may be reopened.
    package var ended: [IncidentKind: OpenIncident]
    /// When trouble of each kind came or went within the last hour, oldest first; at most `Flapping.limit`.
    package var turns: [IncidentKind: [Date]]
    /// How many incidents have begun, of all kinds. It numbers them, so that a clock which shows the same instant twice gives
    /// no incident the id of an earlier one.
    package var begun: Int
    /// Since when the origin has been serving a valid file without a break; nil while it does not.
    package var originValidSince: Date?
    /// The last verdict, for those who read.
    package var verdict: Verdict?

    package static let maximumPeriods = 64
    package static let maximumLooks = 8

    /// `begun`: of incidents that the domain may have had when it was watched before, and that are forgotten.
    package init(domain: Domain, begun: Int = 0) {
        self.domain = domain
        self.begun = begun
        reach = Reach()
        originPeriods = []
        originLooks = []
        open = [:]
        ended = [:]
        turns = [:]
    }

    /// States of earlier versions lack what was added since; they are read as if it had not been seen yet.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        domain = try container.decode(Domain.self, forKey: .domain)
        lastCheckedAt = try container.decodeIfPresent(Date.self, forKey: .lastCheckedAt)
        firstCheckedAt = try container.decodeIfPresent(Date.self, forKey: .firstCheckedAt)
        reach = try container.decodeIfPresent(Reach.self, forKey: .reach) ?? Reach()
        lastFullAt = try container.decodeIfPresent(Date.self, forKey: .lastFullAt)
        originPeriods = try container.decode([OriginPeriod].self, forKey: .originPeriods)
        originLooks = try container.decodeIfPresent([ContentHash].self, forKey: .originLooks) ?? []
        cdnCopy = try container.decodeIfPresent(CDNSighting.self, forKey: .cdnCopy)
        open = try container.decode([IncidentKind: OpenIncident].self, forKey: .open)
        ended = try container.decodeIfPresent([IncidentKind: OpenIncident].self, forKey: .ended) ?? [:]
        turns = try container.decodeIfPresent([IncidentKind: [Date]].self, forKey: .turns) ?? [:]
        begun = try container.decodeIfPresent(Int.self, forKey: .begun) ?? 0
        originValidSince = try container.decodeIfPresent(Date.self, forKey: .originValidSince)
        verdict = try container.decodeIfPresent(Verdict.self, forKey: .verdict)
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
