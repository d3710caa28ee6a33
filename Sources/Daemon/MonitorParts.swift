// What checks and messages need, whether they follow a schedule or happen once.

import Alerting
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import MonitorMetrics
import Monitoring
import Storage

struct MonitorParts: Sendable {
    let time: any MonitorClock
    let live: LiveConfiguration
    let delivery: Delivery
    let silences: SilenceRefresher
    let global: GlobalEvaluator
    let metrics: MetricsRegistry
    let factory: WatcherFactory

    /// Makes them, and takes up what the last process left in the store.
    init(
        _ configuration: ConfigurationFile, _ surroundings: MonitorDaemon.Surroundings, _ store: Store,
        _ routing: Routing, _ drivers: MonitorDaemon.Drivers
    ) async throws {
        let logger = surroundings.logger
        // It does not go back over a restart either.
        let time = surroundings.clock(max(Date(), try await store.lastInstant() ?? .distantPast))
        let live = LiveConfiguration(configuration)
        let delivery = Delivery(
            store: store, routing: routing, transport: ReceiverTransport(shared: drivers.alerts), time: time,
            userAgent: surroundings.userAgent, logger: logger)
        let silences = SilenceRefresher(
            store: store, delivery: delivery, windows: configuration.maintenance, time: time, logger: logger)
        let global = GlobalEvaluator(
            GlobalEvaluator.Dependencies(
                store: store, delivery: delivery, refusal: { live.refusal }, time: time, logger: logger),
            GlobalEvaluator.Configuration(
                configuration, drivers.checks.present, userAgent: surroundings.userAgent, time: time))
        // Before the first check: a domain that comes back must not find its former self.
        try await RemovedDomainCleanup(store: store, time: time, logger: logger)
            .run(keeping: Set(configuration.domains.map(\.domain)))
        try await silences.refresh()
        try await delivery.prepare()
        try await global.prepare()
        metrics = MetricsRegistry()
        factory = WatcherFactory(
            store: store, global: global, delivery: delivery, metrics: metrics, userAgent: surroundings.userAgent,
            time: time, logger: logger)
        (self.time, self.live) = (time, live)
        (self.delivery, self.silences, self.global) = (delivery, silences, global)
    }
    /// Removes what was kept for long enough, once an hour, until the task is cancelled.
    func removeOldRows(of store: Store, logger: Logger) async {
        while !Task.isCancelled {
            do {
                try await store.prune(now: time.now(), keepObservations: live.current.store.keepObservations)
            } catch is CancellationError {
                return
            } catch {
                logger.error("old rows not removed: store write failed", metadata: ["error": "\(error)"])
            }
            try? await time.sleep(for: .seconds(3600))
        }
    }
}
