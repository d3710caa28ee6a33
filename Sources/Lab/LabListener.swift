// Listening sockets on loopback, and their connections. Owns both: after `close()`, nothing is open.

import NIOCore
import NIOPosix
import Synchronization

package final class LabListener: Sendable {
    private struct State {
        var port = 0
        var isClosed = false
        var sockets: [any Channel] = []
        var connections: [ObjectIdentifier: any Channel] = [:]
        var accepted = 0
    }

    /// More than any test opens at once; further connections are closed.
    private static let connectionLimit = 4096

    private let state = Mutex(State())

    package init() {}

    /// The number of connections so far.
    var accepted: Int { state.withLock { $0.accepted } }

    /// The port of all addresses; 0 before the first one.
    package var port: Int { state.withLock(\.port) }

    /// Binds an address and serves each connection with the handlers that `configure` adds. Port 0: any free port.
    package func listen(
        on address: String, port: Int, configure: @escaping @Sendable (any Channel) throws -> Void
    ) async throws {
        let socket = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard keep(channel) else { return channel.close(promise: nil) }
                    try configure(channel)
                }
            }
            .bind(host: address, port: port).get()
        state.withLock {
            $0.sockets.append(socket)
            $0.port = socket.localAddress?.port ?? port
        }
    }

    /// Closes the sockets and every connection, and returns when all are closed.
    package func close() async {
        let (sockets, connections) = state.withLock { state in
            state.isClosed = true
            return (state.sockets, Array(state.connections.values))
        }
        for socket in sockets { socket.close(promise: nil) }
        for channel in connections {
            channel.eventLoop.execute { channel.abortNow() }
        }
        for channel in sockets + connections {
            try? await channel.closeFuture.get()
        }
    }

    private func keep(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isKept = state.withLock { state in
            state.accepted += 1
            guard !state.isClosed, state.connections.count < Self.connectionLimit else { return false }
            state.connections[id] = channel
            return true
        }
        if isKept {
            channel.closeFuture.whenComplete { [self] _ in
                state.withLock { $0.connections[id] = nil }
            }
        }
        return isKept
    }
}
