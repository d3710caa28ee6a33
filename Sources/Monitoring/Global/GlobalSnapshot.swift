// What a global evaluation sees.

import Evidence
import Foundation

/// What it needs to know of one domain.
package struct DomainHealth: Equatable, Sendable {
    package let domain: Domain
    /// Between two checks.
    package var interval: Duration { didSet { seconds = interval.inSeconds } }
    /// When it began to be monitored as it is now: nothing is late by what was to be done before.
    package var watchedSince: Date
    /// nil: never.
    package let checkedAt: Date?
    package let firstCheckedAt: Date?
    package let reachability: Reachability
    /// The open incidents whose condition holds as far as is known, pending ones included.
    package let problems: [Problem]
    package let blindness: Blindness?
    /// What the last check concluded, where there is a problem, or it saw nothing.
    package let diagnosis: Diagnosis?
    /// The interval, for arithmetic.
    private(set) var seconds: TimeInterval

    package struct Problem: Equatable, Sendable {
        package let kind: IncidentKind
        package let isConfirmed: Bool
        /// When it began, or came back.
        package let openedAt: Date
        /// It does not fire before this instant, since it may end by itself.
        package let graceUntil: Date?

        /// When it counts: at once, or at the end of its time.
        var turnedAt: Date { graceUntil ?? openedAt }
    }

    package init(_ state: DomainState, interval: Duration, watchedSince: Date = .distantPast) {
        self.init(DomainStanding(state), interval: interval, watchedSince: watchedSince)
    }

    package init(_ state: DomainStanding, interval: Duration, watchedSince: Date) {
        domain = state.domain
        self.interval = interval
        seconds = interval.inSeconds
        self.watchedSince = watchedSince
        checkedAt = state.lastCheckedAt
        firstCheckedAt = state.firstCheckedAt
        reachability = state.reachability
        blindness = state.blindness
        diagnosis = state.incidents.open.isEmpty && blindness == nil ? nil : state.verdict?.diagnosis
        problems =
            state.incidents.open.isEmpty
            ? []
            : state.incidents.open.sorted { $0.key < $1.key }.compactMap { kind, open in
                guard open.recoveries == 0 else { return nil }
                return Problem(
                    kind: kind, isConfirmed: open.hasFired, openedAt: open.returnedAt ?? open.incident.openedAt,
                    graceUntil: open.graceUntil)
            }
    }

    func hasProblem(_ kinds: IncidentKind...) -> Bool { problems.contains { kinds.contains($0.kind) } }
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

/// Of a state what a global evaluation needs, encoded as these fields of `DomainState` are. It is read for all domains before the first
/// check, and a stored state is four times as long.
package struct DomainStanding: Decodable, Sendable {
    package let domain: Domain
    package var lastCheckedAt: Date?
    package let firstCheckedAt: Date?
    package let reachability: Reachability
    package let incidents: IncidentMemory<IncidentKind>
    let blindness: Blindness?
    let verdict: Conclusion?

    /// Of a verdict.
    struct Conclusion: Decodable, Sendable {
        let diagnosis: Diagnosis
    }

    package init(_ state: DomainState) {
        domain = state.domain
        lastCheckedAt = state.lastCheckedAt
        firstCheckedAt = state.firstCheckedAt
        reachability = state.reachability
        incidents = state.incidents
        blindness = state.blindness
        verdict = state.verdict.map { Conclusion(diagnosis: $0.diagnosis) }
    }
}
