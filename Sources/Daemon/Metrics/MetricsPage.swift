import Alerting
import MonitorConfiguration
import MonitorMetrics
import Monitoring
import Storage

/// What `/metrics` answers: the counts of this process, and two small ones of the store.
struct MetricsPage: Sendable {
    let metrics: MetricsRegistry
    let store: Store
    let delivery: Delivery
    let live: LiveConfiguration
    let version: String

    /// - Throws: `StoreError`.
    func text() async throws -> [UInt8] {
        let pending = try await store.pendingNotifications()
        let incidents = try await store.openIncidentCounts()
        return metrics.exposition(
            MetricsRegistry.Surroundings(
                version: version, incidents: incidents.map { ($0.kind.rawValue, $0.count) },
                pending: pending.map { ($0.channel, $0.count) },
                deliveries: delivery.counts().map { ($0.channel, $0.outcome, $0.attempts) },
                isByDomain: live.current.server.metricsByDomain)
        ).bytes
    }
}
