// All that the monitor remembers of one domain between checks.

import Evidence
import Foundation

package struct DomainState: Codable, Equatable, Sendable {
    package var domain: Domain
    package var lastCheckedAt: Date?
    /// When it was first checked: what was wrong then has not changed since. nil before the first check.
    package var firstCheckedAt: Date?
    package var reachability: Reachability
    /// When everything was last asked for, not only the two plain requests.
    package var lastFullAt: Date?
    /// What a light check would have seen then; nil where the verdict is of a later check that saw something else.
    package var lightFingerprint: ContentHash?
    /// Contents that the origin served, oldest first; at most `maximumPeriods`.
    package var originPeriods: [OriginPeriod]
    /// What the origin served at the last checks that found a file, by meaning, oldest first; at most `maximumContents`.
    package var recentContents: [ContentHash]
    /// How long Apple's CDN took for the last changes, oldest first; at most `maximumPropagations`.
    package var propagations: [Propagation]
    /// What the CDN served at the last check that had an answer.
    package var cdnCopy: CDNCopy?
    package var incidents: IncidentMemory<IncidentKind>
    /// The change of the origin that is followed to every edge; nil: none, or no channel takes changes.
    package var change: Incident?
    /// Since when the origin has been serving a valid file without a break; nil while it does not.
    package var originValidSince: Date?
    /// The last verdict, for those who read.
    package var verdict: Verdict?

    /// Of the stored form. The store writes it beside the state, and refuses a newer one.
    package static let formatVersion = 3
    package static let maximumPeriods = 64
    package static let maximumContents = 8
    package static let maximumPropagations = 20

    /// `begun`: how many incidents the domain had when it was monitored before; those are forgotten.
    package init(domain: Domain, begun: Int = 0) {
        self.domain = domain
        incidents = IncidentMemory(begun: begun)
        reachability = Reachability()
        originPeriods = []
        recentContents = []
        propagations = []
    }

    /// What the judgement of a check needs to know of earlier ones.
    package var history: CopyHistory {
        CopyHistory(
            periods: originPeriods, servingSince: originValidSince, firstAskedAt: firstCheckedAt,
            usual: UsualPropagation(propagations.map(\.seconds)))
    }

    /// Whether the origin was ever seen to serve a file, or Apple's CDN to have one.
    package var hadFile: Bool { !originPeriods.isEmpty || cdnCopy?.meaning != nil }

    package var open: [IncidentKind: TrackedIncident] {
        get { incidents.open }
        set { incidents.open = newValue }
    }
    package var ended: [IncidentKind: TrackedIncident] {
        get { incidents.ended }
        set { incidents.ended = newValue }
    }
    package var begun: Int { incidents.begun }
}

/// How long Apple's CDN took for a change of the origin, to the interval of the checks.
package struct Propagation: Codable, Equatable, Sendable {
    /// The first check that saw it at the origin.
    package var changedAt: Date
    /// To the check that saw every edge follow.
    package var seconds: Int

    package init(changedAt: Date, seconds: Int) {
        self.changedAt = changedAt
        self.seconds = seconds
    }
}

package struct CDNCopy: Codable, Equatable, Sendable {
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
