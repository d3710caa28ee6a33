// The life of one watched domain: wait, look, judge, commit, and again. Its trouble never leaves it.

import Alerting
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Probing
import Storage

struct DomainWatch: Sendable {
    let watched: WatchedDomain
    let policy: Policy
    let schedule: CheckSchedule
    let probe: DomainProbe
    let store: Store
    let routes: Routes
    let delivery: Delivery
    let time: any Timekeeper
    let logger: Logger

    /// Between two tries to read a state that cannot be read.
    private static let storePause: Duration = .seconds(5)

    /// Watches until the task is cancelled.
    func run() async throws {
        var state = try await loadState()
        while true {
            try await time.sleep(for: schedule.delay(after: state, now: time.now()))
            state = try await check(state ?? DomainState(domain: watched.domain))
        }
    }

    /// A store in trouble is no reason to forget what it holds: without the state nothing is checked.
    private func loadState() async throws -> DomainState? {
        while true {
            do {
                return try await store.state(of: watched.domain)
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
    private func check(_ state: DomainState) async throws -> DomainState {
        let observation = try await probe.observe(
            watched.domain, mode: watched.mode, hadFile: !state.originPeriods.isEmpty, timeout: watched.timeout,
            now: time.now())
        let evaluation = evaluate(state, observation, policy, now: time.now())
        do {
            let drafts = try routes.drafts(
                for: evaluation.events, domain: watched.domain, labels: watched.labels, channels: watched.channels)
            try await store.commit(
                CheckRecord(
                    observation: observation, state: evaluation.state, incidents: evaluation.incidents,
                    dropped: evaluation.dropped, outbox: drafts))
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.error(
                "a check could not be stored; it counts for nothing", metadata: metadata(["error": "\(error)"]))
            // So that a schedule without a stored state does not become a tight loop.
            try await time.sleep(for: Self.storePause)
            return state
        }
        report(evaluation, before: state)
        if !evaluation.events.isEmpty { delivery.wake() }
        return evaluation.state
    }

    private func report(_ evaluation: Evaluation, before: DomainState) {
        let verdict = evaluation.verdict
        if before.verdict?.level != verdict.level || before.verdict?.diagnosis != verdict.diagnosis {
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
