// All connections of the server. A new one always gets in.

import NIOCore
import Synchronization

/// At the limit a new connection is still accepted, and the one that has waited longest for its client is closed. Health
/// checks get an answer even when many clients are slow.
final class ConnectionTable: Sendable {
    struct Entry: Hashable, Sendable { fileprivate let number: Int }

    private struct Connection {
        let channel: any Channel
        /// False while this server makes an answer.
        var isWaitingForClient = true
        var since: NIODeadline
    }

    private struct State {
        var connections: [Entry: Connection] = [:]
        var next = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Adds a connection, and closes another one if there are too many.
    func admit(_ channel: any Channel) -> Entry {
        let (entry, victim) = state.withLock { state in
            let victim = state.connections.count >= limit ? Self.victim(of: state.connections) : nil
            // Removed at once: it must not be chosen again while it closes.
            let closing = victim.flatMap { state.connections.removeValue(forKey: $0)?.channel }
            let entry = Entry(number: state.next)
            state.next += 1
            state.connections[entry] = Connection(channel: channel, since: .now())
            return (entry, closing)
        }
        victim?.close(promise: nil)
        return entry
    }

    func note(_ entry: Entry, isWaitingForClient: Bool) {
        state.withLock { state in
            state.connections[entry]?.isWaitingForClient = isWaitingForClient
            state.connections[entry]?.since = .now()
        }
    }

    func remove(_ entry: Entry) { state.withLock { _ = $0.connections.removeValue(forKey: entry) } }

    /// A connection whose answer is being built is closed only if none waits for its client.
    private static func victim(of connections: [Entry: Connection]) -> Entry? {
        let waiting = connections.filter { $0.value.isWaitingForClient }
        return (waiting.isEmpty ? connections : waiting).min { $0.value.since < $1.value.since }?.key
    }
}
