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
    /// Adds a committed check. `took`: seconds since its first request. `wall`: its end.
    func note(
        _ observation: Observation, _ evaluation: Evaluation, before: DomainState, took: TimeInterval, wall: Date
    ) {
        checkDuration.observe(took)
        let verdict = evaluation.verdict
        checks.count(Labels(["outcome": verdict.level.rawValue]))
        if let last = evaluation.state.propagations.last, last != before.propagations.last {
            propagation.observe(TimeInterval(last.seconds))
        }
        set(observation.domain.name, DomainGauges(observation, evaluation.state, wall: wall))
    }

    /// Adds a check that the store did not save.
    func noteDiscarded(took: TimeInterval) {
        checkDuration.observe(took)
        checks.count(Labels(["outcome": "discarded"]))
    }
}

extension DomainGauges {
    /// `wall`: the end of the check.
    init(_ observation: Observation, _ state: DomainState, wall: Date) {
        let comparison = state.verdict?.comparison
        // Alert rules page people on these metrics, so a difference without effect counts as in sync.
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
            checkedAt: wall.timeIntervalSince1970, state: comparison?.state.rawValue ?? "not_compared",
            findings: Array(Set(findings)).sorted())
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

/// The content of `/metrics`: the metrics of this process, and three small queries to the store.
struct MetricsPage: Sendable {
    let metrics: MetricsRegistry
    let store: Store
    let delivery: Delivery
    let live: LiveConfiguration
    let version: String

    /// - Throws: `StoreError`.
    func exposition() async throws -> Exposition {
        let configuration = live.current
        let pending = try await store.pendingNotifications(of: live.hasChannel)
            .reduce(into: [:]) { $0[$1.channel] = $1.count }
        let incidents = try await store.openIncidentCounts()
        let isByDomain = configuration.server.metricsByDomain
        return metrics.exposition(
            MetricsRegistry.Environment(
                version: version, domains: isByDomain ? configuration.domains.map(\.metricLabels).sorted() : [],
                states: Comparison.State.allCases.map(\.rawValue),
                incidents: incidents.map { ($0.kind.rawValue, $0.severity.rawValue, $0.count) },
                pending: configuration.alerts.channels.map { ($0.name, pending[$0.name] ?? 0) },
                deliveries: delivery.counts().map { ($0.channel, $0.outcome, $0.attempts) },
                storeBytes: try await store.size(),
                configuration: (live.takenAt.timeIntervalSince1970, live.refusal == nil), isByDomain: isByDomain))
    }
}

extension WatchedDomain {
    /// Its name and its configured labels. A label that is also called `domain` must not replace the name.
    fileprivate var metricLabels: Labels {
        var all = ["domain": domain.name]
        all.addConfigured(labels)
        return Labels(byName: all)
    }
}
