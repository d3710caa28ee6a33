// The parts of the daemon that others make use of: how they are built, and what each is given.

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
    let surroundings: MonitorDaemon.Surroundings
    let store: Store
    /// Lend what asks sites, and what sends messages.
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

    var logger: Logger { surroundings.logger }

    /// Makes them, and takes up what the last process left in the store.
    init(
        _ configuration: ConfigurationFile, _ surroundings: MonitorDaemon.Surroundings, _ store: Store,
        _ routing: Routing, _ storeTrouble: StoreTroubleNotifier, checks: SharedDriver, alerts: SharedDriver
    ) async throws {
        let logger = surroundings.logger
        (self.surroundings, self.store, self.storeTrouble) = (surroundings, store, storeTrouble)
        (self.checks, self.alerts) = (checks, alerts)
        // It does not go back over a restart either.
        time = surroundings.clock(max(Date(), try await store.lastInstant() ?? .distantPast))
        let live = LiveConfiguration(configuration)
        self.live = live
        delivery = Delivery(
            store: store, routing: routing, transport: ReceiverTransport(shared: alerts), time: time,
            userAgent: surroundings.userAgent, logger: logger)
        silences = SilenceRefresher(store: store, delivery: delivery, windows: configuration.maintenance, time: time)
        global = GlobalEvaluator(
            GlobalEvaluator.Configuration(
                configuration, checks.present, userAgent: surroundings.userAgent, time: time),
            store: store, delivery: delivery, refusal: { live.refusal }, time: time, logger: logger)
        scheduler = DomainScheduler(
            [], time: time, metrics: metrics, watchdog: SchedulerWatchdog(surroundings.notifier, logger: logger),
            concurrency: { live.current.network.maxConcurrent })
        // Before the first check: a domain that comes back must not find its former self.
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
            // One for all: it spreads the requests to Apple's CDN over time.
            probe: DomainProbe(
                driver: checks.present,
                settings: ProbeSettings(configuration, userAgent: surroundings.userAgent)),
            store: store, global: global, delivery: delivery, metrics: metrics, time: time, logger: logger,
            followsChanges: configuration.followsChanges)
        return domains.map { DomainWatcher($0, use) }
    }
}

extension Store {
    /// Resolves the incidents of every stored domain that is not in `watched`, and forgets the domain.
    package func endDomains(except watched: Set<Domain>, time: any MonitorClock, logger: Logger) async throws {
        for domain in try await domainNames() where !watched.contains(domain) {
            var state = try await state(of: domain)
            if state == nil { state = try await firstState(of: domain) }
            guard let state else { continue }
            let evaluation = retire(state, now: time.now())
            // The end is committed before the state goes: after a crash in between, nothing is left to resolve.
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
