// The life cycle of the server: it takes its address, serves, and ends in time.

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

/// Serves the data of the store to browsers and supervisors. It writes silences and acknowledgements, and can start a
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

    /// `metrics`: the answer to `/metrics`.
    /// `requests`: counts answers by `code`.
    /// `actions`: what it may ask the monitor to do.
    /// `health`: the daemon's own health.
    /// `onWrite`: called after each change of an acknowledgement, a silence or a channel, before the answer.
    /// `onListening`: called with the actual port once connections are accepted.
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

    /// Shows other domains from now on, for example after a reload. Writes them into the store, for commands that read it
    /// without the site.
    package func watch(_ domains: [WatchedDomain]) async {
        watched.replace(with: domains)
        await showWatched()
    }

    /// If the store does not answer now, a page tries again.
    private func showWatched() async { try? await watched.show(in: store) }

    /// Shows other maintenance windows from now on, and writes them into the store, like the watched domains.
    package func show(_ maintenance: [MaintenanceWindow]) async {
        windows.replace(with: maintenance)
        try? await store.note(maintenance: maintenance)
    }

    /// Uses another policy from now on. A changed token ends all sessions.
    package func allow(_ access: AccessPolicy) { key.replace(with: access) }

    /// Shows why the last reload was refused; nil: it was not.
    package func tellRefusedReload(_ reason: String?) {
        refusedReload.replace(with: reason?.displayable.shortened(to: 300))
    }

    /// Serves until graceful shutdown or cancellation; either ends it within a second, whatever clients are doing.
    /// - Throws: `ListenError` if the address cannot be taken, before anything is served.
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
                    // Unfinished answers get this long; then slow clients are cut off.
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
        // A page of another site can make its visitor's browser send requests here, without knowing a token.
        let gate = WriteGate(key: key)
        Pages(context: context, gate: gate).add(to: router)
        APIRoutes(
            api: api, gate: gate, logger: logger, metrics: metrics, health: health
        ).add(to: router)
        return router
    }
}

/// Makes sure that each accepted connection is served or closed.
///
/// The framework's own channel has a gap while the server ends. A connection may be accepted and wait for its task when
/// the task that would start it is cancelled. NIO then stops the whole process, because the connection's writer was never
/// finished. https://github.com/apple/swift-nio/issues/2637
struct ServedOrClosed: ServerChildChannel {
    private let http: HTTP1Channel

    init(_ http: HTTP1Channel) { self.http = http }

    /// How much the system buffers for a client that does not read. By default it would buffer megabytes for each.
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

/// Adds `Connection: close` to each request that ends its connection. The framework knows no other form, but HTTP/1.0
/// connections end by default. https://www.rfc-editor.org/rfc/rfc9112#name-persistence
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

/// A connection on its way from the listening socket to the task that serves it. If it is dropped there, it is closed.
final class AcceptedConnection: ServerChildChannelValue {
    let channel: any NIOCore.Channel
    private let unserved: Mutex<HTTP1Channel.Value?>

    init(_ connection: HTTP1Channel.Value) {
        channel = connection.channel
        unserved = Mutex(connection)
    }

    deinit {
        guard let connection = take() else { return }
        // Unstructured, because the task that would own it has ended. It ends with the close.
        Task { try? await connection.executeThenClose { _, _ in } }
    }

    /// The connection, for the first caller.
    func take() -> HTTP1Channel.Value? {
        unserved.withLock { unserved in
            defer { unserved = nil }
            return unserved
        }
    }
}

/// Why the server cannot listen on the configured address, in one sentence for the operator.
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
            return (.unknownHost, "cannot listen on \(place): '\(host)' resolves to no address; fix server.listen")
        }
        guard let fault = error as? IOError else {
            return (.other, "cannot listen on \(place): \(error)")
        }
        switch fault.errnoCode {
        case EADDRINUSE:
            return (
                .addressInUse,
                "cannot listen on \(place): another program already does, maybe a second aasa-monitor; stop it, or set "
                    + "another port in server.listen"
            )
        case EACCES, EPERM:
            return (
                .permissionDenied,
                "cannot listen on \(place): permission denied; ports below 1024 need a privilege, so set a higher "
                    + "port in server.listen"
            )
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            return (
                .addressNotAvailable,
                "cannot listen on \(place): this machine has no such address; set one of its own in server.listen, such "
                    + "as 127.0.0.1"
            )
        default:
            return (.other, "cannot listen on \(place): \(String(cString: strerror(fault.errnoCode)))")
        }
    }
}
