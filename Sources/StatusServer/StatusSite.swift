// The life of the server: it takes its address, serves until its end, and ends in time.

import Evidence
import Facts
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import MonitorMetrics
import Monitoring
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import ServiceLifecycle
import Storage
import Synchronization

/// Serves what the store knows, to browsers and to supervisors. It writes silences and acknowledgements, and can ask for a
/// check.
package struct StatusSite: Service {
    private let settings: StatusServerSettings
    private let store: Store
    private let timekeeper: any MonitorClock
    private let logger: Logger
    private let metrics: @Sendable () async throws -> Exposition
    private let requests: Counter
    private let actions: MonitorActions
    private let health: @Sendable () async -> MonitorHealth
    private let onWrite: @Sendable () async -> Void
    private let onListening: @Sendable (Int) async -> Void
    private let watched: WatchList
    private let windows: Shared<[MaintenanceWindow]>
    private let key: AccessKey
    private let refusedReload = Shared<String?>(nil)

    /// `metrics`: what `/metrics` answers.
    /// `requests`: counts answers by `code`.
    /// `actions`: what it may ask of the monitor.
    /// `health`: what the daemon says of itself.
    /// `onWrite`: called after each change of an acknowledgement, a silence or a channel, before the answer.
    /// `onListening`: gets the port, the actual one for port 0, once connections are taken.
    package init(
        settings: StatusServerSettings, store: Store, timekeeper: any MonitorClock, logger: Logger,
        metrics: @escaping @Sendable () async throws -> Exposition = { Exposition() }, requests: Counter = Counter(),
        actions: MonitorActions = MonitorActions(),
        health: @escaping @Sendable () async -> MonitorHealth = { MonitorHealth() },
        onWrite: @escaping @Sendable () async -> Void = {},
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.settings = settings
        self.store = store
        self.timekeeper = timekeeper
        self.logger = logger
        self.metrics = metrics
        self.requests = requests
        self.actions = actions
        self.health = health
        self.onWrite = onWrite
        self.onListening = onListening
        watched = WatchList(settings.watched)
        windows = Shared(settings.maintenance)
        key = AccessKey(settings.access, host: settings.host, timekeeper: timekeeper, logger: logger)
    }

    /// Shows other domains from now on, as after a reload of the configuration, and writes that into the store, for those who read
    /// it without the site.
    package func watch(_ domains: [WatchedDomain]) async {
        watched.replace(with: domains)
        await showWatched()
    }

    /// A page tries again where the store does not answer now.
    private func showWatched() async { try? await watched.show(in: store) }

    /// Shows other maintenance windows from now on, and writes them into the store, as the watched domains.
    package func show(_ maintenance: [MaintenanceWindow]) async {
        windows.replace(with: maintenance)
        try? await store.note(maintenance: maintenance)
    }

    /// Goes by another policy from now on. Another token ends all sessions.
    package func allow(_ access: AccessPolicy) { key.replace(with: access) }

    /// Shows why the configuration file was not taken at the last reload; nil once it was.
    package func tellRefusedReload(_ reason: String?) {
        refusedReload.replace(with: reason?.displayable.shortened(to: 300))
    }

    /// Serves until graceful shutdown or cancellation; either ends it within a second, whatever clients are doing.
    /// - Throws: `ListenError` where the address cannot be taken, before anything is served.
    package func run() async throws {
        await showWatched()
        try? await store.note(maintenance: windows.current)
        let isListening = Mutex(false)
        let application = try application { port in
            isListening.withLock { $0 = true }
            await onListening(port)
        }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await application.run() }
                group.addTask {
                    try await gracefulShutdown()
                    // Answers under way get this long; then a client that dawdles is cut off.
                    try await Task.sleep(for: Self.shutdownGrace)
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch is CancellationError {
            return
        } catch  where !isListening.withLock({ $0 }) {
            throw ListenError(error, host: settings.host, port: settings.port)
        }
    }

    private static let headerBytes = 16 * 1024
    private static let headerFields = 100
    private static let shutdownGrace: Duration = .milliseconds(500)

    private func application(
        onListening: @escaping @Sendable (Int) async -> Void
    ) throws -> some ApplicationProtocol {
        // The framework logs at info what the daemon logs in its own words.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let limits = settings.limits
        let table = ConnectionTable(limit: limits.connections)
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ClientDeadlines(table: table, limits: limits)],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: Self.headerBytes, maxHeaderListSize: Self.headerBytes,
                maxHeaderFieldCount: Self.headerFields))
        return Application(
            router: router(),
            server: HTTPServerBuilder { responder in
                ServedOrClosed(HTTP1Channel(responder: responder, configuration: http))
            },
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? settings.port) },
            logger: quiet)
    }

    private func router() -> Router<Visit> {
        let api = API(
            store, clock: timekeeper, watched: watched, windows: windows, actions: actions, onWrite: onWrite)
        let context = PageContext(
            store: store, api: api, timekeeper: timekeeper, logger: logger, watched: watched,
            refusedReload: refusedReload, key: key,
            version: settings.version, cdnBaseURL: settings.cdnBaseURL, health: health)
        let router = Router(context: Visit.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestCount(counter: requests))
        router.add(middleware: APIEnvelope())
        router.add(middleware: Envelope())
        router.add(middleware: HostGate(key: key))
        router.add(middleware: AccessGate(key: key))
        router.add(middleware: ErrorPage(context: context))
        router.add(middleware: MethodGate(key: key))
        // A page of another site can make its visitor's browser ask this machine; a token it does not know.
        let gate = WriteGate(key: key)
        Pages(context: context, gate: gate).add(to: router)
        APIRoutes(
            api: api, gate: gate, logger: logger, metrics: metrics, health: health
        ).add(to: router)
        return router
    }
}

