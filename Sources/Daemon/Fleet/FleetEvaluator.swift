// The evaluation over all domains together, wired: it knows the health of each domain, evaluates, commits, and tells the
// delivery. No rule is here; those are in `evaluateFleet`.

import Alerting
import Evidence
import Foundation
import Logging
import Monitoring
import Storage

/// What the watcher of one domain reports of it, and learns of all of them.
package protocol FleetView: Sendable {
    /// Takes note of a domain's state after a check.
    func note(_ state: DomainState) async
    /// Whether what a probe did not reach may well be there.
    func network(after observation: Observation, known: DomainState) async -> LocalNetwork
}

package actor FleetEvaluator: FleetView {
    /// What it is given besides the configuration.
    package struct Dependencies: Sendable {
        let store: Store
        let delivery: Delivery
        /// Why the configuration file is not the one in force; nil where it is.
        let refusal: @Sendable () -> RefusedConfiguration?
        let time: any Timekeeper
        let logger: Logger

        package init(
            store: Store, delivery: Delivery, refusal: @escaping @Sendable () -> RefusedConfiguration?,
            time: any Timekeeper, logger: Logger
        ) {
            self.store = store
            self.delivery = delivery
            self.refusal = refusal
            self.time = time
            self.logger = logger
        }
    }

    /// What the configuration says; a reload brings another one.
    package struct Configuration: Sendable {
        /// Of each watched domain.
        let intervals: [Domain: Duration]
        let channels: Set<String>
        let policy: FleetPolicy
        /// nil where no reference hosts are configured.
        let canaries: CanaryWatch?

        package init(
            intervals: [Domain: Duration], channels: Set<String>, policy: FleetPolicy, canaries: CanaryWatch?
        ) {
            self.intervals = intervals
            self.channels = channels
            self.policy = policy
            self.canaries = canaries
        }
    }

    private let dependencies: Dependencies
    private var configuration: Configuration
    private var health: FleetHealth
    private var state = FleetState()
    /// When this process began to check, or could store checks again.
    private var startedAt: Date
    private var isStoreFailing = false
    /// One pass at a time: each begins with what the one before has committed.
    private var isEvaluating = false
    /// How long the last pass took.
    private var lastPass: Duration = .zero
    private let trouble = LogDeduplicator()

    private static let longestPause: Duration = .seconds(2)
    private static let shortestPause: Duration = .milliseconds(50)
    /// A pass takes at most one part in so many of the machine's time.
    private static let share = 10
    /// A check may be between its instant and its note while a pass begins.
    private static let slack: TimeInterval = 0.25

    package init(_ dependencies: Dependencies, _ configuration: Configuration) {
        self.dependencies = dependencies
        self.configuration = configuration
        startedAt = dependencies.time.now()
        health = FleetHealth(intervals: configuration.intervals)
    }

    /// Takes up what the last process knew. It must have gone well before the first check.
    package func prepare() async throws {
        for standing in try await dependencies.store.standings() { health.note(standing) }
        state = try await dependencies.store.fleetState() ?? FleetState()
    }

    /// Takes another configuration, as after a reload.
    package func replace(_ configuration: Configuration) {
        self.configuration = configuration
        health.replace(intervals: configuration.intervals, at: dependencies.time.now())
    }

    package func note(_ state: DomainState) { health.note(DomainStanding(state)) }

    package func network(after observation: Observation, known: DomainState) async -> LocalNetwork {
        let reachability = known.reachability.after(observation, at: dependencies.time.now())
        guard reachability.isLost else { return .trusted }
        await configuration.canaries?.ask()
        let round = await configuration.canaries?.round
        let now = dependencies.time.now()
        // What this check will add, were it committed.
        var suspicion = health.suspicion
        let interval = configuration.intervals[observation.domain] ?? .zero
        suspicion.note(observation.domain, reachability, interval: interval, at: now)
        return suspicion.isSuspect(canaries: round, now: now) ? .suspect : .trusted
    }

    /// Whether this machine's own network is in doubt.
    var isNetworkSuspect: Bool {
        get async {
            health.suspicion.isSuspect(
                canaries: await configuration.canaries?.round, now: dependencies.time.now())
        }
    }

    /// Passes, one after the other, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await evaluate()
            try? await dependencies.time.sleep(for: pause)
        }
    }

    /// Until the next pass. Domains that are checked every few seconds are evaluated faster.
    package var pause: Duration {
        let pace = dependencies.time.pace
        let usual = max(
            min(Self.longestPause * pace, (health.shortestInterval ?? .seconds(60)) / 4), Self.shortestPause * pace)
        return max(usual, lastPass * Self.share * pace)
    }

    /// One pass over all domains.
    package func evaluate() async {
        guard !isEvaluating else { return }
        isEvaluating = true
        defer { isEvaluating = false }
        let began = ContinuousClock.now
        let round = await configuration.canaries?.round
        let now = dependencies.time.now()
        let evaluation = evaluateFleet(state, snapshot(round, now: now), configuration.policy, now: now)
        lastPass = ContinuousClock.now - began
        do {
            try await commit(evaluation)
            trouble.isOver()
        } catch {
            if trouble.isNews("away"), !Task.isCancelled {
                dependencies.logger.error(
                    "fleet evaluation discarded: store write failed", metadata: ["error": "\(error)"])
            }
            return
        }
        dependencies.delivery.set(fleet: now - Self.slack * dependencies.time.pace, affected: evaluation.affected)
        // What an incident inhibited is asked about again.
        if evaluation.changes.contains(where: \.endsInhibition) { dependencies.delivery.reconsider() }
    }

    private func snapshot(_ round: CanaryRound?, now: Date) -> FleetSnapshot {
        let isFailing = dependencies.store.health.isFailing
        if isStoreFailing, !isFailing { startedAt = now }
        isStoreFailing = isFailing
        return FleetSnapshot(
            domains: health.domains, usualInterval: health.usualInterval, suspicion: health.suspicion, canaries: round,
            channels: dependencies.delivery.troubles(), channelNames: configuration.channels,
            isStoreFailing: isFailing, refusal: dependencies.refusal(), startedAt: startedAt)
    }

    private func commit(_ evaluation: FleetEvaluation) async throws {
        if evaluation.isWorthStoring {
            let hasChanged = try await dependencies.store.commit(
                FleetRecord(state: evaluation.state, changes: evaluation.changes, dropped: evaluation.dropped))
            if hasChanged { dependencies.delivery.wake() }
        }
        state = evaluation.state
        for change in evaluation.changes { change.log(to: dependencies.logger) }
    }
}

extension IncidentChange {
    fileprivate var endsInhibition: Bool {
        transition == .resolved && incident.cause.map { !$0.inhibits.isEmpty } ?? false
    }
}
