// The shared parts of the daemon, and how they are built.

import Alerting
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import MonitorMetrics
import Monitoring
import Probing
import Storage

struct MonitorParts: Sendable {
    let environment: MonitorDaemon.Environment
    let store: Store
    /// The drivers for checks and for messages.
    let checks: SharedDriver
    let alerts: SharedDriver
    let time: any MonitorClock
    let live: LiveConfiguration
    let delivery: Delivery
    let silences: SilenceRefresher
    let global: GlobalEvaluator
    let storeTrouble: StoreTroubleNotifier
    let metrics = MetricsRegistry()
    let scheduler: DomainScheduler

    var logger: Logger { environment.logger }

    /// Builds the parts, and loads the state of the last process from the store.
    init(
        _ configuration: ConfigurationFile, _ environment: MonitorDaemon.Environment, _ store: Store,
        _ routing: Routing, _ storeTrouble: StoreTroubleNotifier, checks: SharedDriver, alerts: SharedDriver
    ) async throws {
        let logger = environment.logger
        (self.environment, self.store, self.storeTrouble) = (environment, store, storeTrouble)
        (self.checks, self.alerts) = (checks, alerts)
        // The steady clock does not go back after a restart either.
        time = environment.clock(max(Date(), try await store.lastInstant() ?? .distantPast))
        let live = LiveConfiguration(configuration)
        self.live = live
        delivery = Delivery(
            store: store, routing: routing, transport: ReceiverTransport(shared: alerts), time: time,
            userAgent: environment.userAgent, logger: logger)
        silences = SilenceRefresher(store: store, delivery: delivery, windows: configuration.maintenance, time: time)
        global = GlobalEvaluator(
            GlobalEvaluator.Configuration(
                configuration, checks.present, userAgent: environment.userAgent, time: time),
            store: store, delivery: delivery, refusal: { live.refusal }, time: time, logger: logger)
        scheduler = DomainScheduler(
            [], time: time, metrics: metrics, watchdog: SchedulerWatchdog(environment.notifier, logger: logger),
            concurrency: { live.current.network.maxConcurrent })
        // Before the first check: a domain that was removed and added again must not find its old state.
        try await endDomains(except: configuration.domains)
        try await silences.refresh()
        try await delivery.prepare()
        try await global.prepare()
        scheduler.start(watchers(for: configuration.domains, of: configuration))
    }

    func endDomains(except watched: [WatchedDomain]) async throws {
        try await store.endDomains(except: Set(watched.map(\.domain)), time: time, logger: logger)
    }

    /// `domains`: all of `configuration`, or some.
    func watchers(for domains: [WatchedDomain], of configuration: ConfigurationFile) -> [DomainWatcher] {
        let use = DomainWatcher.Dependencies(
            // One probe for all: it limits the rate of requests to Apple's CDN.
            probe: DomainProbe(
                driver: checks.present,
                settings: ProbeSettings(configuration, userAgent: environment.userAgent)),
            store: store, global: global, delivery: delivery, metrics: metrics, time: time, logger: logger,
            followsChanges: configuration.followsChanges)
        return domains.map { DomainWatcher($0, use) }
    }
}

extension Store {
    /// Resolves the incidents of every stored domain that is not in `watched`, and deletes the domain.
    package func endDomains(except watched: Set<Domain>, time: any MonitorClock, logger: Logger) async throws {
        for domain in try await domainNames() where !watched.contains(domain) {
            var state = try await state(of: domain)
            if state == nil { state = try await firstState(of: domain) }
            guard let state else { continue }
            let evaluation = retire(state, now: time.now())
            // Commits the end before it deletes the state: after a crash in between, nothing remains to resolve.
            try await commit(evaluation)
            try await forget(domain)
            logger.notice(
                "domain removed: no longer in the configuration",
                metadata: [
                    "domain": "\(domain)",
                    "resolved": .stringConvertible(evaluation.changes.count { $0.transition == .resolved }),
                ])
        }
    }
}
