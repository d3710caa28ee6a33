// The wiring of the daemon: which parts there are, in which order they start and end. No rule of any of them is here.

import Alerting
import Curl
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Probing
import ServiceLifecycle
import StatusServer
import Storage
import UnixSignals

package struct MonitorDaemon: Sendable {
    private let configuration: ConfigurationFile
    private let surroundings: Surroundings

    /// What the daemon is given besides its configuration.
    package struct Surroundings: Sendable {
        package var time: any Timekeeper
        package var logger: Logger
        package var version: String
        package var userAgent: String
        package var storePath: String
        /// Signals that end the daemon; a host of its own, such as the demo, takes none.
        package var endsOnSignals: Bool
        /// Told the address of the status page once it listens.
        package var onListening: @Sendable (String) async -> Void
        /// Ends the daemon as a signal would, once it returns; nil where only signals do.
        package var untilStopped: (@Sendable () async -> Void)?

        package init(
            time: any Timekeeper = SystemTime(), logger: Logger, version: String, userAgent: String, storePath: String,
            endsOnSignals: Bool = true, onListening: @escaping @Sendable (String) async -> Void = { _ in },
            untilStopped: (@Sendable () async -> Void)? = nil
        ) {
            self.time = time
            self.logger = logger
            self.version = version
            self.userAgent = userAgent
            self.storePath = storePath
            self.endsOnSignals = endsOnSignals
            self.onListening = onListening
            self.untilStopped = untilStopped
        }
    }

    package init(configuration: ConfigurationFile, surroundings: Surroundings) {
        self.configuration = configuration
        self.surroundings = surroundings
    }

    /// Time that running checks and deliveries have to come to an end, and then the rest of the process.
    /// A commit under way is always finished, which another program's lock on the database may hold up: all that
    /// is to be written together waits less long for it than this.
    private static let graceful: Duration = .seconds(1)
    private static let cancelling: Duration = .seconds(3)

    /// Runs until a signal, or the cancellation of the task, ends it.
    /// - Throws: `StoreError`, `ListenError`, `ChannelFault` or `CurlError` where it cannot start.
    package func run() async throws {
        let channels = try configuration.alerts.channels.map(Channel.init(settings:))
        let store = try Store(path: surroundings.storePath)
        defer { try? store.close() }
        let network = configuration.network
        let checks = try CurlDriver(network: network.forChecks, maximumConcurrent: network.maxConcurrent)
        let alerts: CurlDriver
        do {
            alerts = try CurlDriver(network: network.forAlerts, maximumConcurrent: max(4, channels.count))
        } catch {
            await checks.shutdown()
            throw error
        }
        do {
            try await serve(store, channels, checks, alerts)
        } catch {
            await checks.shutdown()
            await alerts.shutdown()
            throw error
        }
        await checks.shutdown()
        await alerts.shutdown()
    }

    private func serve(
        _ store: Store, _ channels: [Channel], _ checks: CurlDriver, _ alerts: CurlDriver
    ) async throws {
        let time = surroundings.time
        let logger = surroundings.logger
        let listening = configuration.server
        let delivery = Delivery(
            store: store, channels: channels, transport: CurlTransport(driver: alerts), time: time,
            settings: Delivery.Settings(userAgent: surroundings.userAgent), logger: logger)
        let probe = DomainProbe(
            driver: checks,
            settings: ProbeSettings(
                cdnBaseURL: configuration.cdn.baseURL, timeout: configuration.defaults.timeout,
                asksBeforeOrigin: configuration.cdn.askBeforeOrigin,
                cdnRequestsPerSecond: configuration.cdn.requestsPerSecond, userAgent: surroundings.userAgent))
        let routes = Routes(
            channels: channels, cdnBaseURL: configuration.cdn.baseURL,
            statusPageURL: listening.port == 0 ? nil : "http://\(listening.shownHost):\(listening.port)/")
        try await Retirement(store: store, routes: routes, time: time, logger: logger)
            .retireAll(except: Set(configuration.domains.map(\.domain)))
        let watches = configuration.domains.map { watched in
            DomainWatch(
                watched: watched, policy: Policy(watched, remindEvery: configuration.alerts.remindEvery),
                schedule: CheckSchedule(domain: watched.domain, interval: watched.interval), probe: probe, store: store,
                routes: routes, delivery: delivery, time: time, logger: logger)
        }
        let server = StatusSite(
            settings: StatusServerSettings(
                host: listening.host, port: listening.port, token: listening.token?.reveal(),
                version: surroundings.version,
                watched: configuration.domains.map {
                    WatchedDomainInfo(domain: $0.domain, labels: $0.labels, interval: $0.interval)
                }, cdnBaseURL: configuration.cdn.baseURL),
            store: store, timekeeper: time, logger: logger,
            onListening: { port in
                let address = "http://\(listening.shownHost):\(port)/"
                logger.notice(
                    "watching \(watches.count) domains; status page at \(address)",
                    metadata: ["store": "\(surroundings.storePath)", "channels": "\(channels.count)"])
                await surroundings.onListening(address)
            })
        // Services end in the opposite order: first no more checks begin, then deliveries stop, the page goes last.
        var group = ServiceGroupConfiguration(
            services: [
                .init(service: server), .init(service: ReloadSignal(logger: logger)),
                .init(
                    service: RetentionService(
                        store: store, keepObservations: configuration.store.keepObservations, time: time,
                        logger: logger)),
                .init(service: DeliveryService(delivery: delivery)), .init(service: CheckService(watches: watches)),
            ],
            gracefulShutdownSignals: surroundings.endsOnSignals ? [.sigterm, .sigint] : [],
            logger: Self.quiet(logger))
        if let untilStopped = surroundings.untilStopped {
            group.services.append(
                .init(
                    service: StopRequest(untilStopped: untilStopped),
                    successTerminationBehavior: .gracefullyShutdownGroup))
        }
        group.maximumGracefulShutdownDuration = Self.graceful
        group.maximumCancellationDuration = Self.cancelling
        try await ServiceGroup(configuration: group).run()
    }

    /// The lifecycle's own chatter is of use only to those who look for a fault in it.
    private static func quiet(_ logger: Logger) -> Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        return quiet
    }
}
