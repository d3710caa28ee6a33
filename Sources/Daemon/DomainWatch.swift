// The life of one watched domain: wait, look, judge, commit, and again. Its trouble never leaves it.

import Alerting
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Probing
import Storage

/// What a check looks with: the network, or a test's idea of one.
package protocol DomainLook: Sendable {
    /// As `DomainProbe.observe`.
    func observe(
        _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String], timeout: Duration?,
        compared: (origin: ContentHash, copy: ContentHash)?, now: Date
    ) async throws -> Observation
}

extension DomainProbe: DomainLook {}

package struct DomainWatch: Sendable {
    let order: WatchOrder
    let policy: Policy
    package let schedule: CheckSchedule
    let probe: any DomainLook
    let store: Store
    let routes: Routes
    let silences: SilenceWatch
    let fleet: (any FleetView)?
    let delivery: Delivery
    let time: any Timekeeper
    let logger: Logger

    private var watched: WatchedDomain { order.watched }

    /// Between two tries to read a state that cannot be read.
    private static let storePause: Duration = .seconds(5)

    /// `fleet`: nil: each domain is judged by itself alone.
    package init(
        order: WatchOrder, policy: Policy, probe: any DomainLook, store: Store, routes: Routes, silences: SilenceWatch,
        fleet: (any FleetView)?, delivery: Delivery, time: any Timekeeper, logger: Logger
    ) {
        self.order = order
        self.policy = policy
        schedule = CheckSchedule(domain: order.domain, interval: order.watched.interval)
        self.probe = probe
        self.store = store
        self.routes = routes
        self.silences = silences
        self.fleet = fleet
        self.delivery = delivery
        self.time = time
        self.logger = logger
    }

    /// Watches until the task is cancelled.
    func run() async throws {
        var state = try await loadState()
        while true {
            try await time.sleep(for: schedule.delay(after: state, now: time.now()))
            state = try await check(state)
        }
    }

    /// A store in trouble is no reason to forget what it holds: without the state nothing is checked.
    private func loadState() async throws -> DomainState {
        while true {
            do {
                if let state = try await store.state(of: watched.domain) { return state }
                return try await store.firstState(of: watched.domain)
            } catch let error as CancellationError {
                throw error
            } catch {
                logger.error("the domain's state cannot be read", metadata: metadata(["error": "\(error)"]))
                try await time.sleep(for: Self.storePause)
            }
        }
    }

    /// One check from the look to the commit.
    /// - Returns: the new state, or the old one where nothing could be committed: the next check judges anew.
    package func check(_ state: DomainState) async throws -> DomainState {
        let (observation, evaluation) = try await judgedLook(state)
        await fleet?.note(evaluation.state)
        do {
            // What explains many is told before the first of them.
            if evaluation.events.contains(where: { $0.type == .firing || $0.type == .update }) { await fleet?.judge() }
            let (told, withheld) = silences.mutings.split(
                evaluation.events, labels: watched.labels, at: time.now())
            let drafts = try routes.drafts(
                for: told, domain: watched.domain, labels: watched.labels, channels: watched.channels)
            try await store.commit(
                CheckRecord(
                    observation: observation, state: evaluation.state, incidents: evaluation.incidents,
                    dropped: evaluation.dropped, outbox: drafts, withheld: withheld.map(\.incident.id),
                    reawakened: evaluation.reawakened.sorted()))
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.error(
                "a check could not be stored; it counts for nothing", metadata: metadata(["error": "\(error)"]))
            await fleet?.note(state)
            // So that a schedule without a stored state does not become a tight loop.
            try await time.sleep(for: Self.storePause)
            return state
        }
        report(evaluation, before: state)
        if !evaluation.events.isEmpty { delivery.wake() }
        return evaluation.state
    }

    /// What is seen at the depth that the state asks for, and what it means. A light look that shows a change or trouble is
    /// not kept: a full one takes its place, so that the first report has all evidence.
    private func judgedLook(_ state: DomainState) async throws -> (Observation, Evaluation) {
        let depth = state.depth(fullEvery: policy.fullEvery, now: time.now())
        let first = try await look(depth, known: state)
        let judged = evaluate(
            state, first, policy, now: time.now(), egress: await egress(after: first, known: state))
        guard depth == .light, state.wantsFullLook(after: judged) else { return (first, judged) }
        let full = try await look(.full, known: judged.state)
        let egress = await egress(after: full, known: state)
        return (full, evaluate(state, full, policy, now: time.now(), replacing: first, egress: egress))
    }

    private func egress(after observation: Observation, known: DomainState) async -> Egress {
        await fleet?.egress(after: observation, known: known) ?? .trusted
    }

    private func look(_ depth: Depth, known: DomainState) async throws -> Observation {
        var compared: (origin: ContentHash, copy: ContentHash)?
        if let origin = known.originPeriods.last?.content, let copy = known.cdnCopy?.content {
            compared = (origin, copy)
        }
        return try await probe.observe(
            watched.domain, mode: watched.mode, depth: depth, hadFile: !known.originPeriods.isEmpty,
            pages: depth == .full ? policy.expectations.pages(of: watched.domain) : [], timeout: watched.timeout,
            compared: compared, now: time.now())
    }

    private func report(_ evaluation: Evaluation, before: DomainState) {
        let verdict = evaluation.verdict
        // A sentence that only counts on, in minutes or edges, is no news.
        let isSame = before.verdict?.diagnosis.filter { !$0.isNumber } == verdict.diagnosis.filter { !$0.isNumber }
        if before.verdict?.level != verdict.level || !isSame {
            let isWorse = verdict.level == .failing && before.verdict?.level != .failing
            logger.log(
                level: isWorse ? .warning : .info, "\(verdict.diagnosis.displayable)",
                metadata: metadata([
                    "verdict": "\(verdict.level.rawValue)", "comparison": "\(verdict.comparison.state.rawValue)",
                ]))
        }
        for event in evaluation.events {
            logger.notice(
                "\(event.type.rawValue): \(event.summary.displayable)",
                metadata: metadata(["kind": "\(event.incident.kind.rawValue)", "incident": "\(event.incident.id)"]))
        }
    }

    private func metadata(_ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["domain": "\(watched.domain)"]) { first, _ in first }
    }
}
