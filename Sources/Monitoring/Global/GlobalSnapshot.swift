// What a global evaluation sees.

import Evidence
import Foundation

/// What it needs to know of one domain. It is decoded from a stored `DomainState` too, of which it is a quarter: all are read before
/// the first check.
package struct DomainHealth: Decodable, Equatable, Sendable {
    package let domain: Domain
    /// Between two checks.
    package var interval: Duration = .zero { didSet { seconds = interval.inSeconds } }
    /// When it began to be monitored as it is now: nothing is late by what was to be done before.
    package var watchedSince = Date.distantPast
    /// nil: never.
    package var checkedAt: Date?
    let firstCheckedAt: Date?
    package let reachability: Reachability
    /// The open incidents whose condition holds as far as is known, pending ones included.
    let problems: [TrackedIncident]
    let blindness: Blindness?
    /// What the last check concluded, where there is a problem, or it saw nothing.
    let diagnosis: Diagnosis?
    /// The interval, for arithmetic.
    private(set) var seconds: TimeInterval = 0

    package init(_ state: DomainState, interval: Duration = .zero) {
        domain = state.domain
        self.interval = interval
        seconds = interval.inSeconds
        checkedAt = state.lastCheckedAt
        firstCheckedAt = state.firstCheckedAt
        reachability = state.reachability
        problems = Self.problems(state.incidents)
        blindness = state.blindness
        diagnosis = state.open.isEmpty && blindness == nil ? nil : state.verdict?.diagnosis
    }

    private enum CodingKeys: CodingKey {
        case domain, lastCheckedAt, firstCheckedAt, reachability, incidents, blindness, verdict
    }

    private enum VerdictKeys: CodingKey { case diagnosis }

    package init(from decoder: any Decoder) throws {
        let state = try decoder.container(keyedBy: CodingKeys.self)
        domain = try state.decode(Domain.self, forKey: .domain)
        checkedAt = try state.decodeIfPresent(Date.self, forKey: .lastCheckedAt)
        firstCheckedAt = try state.decodeIfPresent(Date.self, forKey: .firstCheckedAt)
        reachability = try state.decode(Reachability.self, forKey: .reachability)
        let incidents = try state.decode(IncidentMemory<IncidentKind>.self, forKey: .incidents)
        problems = Self.problems(incidents)
        blindness = try state.decodeIfPresent(Blindness.self, forKey: .blindness)
        let isWell = incidents.open.isEmpty && blindness == nil
        diagnosis =
            isWell || !state.contains(.verdict)
            ? nil
            : try state.nestedContainer(keyedBy: VerdictKeys.self, forKey: .verdict)
                .decode(Diagnosis.self, forKey: .diagnosis)
    }

    private static func problems(_ incidents: IncidentMemory<IncidentKind>) -> [TrackedIncident] {
        incidents.open.values.filter { $0.recoveries == 0 }.sorted { $0.incident.kind < $1.incident.kind }
    }

    func hasProblem(_ kinds: IncidentKind...) -> Bool { problems.contains { kinds.contains($0.incident.kind) } }
}

/// All that a global evaluation sees.
package struct GlobalSnapshot: Equatable, Sendable {
    /// Every domain that is monitored, best in the order of names; those that were never checked are ignored.
    package var domains: [DomainHealth]
    /// The median of the intervals.
    package var usualInterval: Duration
    package var suspicion: NetworkSuspicion
    package var canaries: ConnectivityRound?
    package var channels: [FailingChannel]
    /// Of all channels that there are, failing or not; nil where that is not known.
    package var channelNames: Set<String>?
    /// The store takes no writes: checks are late for this reason alone.
    package var isStoreFailing: Bool
    package var refusal: RefusedConfiguration?
    /// When this process began to check, or could store checks again: nothing is late by what was missed before.
    package var startedAt: Date

    /// `usualInterval`: nil computes it, which sorts all domains.
    package init(
        domains: [DomainHealth], usualInterval: Duration? = nil, suspicion: NetworkSuspicion = NetworkSuspicion(),
        canaries: ConnectivityRound? = nil, channels: [FailingChannel] = [], channelNames: Set<String>? = nil,
        isStoreFailing: Bool = false, refusal: RefusedConfiguration? = nil, startedAt: Date = .distantPast
    ) {
        self.domains = domains
        self.usualInterval = usualInterval ?? Self.usualInterval(domains.map(\.interval))
        self.suspicion = suspicion
        self.canaries = canaries
        self.channels = channels
        self.channelNames = channelNames
        self.isStoreFailing = isStoreFailing
        self.refusal = refusal
        self.startedAt = startedAt
    }

    /// The median; one minute of none.
    package static func usualInterval(_ intervals: [Duration]) -> Duration {
        let sorted = intervals.sorted()
        return sorted.isEmpty ? .seconds(60) : sorted[sorted.count / 2]
    }
}

/// What the reference hosts said when they were last asked.
package struct ConnectivityRound: Equatable, Sendable {
    package let at: Date
    package let hosts: [String]
    /// None of them was reached.
    package let isLost: Bool

    package init(at: Date, hosts: [String], isLost: Bool) {
        self.at = at
        self.hosts = hosts
        self.isLost = isLost
    }
}

/// A channel that takes no messages.
package struct FailingChannel: Equatable, Sendable {
    package let name: String
    /// It refuses us; else it merely fails.
    package let isDisabled: Bool
    package let since: Date
    /// What was seen, without secrets.
    package let words: String

    package init(name: String, isDisabled: Bool, since: Date, words: String) {
        self.name = name
        self.isDisabled = isDisabled
        self.since = since
        self.words = words
    }
}

/// The configuration file was changed, and is not the one in force.
package struct RefusedConfiguration: Equatable, Sendable {
    /// The first refusal since a file was taken.
    package let since: Date
    /// What is wrong with it, without secrets.
    package let words: String

    package init(since: Date, words: String) {
        self.since = since
        self.words = words
    }
}
