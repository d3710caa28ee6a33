// The input of a global evaluation: the health of each domain, and the state of network, store and channels.

import Evidence
import Foundation

/// What a global evaluation needs from one domain. It can be decoded from a stored `DomainState`, and has a quarter of
/// its size, because all are read before the first check.
package struct DomainHealth: Decodable, Equatable, Sendable {
    package let domain: Domain
    /// The time between two checks.
    package var interval: Duration = .zero { didSet { seconds = interval.inSeconds } }
    /// When monitoring began with the current settings: earlier checks cannot be late.
    package var watchedSince = Date.distantPast
    /// nil: never.
    package var checkedAt: Date?
    let firstCheckedAt: Date?
    package let reachability: Reachability
    /// The open incidents, also pending ones, whose condition still holds as far as is known.
    let problems: [TrackedIncident]
    let blindness: Blindness?
    /// The conclusion of the last check, if there is a problem or it saw nothing.
    let diagnosis: Diagnosis?
    /// `interval` in seconds, for arithmetic.
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

    /// Those that may explain what Apple's CDN serves.
    var originProblems: [TrackedIncident] { problems.filter { IncidentKind.inhibiting.contains($0.incident.kind) } }
}

/// The input of a global evaluation.
package struct GlobalSnapshot: Equatable, Sendable {
    /// All monitored domains, preferably sorted by name; domains without a check are ignored.
    package var domains: [DomainHealth]
    /// The median of the intervals.
    package var usualInterval: Duration
    package var suspicion: NetworkSuspicion
    package var canaries: ConnectivityRound?
    package var channels: [FailingChannel]
    /// The names of all configured channels; nil if unknown.
    package var channelNames: Set<String>?
    /// The store accepts no writes: late checks have no other reason.
    package var isStoreFailing: Bool
    package var refusal: RefusedConfiguration?
    /// When this process began to check, or could store checks again: earlier checks cannot be late.
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

    /// The median; one minute if there are no intervals.
    package static func usualInterval(_ intervals: [Duration]) -> Duration {
        let sorted = intervals.sorted()
        return sorted.isEmpty ? .seconds(60) : sorted[sorted.count / 2]
    }
}

/// The result of the last request to the reference hosts.
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

/// A channel that accepts no messages.
package struct FailingChannel: Equatable, Sendable {
    package let name: String
    /// True: it refuses messages. False: delivery fails.
    package let isDisabled: Bool
    package let since: Date
    /// The observed error, without secrets.
    package let words: String

    package init(name: String, isDisabled: Bool, since: Date, words: String) {
        self.name = name
        self.isDisabled = isDisabled
        self.since = since
        self.words = words
    }
}

/// The configuration file has changed and is not active.
package struct RefusedConfiguration: Equatable, Sendable {
    /// The first refusal since a file was accepted.
    package let since: Date
    /// What is wrong with the file, without secrets.
    package let words: String

    package init(since: Date, words: String) {
        self.since = since
        self.words = words
    }
}