/// Sees to it that each accepted connection is served, or else closed.
///
/// HTTP/1.1 as the framework speaks it, but for connections that come in while the server ends. They may be accepted and
/// wait for a task that serves them, when the one that would start it is cancelled; NIO then stops the whole process, as
/// their writers were never finished. https://github.com/apple/swift-nio/issues/2637
struct ServedOrClosed: ServerChildChannel {
    private let http: HTTP1Channel

    init(_ http: HTTP1Channel) { self.http = http }

    /// What the system holds for a client that does not read; by itself it would hold megabytes for each.
    private static let sendBuffer = 128 * 1024

    func setup(channel: any NIOCore.Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        channel.setOption(ChannelOptions.socketOption(.so_sndbuf), value: SocketOptionValue(Self.sendBuffer))
            .recover { _ in }
            .flatMap { http.setup(channel: channel, logger: logger) }
            .flatMapThrowing { connection in
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(
                    ConnectionEnds(), position: .before(try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)))
                return connection
            }
            .map(AcceptedConnection.init)
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        guard let connection = value.take() else { return }
        await http.handle(value: connection, logger: logger)
    }
}

/// Says in each request whether its connection ends with it, in the one form that the framework knows: HTTP/1.0 ends it by
/// saying nothing. https://www.rfc-editor.org/rfc/rfc9112#name-persistence
final class ConnectionEnds: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version.minor == 0 || !head.isKeepAlive else {
            context.fireChannelRead(data)
            return
        }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

/// A connection on its way from the listening socket to the task that serves it. Dropped on that way, it is closed.
final class AcceptedConnection: ServerChildChannelValue {
    let channel: any NIOCore.Channel
    private let unserved: Mutex<HTTP1Channel.Value?>

    init(_ connection: HTTP1Channel.Value) {
        channel = connection.channel
        unserved = Mutex(connection)
    }

    deinit {
        guard let connection = take() else { return }
        // Without an owner, because the task that would own it has ended; it ends with the close.
        Task { try? await connection.executeThenClose { _, _ in } }
    }

    /// The connection, for the first who asks.
    func take() -> HTTP1Channel.Value? {
        unserved.withLock { unserved in
            defer { unserved = nil }
            return unserved
        }
    }
}

/// The address of the configuration cannot be listened on: why, in one sentence for the operator.
package struct ListenError: Error, Equatable, CustomStringConvertible {
    package let code: Code
    /// The address, what was seen, what to do.
    package let message: String

    package enum Code: Sendable {
        case addressInUse
        case permissionDenied
        /// No interface of this machine has the address.
        case addressNotAvailable
        case unknownHost
        case other
    }

    package var description: String { message }

    init(_ error: any Error, host: String, port: Int) {
        let place = "\(HostAddress.inURL(host)):\(port)"
        (code, message) = Self.explain(error, place: place, host: host)
    }

    private static func explain(_ error: any Error, place: String, host: String) -> (Code, String) {
        if error is SocketAddressError.UnknownHost {
            return (.unknownHost, "cannot listen on \(place): '\(host)' has no address; correct server.listen")
        }
        guard let fault = error as? IOError else {
            return (.other, "cannot listen on \(place): \(error)")
        }
        switch fault.errnoCode {
        case EADDRINUSE:
            return (
                .addressInUse,
                "cannot listen on \(place): another program already does, maybe a second aasa-monitor; end it, or give "
                    + "server.listen another port"
            )
        case EACCES, EPERM:
            return (
                .permissionDenied,
                "cannot listen on \(place): permission denied; ports below 1024 need a privilege, so give "
                    + "server.listen a higher one"
            )
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            return (
                .addressNotAvailable,
                "cannot listen on \(place): this machine has no such address; give server.listen one of its own, such "
                    + "as 127.0.0.1"
            )
        default:
            return (.other, "cannot listen on \(place): \(String(cString: strerror(fault.errnoCode)))")
        }
    }
}
