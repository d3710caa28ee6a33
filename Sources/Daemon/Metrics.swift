// What checks add to the metrics, and the content of `/metrics`.

import Alerting
import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Monitoring
import MonitorMetrics
import Storage

extension MetricsRegistry {
    /// Adds a committed check. `took`: seconds since its first request.
    func note(_ observation: Observation, _ evaluation: Evaluation, before: DomainState, took: TimeInterval) {
        checkDuration.observe(took)
        let verdict = evaluation.verdict
        checks.count(Labels(["outcome": verdict.level.rawValue]))
        if let last = evaluation.state.propagations.last, last != before.propagations.last {
            propagation.observe(TimeInterval(last.seconds))
        }
        set(observation.domain.name, DomainGauges(observation, evaluation.state))
    }

    /// Adds a check that the store did not save.
    func noteDiscarded(took: TimeInterval) {
        checkDuration.observe(took)
        checks.count(Labels(["outcome": "discarded"]))
    }
}

extension DomainGauges {
    init(_ observation: Observation, _ state: DomainState) {
        let comparison = state.verdict?.comparison
        // Alert rules page for these metrics.
        let isHarmless = comparison?.isWithoutEffect == true
        let findings = (state.verdict?.findings ?? []).map {
            Labels(["rule": $0.rule.rawValue, "severity": $0.severity.rawValue])
        }
        self.init(
            isOriginUp: Self.isOriginUp(observation, state),
            isInSync: isHarmless ? true : comparison?.state.isInSync,
            lagSeconds: isHarmless ? nil : comparison?.lagSeconds,
            edges: comparison?.edges.map { ($0.inSync, $0.asked) },
            certificateExpiry: observation.origin.connection?.tls?.chain.first?.notAfter?.timeIntervalSince1970,
            state: comparison?.state.rawValue ?? "not_compared", findings: Array(Set(findings)).sorted())
    }

    /// Whether the check found a file; nil if this machine could not ask.
    private static func isOriginUp(_ observation: Observation, _ state: DomainState) -> Bool? {
        if state.verdict?.saysNothingOfOrigin == true { return nil }
        return state.originPeriods.last.map { $0.lastSeen == state.lastCheckedAt } ?? false
    }
}

extension Comparison.State {
    /// nil: the two were not compared.
    fileprivate var isInSync: Bool? {
        switch self {
        case .inSync: true
        case .propagating, .stale, .divergent, .mixed, .missing: false
        case .originUnavailable, .cdnUnavailable, .notCompared: nil
        }
    }
}

/// The content of `/metrics`: the metrics of this process, and two small queries to the store.
struct MetricsPage: Sendable {
    let metrics: MetricsRegistry
    let store: Store
    let delivery: Delivery
    let live: LiveConfiguration
    let version: String

    /// - Throws: `StoreError`.
    func text() async throws -> [UInt8] {
        let pending = try await store.pendingNotifications(of: live.hasChannel)
        let incidents = try await store.openIncidentCounts()
        return metrics.exposition(
            MetricsRegistry.Environment(
                version: version, incidents: incidents.map { ($0.kind.rawValue, $0.count) },
                pending: pending.map { ($0.channel, $0.count) },
                deliveries: delivery.counts().map { ($0.channel, $0.outcome, $0.attempts) },
                isByDomain: live.current.server.metricsByDomain)
        ).bytes
    }
}
