import Evidence
import Foundation

/// Of one watched domain what the judgement over all of them needs.
package struct DomainGlimpse: Equatable, Sendable {
    package let domain: Domain
    /// Between two checks.
    package var interval: Duration
    /// When it began to be watched as it is now; nothing is late by what was to be done before.
    package var watchedSince = Date.distantPast
    /// nil: never.
    package private(set) var checkedAt: Date?
    package let firstCheckedAt: Date?
    package private(set) var reach: Reach
    /// The open incidents whose condition holds as far as is known, pending ones included.
    package let troubles: [Trouble]

    package struct Trouble: Equatable, Sendable {
        package let kind: IncidentKind
        package let isConfirmed: Bool
        /// When it began, or came back.
        package let openedAt: Date
        /// Until when nobody is told, since it may end by itself.
        package let graceUntil: Date?

        /// When it becomes news: at once, or at the end of its time.
        package var turnedAt: Date { graceUntil ?? openedAt }
    }

    package init(_ state: DomainState, interval: Duration) {
        domain = state.domain
        self.interval = interval
        checkedAt = state.lastCheckedAt
        firstCheckedAt = state.firstCheckedAt
        reach = state.reach
        troubles = state.open.sorted { $0.key < $1.key }.compactMap { kind, open in
            guard open.recoveries == 0, open.incident.state != .resolved else { return nil }
            return Trouble(
                kind: kind, isConfirmed: open.incident.state != .pending,
                openedAt: open.returnedAt ?? open.incident.openedAt,
                graceUntil: open.graceUntil)
        }
    }

    /// What is known after one more look, before it is judged.
    package func after(_ observation: Observation, at now: Date) -> DomainGlimpse {
        var glimpse = self
        glimpse.checkedAt = now
        glimpse.reach = reach.after(observation, at: now)
        return glimpse
    }
}

/// What else there is to judge by.
package struct FleetLook: Equatable, Sendable {
    /// Every watched domain; those that were never checked count for nothing.
    package var domains: [DomainGlimpse]
    package var canaries: CanaryRound?
    package var channels: [FailingChannel]
    /// Of all channels that there are, well or not; nil where that is not known.
    package var channelNames: Set<String>?
    package var store: StoreTrouble?
    package var refusal: RefusedConfiguration?
    /// When this process began to watch: nothing is late by what was missed before.
    package var startedAt: Date

    package init(
        domains: [DomainGlimpse], canaries: CanaryRound? = nil, channels: [FailingChannel] = [],
        channelNames: Set<String>? = nil, store: StoreTrouble? = nil, refusal: RefusedConfiguration? = nil,
        startedAt: Date = .distantPast
    ) {
        self.domains = domains
        self.canaries = canaries
        self.channels = channels
        self.channelNames = channelNames
        self.store = store
        self.refusal = refusal
        self.startedAt = startedAt
    }
}

/// What the reference hosts said when they were last asked.
package struct CanaryRound: Equatable, Sendable {
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

/// A channel through which messages do not get.
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

/// What is seen cannot be written down.
package struct StoreTrouble: Equatable, Sendable {
    package let since: Date
    /// What was seen and what to do.
    package let words: String
    /// Nothing could be watched yet.
    package let isAtStart: Bool

    package init(since: Date, words: String, isAtStart: Bool = false) {
        self.since = since
        self.words = words
        self.isAtStart = isAtStart
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
