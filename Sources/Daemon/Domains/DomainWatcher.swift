// One check of one watched domain: probe, evaluate, commit. Its errors affect no other domain.

import Alerting
import Curl
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import MonitorMetrics
import Probing
import Storage

/// Probes a domain: over the network, or in a test.
package protocol DomainProbing: Sendable {
    /// See `DomainProbe.observe`.
    func observe(
        _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String], timeout: Duration?,
        compared: (origin: ContentHash, copy: ContentHash)?, now: Date
    ) async throws -> Observation
}

extension DomainProbe: DomainProbing {
    package func observe(
        _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String], timeout: Duration?,
        compared: (origin: ContentHash, copy: ContentHash)?, now: Date
    ) async throws -> Observation {
        // monitor.yaml cannot name other places.
        try await observe(
            domain, mode: mode, depth: depth, hadFile: hadFile, pages: pages, timeout: timeout, compared: compared,
            places: [], now: now)
    }
}

package struct DomainWatcher: Sendable {
    /// Shared by the watchers of all domains. A class, so that ten thousand watchers hold it once.
    package final class Dependencies: Sendable {
        let probe: any DomainProbing
        let store: Store
        /// nil: the local network is always trusted.
        let global: (any GlobalView)?
        let delivery: Delivery
        /// nil: not collected.
        let metrics: MetricsRegistry?
        let time: any MonitorClock
        let logger: Logger
        /// Whether a channel is notified of changes.
        let followsChanges: Bool

        package init(
            probe: any DomainProbing, store: Store, global: (any GlobalView)?, delivery: Delivery,
            metrics: MetricsRegistry? = nil, time: any MonitorClock, logger: Logger, followsChanges: Bool = false
        ) {
            self.probe = probe
            self.store = store
            self.global = global
            self.delivery = delivery
            self.metrics = metrics
            self.time = time
            self.logger = logger
            self.followsChanges = followsChanges
        }
    }

    let watched: WatchedDomain
    package let schedule: CheckSchedule
    private let use: Dependencies
    private let unread = LogDeduplicator()

    private var policy: Policy { Policy(watched, followsChanges: use.followsChanges) }

    package init(_ watched: WatchedDomain, _ use: Dependencies) {
        self.watched = watched
        self.use = use
        schedule = CheckSchedule(domain: watched.domain, interval: watched.checks.interval)
    }

    /// The work at the domain's turn: a check. If the state was not read yet, it is read, and only a domain that was
    /// never checked is checked now.
    /// - Returns: nil if the state cannot be read. Then there is no check: it would overwrite the stored state.
    func turn(_ known: DomainState?) async throws -> DomainState? {
        if let known { return try await check(known) }
        guard let state = try await storedState() else { return nil }
        return state.lastCheckedAt == nil ? try await check(state) : state
    }

    /// Runs a full check outside the schedule.
    /// - Returns: see `turn`.
    func checkNow(_ known: DomainState?) async throws -> DomainState? {
        let state = if let known { known } else { try await storedState() }
        guard let state else { return nil }
        return try await check(state, depth: .full)
    }

    /// nil if it cannot be read, which is logged once.
    private func storedState() async throws -> DomainState? {
        do {
            var state = try await use.store.state(of: watched.domain)
            if state == nil { state = try await use.store.firstState(of: watched.domain) }
            unread.isOver()
            return state
        } catch let error as CancellationError {
            throw error
        } catch {
            if unread.isNews("\(error)") {
                use.logger.error(
                    "domain not checked: its state cannot be read", metadata: metadata(["error": "\(error)"]))
            }
            return nil
        }
    }

    /// One check from the probe to the commit. It waits for no other domain and no receiver. `depth`: nil: as the state
    /// requires.
    /// - Returns: the new state, or the old one if the commit failed: the next check then evaluates again.
    package func check(_ state: DomainState, depth: Depth? = nil) async throws -> DomainState {
        let begun = ContinuousClock.now
        let (observation, evaluation) = try await evaluatedProbe(state, depth)
        await use.global?.note(evaluation.state)
        do {
            let hasChanged = try await use.store.commit(evaluation, of: observation, after: state)
            if hasChanged { use.delivery.wake() }
        } catch let error as CancellationError {
            throw error
        } catch {
            use.metrics?.noteDiscarded(took: (ContinuousClock.now - begun).inSeconds)
            use.logger.error("check discarded: store write failed", metadata: metadata(["error": "\(error)"]))
            await use.global?.note(state)
            return state
        }
        use.metrics?.note(
            observation, evaluation, before: state, took: (ContinuousClock.now - begun).inSeconds,
            wall: use.time.systemTime())
        report(evaluation, before: state)
        return evaluation.state
    }

    /// Probes at the depth that the state requires, and evaluates. If a light probe shows a change or a problem, a full
    /// one replaces it, so that the first alert has all evidence.
    private func evaluatedProbe(
        _ state: DomainState, _ wanted: Depth?
    ) async throws -> (Observation, Evaluation) {
        let depth = wanted ?? state.depth(fullEvery: watched.checks.fullEvery, now: use.time.now())
        let first = try await observe(depth, known: state)
        let evaluated = evaluate(
            state, first, policy, now: use.time.now(), wall: use.time.systemTime(),
            network: await network(after: first, state))
        guard depth == .light, state.wantsFullProbe(after: evaluated) else { return (first, evaluated) }
        let full = try await observe(.full, known: evaluated.state)
        let network = await network(after: full, state)
        return (
            full,
            evaluate(
                state, full, policy, now: use.time.now(), wall: use.time.systemTime(), replacing: first,
                network: network)
        )
    }

    private func network(after observation: Observation, _ known: DomainState) async -> LocalNetwork {
        await use.global?.network(after: observation, known: known) ?? .trusted
    }

    private func observe(_ depth: Depth, known: DomainState) async throws -> Observation {
        var compared: (origin: ContentHash, copy: ContentHash)?
        if let origin = known.originPeriods.last?.content, let copy = known.cdnCopy?.content {
            compared = (origin, copy)
        }
        return try await use.probe.observe(
            watched.domain, mode: watched.mode, depth: depth, hadFile: known.hadFile,
            pages: depth == .full ? policy.expectations.pages(of: watched.domain) : [], timeout: watched.checks.timeout,
            compared: compared, now: use.time.now())
    }

    private func report(_ evaluation: Evaluation, before: DomainState) {
        let verdict = evaluation.verdict
        let isSame = before.verdict?.diagnosis.saysTheSame(as: verdict.diagnosis) ?? false
        if before.verdict?.level != verdict.level || !isSame {
            let isWorse = verdict.level == .failing && before.verdict?.level != .failing
            use.logger.log(
                level: isWorse ? .warning : .info, "\(verdict.text(at: use.time.systemTime()).oneLine)",
                metadata: metadata([
                    "verdict": "\(verdict.level.rawValue)", "comparison": "\(verdict.comparison.state.rawValue)",
                ]))
        }
        for change in evaluation.changes { change.log(to: use.logger, at: use.time.systemTime()) }
    }

    private func metadata(_ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["domain": "\(watched.domain)"]) { first, _ in first }
    }
}
