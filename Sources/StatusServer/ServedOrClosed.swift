// HTTP/1.1 as the framework speaks it, but for connections that come in while the server ends. They may be accepted and wait
// for a task that serves them, when the one that would start it is cancelled; NIO then stops the whole process, as their
// writers were never finished. https://github.com/apple/swift-nio/issues/2637

import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Sees to it that each accepted connection is served, or else closed.
struct ServedOrClosed: ServerChildChannel {
    private let http: HTTP1Channel

    init(_ http: HTTP1Channel) { self.http = http }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        http.setup(channel: channel, logger: logger).map(AcceptedConnection.init)
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        guard let connection = value.take() else { return }
        await http.handle(value: connection, logger: logger)
    }
}

/// A connection on its way from the listening socket to the task that serves it. Dropped on that way, it is closed.
final class AcceptedConnection: ServerChildChannelValue {
    let channel: any Channel
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
