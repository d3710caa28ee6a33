// The wiring of the daemon: which parts there are, in which order they start and end. No rule of any of them is here.

import Alerting
import Curl
import Evidence
import Foundation
import Logging
import MonitorMetrics
import MonitorConfiguration
import Monitoring
import Probing
import ServiceLifecycle
import StatusServer
import Storage
import UnixSignals

package struct MonitorDaemon: Sendable {
    let configuration: ConfigurationFile
    let surroundings: Surroundings

    /// What the daemon is given besides its configuration.
    package struct Surroundings: Sendable {
        /// Makes the clock. It gets the instant to begin with, which is not before anything that the store holds.
        package var clock: @Sendable (Date) -> any MonitorClock
        package var logger: Logger
        package var version: String
        package var userAgent: String
        package var storePath: String
        /// The file that the configuration was read from; nil where there is none.
        package var configurationPath: String?
        /// Gets the address of the status page once it listens.
        package var onListening: @Sendable (String) async -> Void
        /// Ends the daemon as a signal would, once it returns; nil where only signals do.
        package var untilStopped: (@Sendable () async -> Void)?
        /// Reads and checks the configuration file once more, at SIGHUP; nil where there is none.
        package var rereading: (@Sendable () throws -> (ConfigurationFile, warnings: [ConfigurationProblem]))?
        /// Takes what the service manager wants to know; nil where there is none.
        package var notifier: ServiceNotifier?

        package init(
            clock: @escaping @Sendable (Date) -> any MonitorClock = { SystemTime(anchor: $0) }, logger: Logger,
            version: String, userAgent: String, storePath: String,
            configurationPath: String? = nil,
            onListening: @escaping @Sendable (String) async -> Void = { _ in },
            untilStopped: (@Sendable () async -> Void)? = nil,
            rereading: (@Sendable () throws -> (ConfigurationFile, warnings: [ConfigurationProblem]))? = nil,
            notifier: ServiceNotifier? = nil
        ) {
            self.clock = clock
            self.logger = logger
            self.version = version
            self.userAgent = userAgent
            self.storePath = storePath
            self.configurationPath = configurationPath
            self.onListening = onListening
            self.untilStopped = untilStopped
            self.rereading = rereading
            self.notifier = notifier
        }
    }

    package init(configuration: ConfigurationFile, surroundings: Surroundings) {
        self.configuration = configuration
        self.surroundings = surroundings
    }

    /// Checks and deliveries under way have so long to come to an end; then they are cancelled. There is no limit for that here: the
    /// framework ends a process that exceeds it with a crash, and systemd has `TimeoutStopSec`.
    private static let graceful: Duration = .seconds(1)

    /// Runs until SIGTERM, SIGINT, or the cancellation of the task, ends it.
    /// - Throws: `StoreError`, `ListenError` or `CurlError` where it cannot start.
    package func run() async throws {
        // Trapped from here on: a signal that comes while the store is opened ends the process in good order, too.
        let stops = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        try await opened { store, routing, storeTrouble, drivers in
            try await serve(store, routing, storeTrouble, drivers, Signals(stops: stops, hangups: hangups))
        }
    }

    /// Works with the open store and the drivers.
    /// - Throws: what keeps the monitor from starting, besides what the body throws.
    private func opened(
        _ body: (Store, Routing, StoreTroubleNotifier, Drivers) async throws -> Void
    ) async throws {
        var start: Logger.Metadata = [
            "version": "\(surroundings.version)",
            "store": "\(surroundings.storePath)",
        ]
        if let path = surroundings.configurationPath { start["configuration"] = "\(path)" }
        surroundings.logger.notice("starting aasa-monitor", metadata: start)
        try await Self.lending(CurlDriver(forAlertsOf: configuration)) { alerts in
            let routing = Routing(configuration)
            let storeTrouble = StoreTroubleNotifier(
                notifier: DirectNotifier(
                    transport: ReceiverTransport(shared: alerts), userAgent: surroundings.userAgent,
                    logger: surroundings.logger),
                routing: routing,
                markerPath: StoreTroubleNotifier.markerPath(storePath: surroundings.storePath))
            do {
                let (store, setAside) = try openStore()
                defer { try? store.close() }
                await storeTrouble.note(setAside)
                try await Self.lending(CurlDriver(forChecksOf: configuration)) { checks in
                    try await body(store, routing, storeTrouble, Drivers(checks: checks, alerts: alerts))
                }
                surroundings.logger.notice("stopped", metadata: start)
            } catch let fault as StoreError {
                // Once it serves, no fault of the store ends it.
                await storeTrouble.notify(ofFailedStart: fault)
                throw fault
            }
        }
    }

    struct Drivers {
        let checks: SharedDriver
        let alerts: SharedDriver
    }

    private struct Signals {
        let stops: UnixSignalsSequence
        let hangups: UnixSignalsSequence
    }

    private static func lending(_ driver: CurlDriver, _ body: (SharedDriver) async throws -> Void) async throws {
        let shared = SharedDriver(driver)
        do {
            try await body(shared)
        } catch {
            await shared.shutdown()
            throw error
        }
        await shared.shutdown()
    }

    private func openStore() throws(StoreError) -> (Store, SetAside?) {
        let logger = surroundings.logger
        var setAside: SetAside?
        let store = try Store(
            path: surroundings.storePath,
            onDamage: { aside in
                setAside = aside
                logger.critical(
                    """
                    store damaged: it was set aside, and the monitor begins with a new one. Every domain is checked for the \
                    first time, and incidents that were open are not resolved. To keep them, put a backup in its place.
                    """, metadata: ["set_aside": "\(aside.path)", "damage": "\(aside.detail)"])
            })
        store.onUnreadableState { state in
            logger.error(
                "a stored state cannot be read, and begins anew",
                metadata: ["domain": "\(state.name.isEmpty ? "(global)" : state.name)", "error": "\(state.error)"])
        }
        return (store, setAside)
    }

    private func serve(
        _ store: Store, _ routing: Routing, _ storeTrouble: StoreTroubleNotifier, _ drivers: Drivers,
        _ signals: Signals
    ) async throws {
        let logger = surroundings.logger
        let parts = try await MonitorParts(configuration, surroundings, store, routing, drivers)
        let (live, time, metrics) = (parts.live, parts.time, parts.metrics)
        let (delivery, silences, global, factory) = (parts.delivery, parts.silences, parts.global, parts.factory)
        let presence = Presence(store: store, time: time)
        await presence.begin()
        let scheduler = DomainScheduler(
            factory.watchers(
                for: configuration.domains, of: configuration, driver: drivers.checks.present),
            time: time, metrics: metrics, watchdog: SchedulerWatchdog(surroundings.notifier, logger: logger),
            concurrency: { live.current.network.maxConcurrent })
        let listening = Wakeup()
        let page = MetricsPage(
            metrics: metrics, store: store, delivery: delivery, live: live, version: surroundings.version)
        let probe = TargetProbe(
            live: live, driver: drivers.checks, store: store, userAgent: surroundings.userAgent, time: time)
        let site = statusSite(
            store, time, metrics: { try await page.text() },
            actions: MonitorActions(
                checkNow: { await scheduler.checkNow($0, wait: $1) }, isChecking: { scheduler.isChecking($0) },
                hasChannel: { live.hasChannel($0) },
                probe: { await probe.answer($0, isFull: $1) }),
            health: {
                MonitorHealth(
                    lateness: scheduler.lateness,
                    isNetworkSuspect: await global.isNetworkSuspect, channels: live.current.alerts.channels.count,
                    failingChannels: delivery.troubles(), isStoreFailing: store.health.isFailing,
                    configuredAt: live.takenAt)
            }, onWrite: { await silences.followWrite() },
            onListening: {
                surroundings.notifier?.ready()
                listening.signal()
            })
        let reload = Reload(
            live: live, scheduler: scheduler, factory: factory, silences: silences, storeTrouble: storeTrouble,
            checks: drivers.checks, alerts: drivers.alerts, site: site, logger: logger)
        // Services end in the opposite order: first no more checks begin, then deliveries stop, the page goes last.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: site, serviceName: "StatusSite"),
            .loop("reload") {
                await reload.follow(
                    signals.hangups, read: surroundings.rereading, notifier: surroundings.notifier)
            },
            .loop("retention") { await parts.removeOldRows(of: store, logger: logger) },
            .loop("store health") {
                await storeTrouble.run(
                    time, health: { store.health },
                    isSilenced: {
                        silences.current.active(
                            domain: nil, labels: [:], kind: .monitorDegraded, at: time.systemTime()) != nil
                    })
            },
            .loop("presence") { await presence.run() },
            .loop("clock") {
                await ClockWatcher(time: time, logger: logger) { ahead in
                    delivery.reconsider()
                    try? await store.note(wallAhead: ahead)
                }
                .run()
            },
            .loop("delivery") { await delivery.run() },
            .loop("silences") { await silences.run() },
            .loop("global") { await global.run() },
            .loop("checks") {
                // A daemon that does not get its port checks nothing.
                await listening.wait(past: 0)
                await scheduler.run()
            },
            .loop("heartbeat") {
                await Heartbeat(
                    live: live, store: store, driver: drivers.alerts, userAgent: surroundings.userAgent, time: time,
                    logger: logger
                ).run()
            },
        ]
        if let demonstration = time as? AcceleratedTime {
            services.append(
                .loop("time") {
                    // In the order of the flow: what one has left to the next is seen there.
                    await demonstration.pass { min(scheduler.due, await global.due, delivery.due) }
                })
        }
        if let notifier = surroundings.notifier {
            services.append(
                .loop("status line") { await StatusLine(notifier: notifier, store: store, live: live).run() })
        }
        try await group(services, signals.stops).run()
    }

    /// Services that end together, by a signal or at their host's wish.
    private func group(
        _ services: [ServiceGroupConfiguration.ServiceConfiguration], _ stops: UnixSignalsSequence
    ) -> ServiceGroup {
        var logger = surroundings.logger
        // The framework's own lines are of use only to those who look for a fault in it.
        logger.logLevel = max(logger.logLevel, .warning)
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [], logger: logger)
        var ends: [@Sendable () async -> Void] = [
            {
                for await signal in stops {
                    surroundings.logger.notice("stopping", metadata: ["signal": .stringConvertible(signal)])
                    return
                }
            }
        ]
        if let untilStopped = surroundings.untilStopped { ends.append(untilStopped) }
        for end in ends {
            var stop = ServiceGroupConfiguration.ServiceConfiguration.loop("stop") {
                await end()
                surroundings.notifier?.stopping()
            }
            stop.successTerminationBehavior = .gracefullyShutdownGroup
            group.services.append(stop)
        }
        group.maximumGracefulShutdownDuration = Self.graceful
        return ServiceGroup(configuration: group)
    }

    private func statusSite(
        _ store: Store, _ time: any MonitorClock,
        metrics: @escaping @Sendable () async throws -> [UInt8], actions: MonitorActions,
        health: @escaping @Sendable () async -> MonitorHealth, onWrite: @escaping @Sendable () async -> Void,
        onListening: @escaping @Sendable () -> Void
    ) -> StatusSite {
        let listening = configuration.server
        let logger = surroundings.logger
        return StatusSite(
            settings: StatusServerSettings(
                host: listening.host, port: listening.port, access: AccessPolicy(listening),
                version: surroundings.version, watched: configuration.domains,
                cdnBaseURL: configuration.cdn.baseURL, maintenance: configuration.maintenance),
            store: store, timekeeper: time, logger: logger, metrics: metrics, actions: actions, health: health,
            onWrite: onWrite,
            onListening: { port in
                let address = "http://\(listening.shownHost):\(port)/"
                logger.notice(
                    "status page at \(address) for \(configuration.domains.count.of("domain"))",
                    metadata: [
                        "store": "\(surroundings.storePath)",
                        "channels": .stringConvertible(configuration.alerts.channels.count),
                    ])
                onListening()
                await surroundings.onListening(address)
            })
    }
}

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A loop that is cancelled when the daemon ends. Without a name the framework would write down all that it holds, at each
    /// start: every domain.
    fileprivate static func loop(_ name: String, _ body: @escaping @Sendable () async -> Void) -> Self {
        Self(service: Loop(body: body), serviceName: name)
    }
}

private struct Loop: Service {
    let body: @Sendable () async -> Void

    func run() async throws { await cancelWhenGracefulShutdown(body) }
}
