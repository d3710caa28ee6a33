// Runs the global evaluation: collects the health of each domain, evaluates, commits, and wakes the delivery. The rules
// are in `evaluateGlobal`.

import Alerting
import Curl
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Probing
import Storage

/// What a domain's watcher needs from the global evaluation.
package protocol GlobalView: Sendable {
    /// Updates the domain's health after a check.
    func note(_ state: DomainState) async
    /// Whether the local network may be the reason for unreachable hosts.
    func network(after observation: Observation, known: DomainState) async -> LocalNetwork
}

package actor GlobalEvaluator: GlobalView {
    /// Replaced by a reload.
    package struct Configuration: Sendable {
        let domains: [WatchedDomain]
        let channels: Set<String>
        /// nil if no reference hosts are configured.
        let canaries: ConnectivityWatch?

        package init(domains: [WatchedDomain], channels: Set<String>, canaries: ConnectivityWatch?) {
            self.domains = domains
            self.channels = channels
            self.canaries = canaries
        }
    }

    private let store: Store
    private let delivery: Delivery
    /// Why the configuration file is not active; nil if it is.
    private let refusal: @Sendable () -> RefusedConfiguration?
    private let time: any MonitorClock
    private let logger: Logger
    private var configuration: Configuration
    private var health: GlobalHealth
    private var state = GlobalState()
    /// When this process began to check, resumed after a suspension, or could store checks again.
    private var startedAt: Date
    private var isStoreFailing = false
    /// The duration of the last pass.
    private var lastPass: Duration = .zero
    private let trouble = LogDeduplicator()
    /// When the next pass begins, for an accelerated clock.
    private(set) var due = Date.distantPast

    private static let longestPause: Duration = .seconds(2)
    private static let shortestPause: Duration = .milliseconds(50)
    /// A pass takes at most 1/`share` of the time.
    private static let share = 10
    /// Seconds. When a pass begins, a check may be finished but not noted yet.
    private static let slack: TimeInterval = 0.25
    /// Seconds. If a sleep takes this much longer, the machine was suspended or the process was stopped.
    private static let longestOversleep: TimeInterval = 30

    package init(
        _ configuration: Configuration, store: Store, delivery: Delivery,
        refusal: @escaping @Sendable () -> RefusedConfiguration?, time: any MonitorClock, logger: Logger
    ) {
        self.configuration = configuration
        self.store = store
        self.delivery = delivery
        self.refusal = refusal
        self.time = time
        self.logger = logger
        startedAt = time.now()
        health = GlobalHealth(configuration.domains)
    }

    /// Loads the state of the last process. It must succeed before the first check.
    package func prepare() async throws {
        for domain in try await store.domainHealths() { health.note(domain) }
        state = try await store.globalState() ?? GlobalState()
    }

    /// Applies a new configuration after a reload.
    package func replace(_ configuration: Configuration) {
        self.configuration = configuration
        health.replace(configuration.domains, at: time.now())
    }

    package func note(_ state: DomainState) { health.note(DomainHealth(state)) }

    package nonisolated func network(after observation: Observation, known: DomainState) async -> LocalNetwork {
        let reachability = known.reachability.after(observation, at: time.now())
        // The result of nearly all checks, which need not wait for the actor.
        guard reachability.isCutOff else { return .trusted }
        return await network(of: observation.domain, reachability)
    }

    private func network(of domain: Domain, _ reachability: Reachability) async -> LocalNetwork {
        await configuration.canaries?.ask()
        let round = await configuration.canaries?.round
        let now = time.now()
        // The suspicion as if this check were already noted.
        var suspicion = health.suspicion
        let interval = health.interval(of: domain) ?? .zero
        suspicion.note(domain, reachability, interval: interval, at: now)
        if suspicion.isSuspect(canaries: round, now: now) { return .suspect }
        let lostSince = reachability.originLostSince ?? now
        let hostsAnswer = round.map { !$0.isLost && $0.at >= lostSince } ?? false
        return hostsAnswer || suspicion.reachesOthers(than: domain, now: now) ? .proven : .trusted
    }

    var isNetworkSuspect: Bool {
        get async {
            health.suspicion.isSuspect(
                canaries: await configuration.canaries?.round, now: time.now())
        }
    }

    /// Evaluates repeatedly until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await evaluate()
            await rest()
        }
    }

    /// Sleeps until the next pass. Checks missed during a suspension do not count as late.
    private func rest() async {
        let end = time.now() + pause.inSeconds
        due = end
        // Until exactly this time: an accelerated clock that waits for `due` does not go past it.
        try? await time.sleep(until: end)
        let now = time.now()
        let over = now.timeIntervalSince(end)
        guard over > Self.longestOversleep else { return }
        startedAt = now
        logger.notice(
            "monitor was paused: the machine was suspended, or the process was stopped",
            metadata: ["for": "\(Int(over)) s"])
    }

    /// The time until the next pass. Short check intervals shorten it.
    package var pause: Duration {
        let longest = Self.longestPause * time.intervalFactor
        let usual = max(min(longest, (health.shortestInterval ?? .seconds(60)) / 4), Self.shortestPause)
        return max(usual, lastPass * Self.share)
    }

    /// One pass; each begins with the committed result of the one before.
    package func evaluate() async {
        let round = await configuration.canaries?.round
        let now = time.now()
        let evaluation = evaluateGlobal(state, snapshot(round, now: now), now: now)
        lastPass = .seconds(time.now().timeIntervalSince(now))
        do {
            try await commit(evaluation)
            trouble.isOver()
        } catch {
            if trouble.isNews("away"), !Task.isCancelled {
                logger.error(
                    "global evaluation discarded: store write failed", metadata: ["error": "\(error)"])
            }
            return
        }
        delivery.set(global: now - Self.slack)
        // The delivery decides again about inhibited incidents.
        if evaluation.changes.contains(where: \.movesInhibition) { delivery.reconsider() }
    }

    private func snapshot(_ round: ConnectivityRound?, now: Date) -> GlobalSnapshot {
        let isFailing = store.health.isFailing
        if isStoreFailing, !isFailing { startedAt = now }
        isStoreFailing = isFailing
        return GlobalSnapshot(
            domains: health.domains, usualInterval: health.usualInterval, suspicion: health.suspicion, canaries: round,
            channels: delivery.troubles(), channelNames: configuration.channels,
            isStoreFailing: isFailing, refusal: refusal(), startedAt: startedAt)
    }

    private func commit(_ evaluation: GlobalEvaluation) async throws {
        if evaluation.isWorthStoring {
            let hasChanged = try await store.commit(evaluation)
            if hasChanged { delivery.wake() }
        }
        state = evaluation.state
        for change in evaluation.changes { change.log(to: logger, at: time.systemTime()) }
    }
}

