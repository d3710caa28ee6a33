// Listening sockets on loopback, and their connections. Owns both: after `close()`, nothing is open.

import Foundation
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
    private static let portAttempts = 10

    private let state = Mutex(State())

    package init() {}

    /// The number of connections so far.
    var accepted: Int { state.withLock { $0.accepted } }

    /// The port of all addresses; 0 before the first one.
    package var port: Int { state.withLock(\.port) }

    /// Binds the addresses and serves each connection with the handlers that `configure` adds.
    ///
    /// `port`: of all addresses. 0: a port that is free on all of them; one that the first address gets may be taken on
    /// another, so another port is tried then.
    package func listen(
        on addresses: [String], port: Int, configure: @escaping @Sendable (any Channel) throws -> Void
    ) async throws {
        var attempt = 1
        while true {
            var sockets: [any Channel] = []
            do {
                for address in addresses {
                    let known = sockets.first?.localAddress?.port ?? port
                    sockets.append(try await bind(address, port: known, configure: configure))
                }
                let taken = sockets
                return state.withLock {
                    $0.sockets += taken
                    $0.port = taken.first?.localAddress?.port ?? port
                }
            } catch {
                for socket in sockets { try? await socket.close() }
                let isTaken = (error as? IOError)?.errnoCode == EADDRINUSE
                guard isTaken, port == 0, attempt < Self.portAttempts else { throw error }
                attempt += 1
            }
        }
    }

    private func bind(
        _ address: String, port: Int, configure: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
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
