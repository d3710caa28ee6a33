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
        /// Reads and judges the configuration file once more, at SIGHUP; nil where there is none.
        package var rereading: (@Sendable () throws -> (ConfigurationFile, warnings: [ConfigurationProblem]))?

        package init(
            time: any Timekeeper = SystemTime(), logger: Logger, version: String, userAgent: String, storePath: String,
            endsOnSignals: Bool = true, onListening: @escaping @Sendable (String) async -> Void = { _ in },
            untilStopped: (@Sendable () async -> Void)? = nil,
            rereading: (@Sendable () throws -> (ConfigurationFile, warnings: [ConfigurationProblem]))? = nil
        ) {
            self.time = time
            self.logger = logger
            self.version = version
            self.userAgent = userAgent
            self.storePath = storePath
            self.endsOnSignals = endsOnSignals
            self.onListening = onListening
            self.untilStopped = untilStopped
            self.rereading = rereading
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

    /// Runs until a signal, or the cancellation of the task, ends it. On a full disk it waits for room, and while another
    /// program holds the database locked for that to pass.
    /// - Throws: `StoreError`, `ListenError`, `ChannelFault` or `CurlError` where it cannot start.
    package func run() async throws {
        guard surroundings.endsOnSignals else { return try await work() }
        // Around all of it: a signal that comes while the store is opened for the first time, or between two groups, ends
        // the process in good order too.
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: WholeRun(work: work), successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: Self.quiet(surroundings.logger))
        ).run()
    }

    private func work() async throws {
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let channels = try configuration.alerts.channels.map(Channel.init(settings:))
        let alerts = SharedDriver(try CurlDriver(forAlertsOf: configuration))
        do {
            let lastResort = LastResort(
                message: DirectMessage(
                    transport: SharedTransport(driver: alerts), userAgent: surroundings.userAgent,
                    logger: surroundings.logger), memory: ReservedFile(path: surroundings.storePath + ".outage"))
            await lastResort.recall()
            if let store = try await openStore(channels, lastResort) {
                defer { try? store.close() }
                if !Task.isShuttingDownGracefully {
                    try await serve(store, channels, alerts, lastResort, hangups)
                }
            }
        } catch {
            await alerts.shutdown()
            throw error
        }
        await alerts.shutdown()
    }

    /// nil where it was asked to end before the store could be opened.
    private func openStore(_ channels: [Channel], _ lastResort: LastResort) async throws -> Store? {
        let time = surroundings.time
        let path = surroundings.storePath
        let routes = Routes(channels: channels, of: configuration)
        let claim = StoreClaim(path: path)
        let start = StoreStart(
            path: path, lastResort: lastResort, routes: routes,
            mutings: Mutings(windows: try configuration.maintenance.map(MaintenanceWindow.init(settings:))),
            policy: configuration.fleetPolicy(time), time: time, logger: surroundings.logger
        ) { [configuration, surroundings] in
            let opened = try Store.openSettingAside(path: path, claim: claim, now: { time.now() })
            do {
                // Its place is before the first check: a domain that comes back must not find its former self.
                try await Retirement(store: opened.store, routes: routes, time: time, logger: surroundings.logger)
                    .retireAll(except: Set(configuration.domains.map(\.domain)))
            } catch {
                try? opened.store.close(keepsClaim: true)
                throw error
            }
            return opened
        }
        if await start.tryOnce(), !Task.isShuttingDownGracefully {
            try await group([.init(service: LastResortService(lastResort: lastResort))], ending: start).run()
        }
        guard let (store, setAside) = try start.opened() else { return nil }
        if let obstacle = await lastResort.reserve() {
            surroundings.logger.warning(
                """
                no place can be taken for the note on what is told while the store takes no writes: \(obstacle); such \
                news is forgotten when the daemon ends, and the next one may tell it again as something new
                """, metadata: ["note": "\(path).outage"])
        }
        if let setAside {
            surroundings.logger.critical(
                """
                the store was damaged and is set aside; watching goes on with a new one: every domain is seen for the \
                first time, and incidents that were open will not be resolved; put a backup in its place to keep them
                """, metadata: ["set_aside": "\(setAside.path)", "damage": "\(setAside.detail)"])
        }
        return store
    }

    private func serve(
        _ store: Store, _ channels: [Channel], _ alerts: SharedDriver, _ lastResort: LastResort,
        _ hangups: UnixSignalsSequence
    ) async throws {
        let checks = SharedDriver(try CurlDriver(forChecksOf: configuration))
        do {
            try await serve(store, channels, checks, alerts, lastResort, hangups)
        } catch {
            await checks.shutdown()
            throw error
        }
        await checks.shutdown()
    }

    private func serve(
        _ store: Store, _ channels: [Channel], _ checks: SharedDriver, _ alerts: SharedDriver,
        _ lastResort: LastResort, _ hangups: UnixSignalsSequence
    ) async throws {
        let time = surroundings.time
        let logger = surroundings.logger
        let live = LiveConfiguration(configuration)
        let delivery = Delivery(
            store: store, channels: channels, transport: SharedTransport(driver: alerts), time: time,
            settings: Delivery.Settings(
                userAgent: surroundings.userAgent, groupWait: configuration.alerts.groupWait), logger: logger)
        let routes = Routes(channels: channels, of: configuration)
        let windows = try configuration.maintenance.map(MaintenanceWindow.init(settings:))
        let silences = SilenceWatch(
            store: store, routes: routes, delivery: delivery, time: time, logger: logger, windows: windows,
            recipients: configuration.silenceRecipients)
        try await silences.learn()
        try await delivery.recall()
        let fleet = FleetJudge(
            FleetJudge.Parts(
                store: store, silences: silences, delivery: delivery, lastResort: lastResort,
                refusal: { live.refusal }, time: time, logger: logger),
            FleetJudge.Orders(configuration, routes, checks.present, userAgent: surroundings.userAgent, time: time))
        try await fleet.prepare()
        let maker = WatchMaker(
            store: store, silences: silences, fleet: fleet, delivery: delivery, userAgent: surroundings.userAgent,
            time: time,
            logger: logger)
        let board = WatchBoard(
            maker.watches(for: configuration.orders, of: configuration, routes: routes, driver: checks.present))
        let site = statusSite(store, windows)
        let reload = Reload(
            live: live, board: board, maker: maker, checks: checks, alerts: alerts, site: site, logger: logger)
        // Services end in the opposite order: first no more checks begin, then deliveries stop, the page goes last.
        try await group([
            .init(service: site),
            .init(
                service: ReloadService(
                    signals: hangups, read: surroundings.rereading, reload: reload, logger: logger)),
            .init(service: RetentionService(store: store, live: live, time: time, logger: logger)),
            .init(
                service: OutsideWriteWatch(
                    store: store, logger: logger, onChange: { await delivery.wakeAfterOutsideWrite() },
                    catchUp: { await delivery.catchUp() })),
            .init(
                service: DeliveryService(
                    delivery: delivery, live: live,
                    feed: { StateFeed(of: $0, delivery: delivery, mutings: { silences.mutings }) })),
            .init(service: SilenceService(watch: silences)),
            .init(service: LastResortService(lastResort: lastResort)),
            .init(service: FleetService(judge: fleet, time: time)), .init(service: board),
            .init(
                service: HeartbeatService(
                    live: live, store: store, driver: alerts, userAgent: surroundings.userAgent, time: time,
                    logger: logger)),
        ]).run()
    }

    /// Services that end together, by a signal to the whole run or at their host's wish.
    /// `ending`: one more, whose end is the end of all.
    private func group(
        _ services: [ServiceGroupConfiguration.ServiceConfiguration], ending last: (any Service)? = nil
    ) -> ServiceGroup {
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [], logger: Self.quiet(surroundings.logger))
        let stop = surroundings.untilStopped.map(StopRequest.init(untilStopped:))
        for service: any Service in [last, stop].compactMap(\.self) {
            group.services.append(
                .init(service: service, successTerminationBehavior: .gracefullyShutdownGroup))
        }
        group.maximumGracefulShutdownDuration = Self.graceful
        group.maximumCancellationDuration = Self.cancelling
        return ServiceGroup(configuration: group)
    }

    private func statusSite(_ store: Store, _ windows: [MaintenanceWindow]) -> StatusSite {
        let listening = configuration.server
        let logger = surroundings.logger
        return StatusSite(
            settings: StatusServerSettings(
                host: listening.host, port: listening.port, token: listening.token?.reveal(),
                version: surroundings.version, watched: configuration.watchedInfos,
                cdnBaseURL: configuration.cdn.baseURL, maintenance: windows),
            store: store, timekeeper: surroundings.time, logger: logger,
            onListening: { port in
                let address = "http://\(listening.shownHost):\(port)/"
                logger.notice(
                    "watching \(configuration.domains.count) domains; status page at \(address)",
                    metadata: [
                        "store": "\(surroundings.storePath)", "channels": "\(configuration.alerts.channels.count)",
                    ])
                await surroundings.onListening(address)
            })
    }

    /// The lifecycle's own chatter is of use only to those who look for a fault in it.
    private static func quiet(_ logger: Logger) -> Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        return quiet
    }
}
