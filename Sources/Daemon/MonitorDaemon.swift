// The wiring of the daemon: its parts, and the order in which they start and stop. It contains no rules.

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
    let environment: Environment

    /// What the daemon needs besides its configuration.
    package struct Environment: Sendable {
        /// Makes the clock. The argument is the start time, which is not before any time in the store.
        package var clock: @Sendable (Date) -> any MonitorClock = { SystemTime(anchor: $0) }
        package var logger: Logger
        package var version: String
        package var userAgent: String
        package var storePath: String
        /// The path of the configuration file; nil: none.
        package var configurationPath: String?
        /// Receives the address of the status page once it listens.
        package var onListening: @Sendable (String) async -> Void = { _ in }
        /// Stops the daemon when it returns, like a signal; nil: only signals do.
        package var untilStopped: (@Sendable () async -> Void)?
        /// Reads and checks the configuration file again, at SIGHUP; nil: there is no file.
        package var rereading: (@Sendable () throws -> (ConfigurationFile, warnings: [ConfigurationProblem]))?
        /// Notifies the service manager; nil: there is none.
        package var notifier: ServiceNotifier?

        package init(logger: Logger, version: String, userAgent: String, storePath: String) {
            self.logger = logger
            self.version = version
            self.userAgent = userAgent
            self.storePath = storePath
        }
    }

    package init(configuration: ConfigurationFile, environment: Environment) {
        self.configuration = configuration
        self.environment = environment
    }

    /// How long running checks and deliveries may take to finish before they are cancelled. Nothing here limits the
    /// time after that: the framework would crash the process, and systemd has `TimeoutStopSec`.
    private static let graceful: Duration = .seconds(1)

    /// Runs until SIGTERM, SIGINT, or cancellation of the task.
    /// - Throws: `StoreError`, `ListenError` or `CurlError` if it cannot start.
    package func run() async throws {
        // Traps signals from here on: a signal while the store opens also stops the process cleanly.
        let stops = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        try await opened { parts in try await serve(parts, stops: stops, hangups: hangups) }
    }

    /// Opens the store and the drivers, and closes them after `body`.
    /// - Throws: the errors that prevent the start, and those of `body`.
    private func opened(_ body: (MonitorParts) async throws -> Void) async throws {
        var start: Logger.Metadata = [
            "version": "\(environment.version)",
            "store": "\(environment.storePath)",
        ]
        if let path = environment.configurationPath { start["configuration"] = "\(path)" }
        environment.logger.notice("starting aasa-monitor", metadata: start)
        if let words = configuration.alerts.warningOfSilence { environment.logger.warning("\(words)") }
        try await Self.lending(CurlDriver(forAlertsOf: configuration)) { alerts in
            let routing = Routing(configuration)
            let storeTrouble = StoreTroubleNotifier(
                notifier: DirectNotifier(
                    transport: ReceiverTransport(shared: alerts), userAgent: environment.userAgent,
                    logger: environment.logger),
                routing: routing,
                markerPath: StoreTroubleNotifier.markerPath(storePath: environment.storePath))
            do {
                let (store, damage) = try openStore()
                defer { try? store.close() }
                if let damage { await storeTrouble.note(damage) }
                try await Self.lending(CurlDriver(forChecksOf: configuration)) { checks in
                    try await body(
                        MonitorParts(
                            configuration, environment, store, routing, storeTrouble, checks: checks, alerts: alerts))
                }
                environment.logger.notice("stopped", metadata: start)
            } catch let fault as StoreError {
                // After the start, no store error ends the daemon.
                await storeTrouble.notify(ofFailedStart: fault)
                throw fault
            }
        }
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

    /// The store, and the damage of a former one that was set aside.
    private func openStore() throws(StoreError) -> (Store, StoreError?) {
        let logger = environment.logger
        var damage: StoreError?
        let store = try Store(
            path: environment.storePath,
            onDamage: { error in
                damage = error
                logger.critical(
                    """
                    store damaged: it was set aside, and a new one was created. Every domain is checked as a new one, and \
                    open incidents will not be resolved. To keep them, restore a backup.
                    """, metadata: ["set_aside": "\(error)"])
            })
        store.onUnreadableState { state in
            logger.error(
                "stored state discarded: it cannot be read",
                metadata: ["domain": "\(state.name.isEmpty ? "(global)" : state.name)", "error": "\(state.error)"])
        }
        return (store, damage)
    }

    private func serve(
        _ parts: MonitorParts, stops: UnixSignalsSequence, hangups: UnixSignalsSequence
    ) async throws {
        let housekeeping = Housekeeping(parts)
        await housekeeping.begin()
        let listening = Wakeup()
        let site = statusSite(parts) {
            environment.notifier?.ready()
            listening.signal()
        }
        let reload = Reload(parts: parts, site: site)
        // Services stop in reverse order: first checks, then deliveries, the page last.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: site, serviceName: "StatusSite"),
            .loop("reload") { await reload.follow(hangups) },
            .loop("delivery") { await parts.delivery.run() },
            .loop("global") { await parts.global.run() },
            .loop("checks") {
                // Without its port, the daemon checks nothing.
                await listening.wait(past: 0)
                await parts.scheduler.run()
            },
            .loop("housekeeping") { await housekeeping.run() },
        ]
        if let demonstration = parts.time as? AcceleratedTime {
            services.append(
                .loop("time") {
                    // In the order of the data flow: each sees the work that the previous one leaves.
                    await demonstration.pass {
                        min(parts.scheduler.due, await parts.global.due, parts.delivery.due)
                    }
                })
        }
        try await group(services, stops).run()
    }

    /// Services that stop together, after a signal or `untilStopped`.
    private func group(
        _ services: [ServiceGroupConfiguration.ServiceConfiguration], _ stops: UnixSignalsSequence
    ) -> ServiceGroup {
        var logger = environment.logger
        // The framework's own lines only help to debug the framework.
        logger.logLevel = max(logger.logLevel, .warning)
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [], logger: logger)
        var ends: [@Sendable () async -> Void] = [
            {
                for await signal in stops {
                    environment.logger.notice("stopping", metadata: ["signal": .stringConvertible(signal)])
                    return
                }
            }
        ]
        if let untilStopped = environment.untilStopped { ends.append(untilStopped) }
        for end in ends {
            var stop = ServiceGroupConfiguration.ServiceConfiguration.loop("stop") {
                await end()
                environment.notifier?.stopping()
            }
            stop.successTerminationBehavior = .gracefullyShutdownGroup
            group.services.append(stop)
        }
        group.maximumGracefulShutdownDuration = Self.graceful
        return ServiceGroup(configuration: group)
    }

    private func statusSite(_ parts: MonitorParts, onListening: @escaping @Sendable () -> Void) -> StatusSite {
        let listening = configuration.server
        let (logger, live) = (parts.logger, parts.live)
        let page = MetricsPage(
            metrics: parts.metrics, store: parts.store, delivery: parts.delivery, live: live,
            version: environment.version)
        return StatusSite(
            settings: StatusServerSettings(
                host: listening.host, port: listening.port, access: AccessPolicy(listening),
                version: environment.version, watched: configuration.domains,
                cdnBaseURL: configuration.cdn.baseURL, maintenance: configuration.maintenance),
            store: parts.store, timekeeper: parts.time, logger: logger, metrics: { try await page.exposition() },
            requests: parts.metrics.requests, actions: MonitorActions(parts), health: { await MonitorHealth(parts) },
            onWrite: { await parts.silences.followWrite() },
            onListening: { port in
                let address = "http://\(listening.shownHost):\(port)/"
                logger.notice(
                    "status page at \(address) for \(configuration.domains.count.of("domain"))",
                    metadata: [
                        "store": "\(environment.storePath)",
                        "channels": .stringConvertible(configuration.alerts.channels.count),
                    ])
                onListening()
                await environment.onListening(address)
            })
    }
}

extension MonitorActions {
    fileprivate init(_ parts: MonitorParts) {
        let probe = TargetProbe(parts)
        self.init(
            checkNow: { await parts.scheduler.checkNow($0, wait: $1) },
            isChecking: { parts.scheduler.isChecking($0) }, hasChannel: { parts.live.hasChannel($0) },
            probe: { await probe.answer($0, isFull: $1) })
    }
}

extension MonitorHealth {
    fileprivate init(_ parts: MonitorParts) async {
        self.init(
            lateness: parts.scheduler.lateness, isNetworkSuspect: await parts.global.isNetworkSuspect,
            channels: parts.live.current.alerts.channels.count, failingChannels: parts.delivery.troubles(),
            isStoreFailing: parts.store.health.isFailing, configuredAt: parts.live.takenAt)
    }
}

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A loop that is cancelled when the daemon stops. Without a name, the framework would log everything it holds at
    /// each start: every domain.
    fileprivate static func loop(_ name: String, _ body: @escaping @Sendable () async -> Void) -> Self {
        Self(service: Loop(body: body), serviceName: name)
    }
}

private struct Loop: Service {
    let body: @Sendable () async -> Void

    func run() async throws { await cancelWhenGracefulShutdown(body) }
}