extension IncidentChange {
    /// Whether what the incident inhibits has changed: it has ended, or affects other domains.
    fileprivate var movesInhibition: Bool {
        (transition == .resolved || facts != nil) && incident.cause.map { !$0.inhibits.isEmpty } ?? false
    }
}

/// The health of all watched domains. A check changes one entry, however many there are.
struct GlobalHealth: Sendable {
    /// Sorted by name.
    private(set) var domains: [DomainHealth] = []
    private(set) var suspicion = NetworkSuspicion()
    private(set) var usualInterval: Duration = .zero
    /// nil: no domain is watched.
    private(set) var shortestInterval: Duration?
    private var places: [Domain: Int] = [:]

    init(_ watched: [WatchedDomain]) { replace(watched, at: .distantPast) }

    /// Applies new domains and intervals. New or changed domains are watched since `now`.
    mutating func replace(_ watched: [WatchedDomain], at now: Date) {
        let known = places.mapValues { domains[$0] }
        domains = watched.sorted { $0.domain < $1.domain }.map { watched in
            let (domain, interval) = (watched.domain, watched.checks.interval)
            var next = known[domain] ?? DomainHealth(DomainState(domain: domain), interval: interval)
            if known[domain]?.interval != interval { next.watchedSince = now }
            next.interval = interval
            return next
        }
        places = Dictionary(domains.indices.map { (domains[$0].domain, $0) }) { first, _ in first }
        usualInterval = GlobalSnapshot.usualInterval(domains.map(\.interval))
        shortestInterval = watched.shortestInterval
    }

    func interval(of domain: Domain) -> Duration? { places[domain].map { domains[$0].interval } }

    mutating func note(_ health: DomainHealth) {
        guard let place = places[health.domain] else { return }
        let known = domains[place]
        domains[place] = health
        domains[place].interval = known.interval
        domains[place].watchedSince = known.watchedSince
        guard let checkedAt = health.checkedAt else { return }
        suspicion.note(health.domain, health.reachability, interval: known.interval, at: checkedAt)
    }
}

// MARK: - The reference hosts
// They are asked only if the local network is suspect, and rarely: they belong to others.

/// Asks the reference hosts: over the network, or in a test.
package protocol ConnectivityProbing: Sendable {
    /// See `ConnectivityProbe.reachesAny`.
    func reachesAny(of hosts: [String]) async throws -> Bool
}

extension ConnectivityProbe: ConnectivityProbing {}

package actor ConnectivityWatch {
    private let hosts: [String]
    private let probe: any ConnectivityProbing
    private let time: any MonitorClock
    /// Seconds for which an answer is valid.
    private let life: TimeInterval
    private var last: ConnectivityRound?
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isAsking = false

    /// `interval`: the shortest check interval of a domain. An answer is valid for at most one interval.
    package init(hosts: [String], probe: any ConnectivityProbing, time: any MonitorClock, interval: Duration) {
        self.hosts = hosts
        self.probe = probe
        self.time = time
        life = min(30, interval.inSeconds)
    }

    /// The last result; before the first one, that the hosts are reachable.
    var round: ConnectivityRound { last ?? ConnectivityRound(at: .distantPast, hosts: hosts, isLost: false) }

    /// Asks the hosts, unless the last answer is still valid. Concurrent callers share the answer.
    func ask() async {
        if let last, time.now().timeIntervalSince(last.at) < life, time.now() >= last.at { return }
        guard !isAsking else { return await withCheckedContinuation { waiting.append($0) } }
        isAsking = true
        // A cancelled request yields no result.
        if let isReached = try? await probe.reachesAny(of: hosts) {
            last = ConnectivityRound(at: time.now(), hosts: hosts, isLost: !isReached)
        }
        isAsking = false
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

// MARK: - From the configuration file

extension GlobalEvaluator.Configuration {
    init(_ configuration: ConfigurationFile, _ driver: CurlDriver, userAgent: String, time: any MonitorClock) {
        let hosts = configuration.network.canaries
        self.init(
            domains: configuration.domains, channels: Set(configuration.alerts.channels.map(\.name)),
            canaries: hosts.isEmpty
                ? nil
                : ConnectivityWatch(
                    hosts: hosts, probe: ConnectivityProbe(driver: driver, userAgent: userAgent), time: time,
                    interval: configuration.domains.shortestInterval ?? configuration.defaults.interval))
    }
}
