import Foundation
import NIOCore
import Synchronization

/// A plain-HTTP receiver of webhooks on loopback. Answers 200 "ok" until changed, and keeps what it got.
package final class LabReceiver: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var behaviour = LabBehaviour.reply(LabReply(headers: [("Content-Type", "text/plain")], body: Array("ok".utf8)))
        var queue: [LabBehaviour] = []
        var received: [LabDelivery] = []
        var waiters: [UUID: Waiter] = [:]
        var streams: [UUID: AsyncStream<LabDelivery>.Continuation] = [:]
    }

    /// Deliveries beyond this many push out the oldest.
    package static let limit = 10_000

    package let port: Int
    private let listener: LabListener
    private let inbox: Inbox

    private init(port: Int, listener: LabListener, inbox: Inbox) {
        self.port = port
        self.listener = listener
        self.inbox = inbox
    }

    /// Binds 127.0.0.1 and starts receiving.
    /// - Throws: where the port cannot be bound.
    package static func start(port: Int = 0) async throws -> LabReceiver {
        let listener = LabListener()
        let inbox = Inbox()
        let bound = try await listener.listen(on: "127.0.0.1", port: port) { channel in
            try channel.pipeline.syncOperations.addHTTP { request, body in inbox.accept(request, body) }
        }
        return LabReceiver(port: bound, listener: listener, inbox: inbox)
    }

    /// Closes the port and every connection, and finishes the streams.
    package func shutdown() async {
        await listener.close()
        let streams = inbox.state.withLock { Array($0.streams.values) }
        for stream in streams { stream.finish() }
    }

    /// `http://127.0.0.1:PORT` and that path, which starts with a slash.
    package func url(_ path: String) -> String {
        "http://127.0.0.1:\(port)\(path)"
    }

    /// How many TCP connections ever came in.
    package var connectionsAccepted: Int { listener.accepted }

    /// What a request gets while the queue of ``next(_:)`` is empty.
    package var behaviour: LabBehaviour {
        get { inbox.state.withLock { $0.behaviour } }
        set { inbox.state.withLock { $0.behaviour = newValue } }
    }

    /// Adds to a queue of behaviours, used one a request before the default applies again.
    package func next(_ behaviours: [LabBehaviour]) {
        inbox.state.withLock { $0.queue += behaviours }
    }

    /// The deliveries so far, in order, whatever they were answered; the last ``limit`` of them.
    package var received: [LabDelivery] {
        inbox.state.withLock { $0.received }
    }

    /// Waits until that many deliveries have come since the start, and returns all that have.
    /// - Throws: ``LabWaitTimedOut`` with what was seen, or `CancellationError`.
    package func deliveries(count: Int, within limit: Duration) async throws -> [LabDelivery] {
        let inbox = inbox
        await withTaskGroup { group in
            group.addTask { await inbox.wait(for: count) }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
        let seen = received
        guard seen.count >= count else { throw LabWaitTimedOut(wanted: count, seen: seen) }
        return seen
    }

    /// The deliveries so far and then each as it comes, until shutdown. A reader that lags loses the oldest beyond 1000.
    package var stream: AsyncStream<LabDelivery> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LabDelivery.self, bufferingPolicy: .bufferingNewest(1000))
        let id = UUID()
        continuation.onTermination = { [inbox] _ in
            inbox.state.withLock { $0.streams[id] = nil }
        }
        inbox.state.withLock { state in
            for delivery in state.received { continuation.yield(delivery) }
            state.streams[id] = continuation
        }
        return stream
    }

    /// What the connections and the receiver's owner share.
    private final class Inbox: Sendable {
        let state = Mutex(State())

        func accept(_ request: LabRequest, _ body: ByteBuffer) -> LabBehaviour {
            let delivery = LabDelivery(
                method: request.method, path: request.path, headers: request.headers,
                body: Data(body.readableBytesView), receivedAt: request.date)
            let (behaviour, ready) = state.withLock { state in
                if state.received.count >= LabReceiver.limit { state.received.removeFirst() }
                state.received.append(delivery)
                for stream in state.streams.values { stream.yield(delivery) }
                let ready = state.waiters.filter { $0.value.count <= state.received.count }
                for id in ready.keys { state.waiters[id] = nil }
                return (state.queue.isEmpty ? state.behaviour : state.queue.removeFirst(), ready)
            }
            for waiter in ready.values { waiter.continuation.resume() }
            return behaviour
        }

        /// Returns when so many have come, or when the task is cancelled.
        func wait(for count: Int) async {
            let id = UUID()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isDone = state.withLock { state in
                        // The cancel may have come before: its handler then found nothing to resume.
                        if state.received.count >= count || Task.isCancelled { return true }
                        state.waiters[id] = Waiter(count: count, continuation: continuation)
                        return false
                    }
                    if isDone { continuation.resume() }
                }
            } onCancel: {
                let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
                waiter?.continuation.resume()
            }
        }
    }
}

/// One request that a receiver of webhooks got.
package struct LabDelivery: Sendable {
    package let method: String
    package let path: String
    /// In the order of arrival.
    package let headers: [(name: String, value: String)]
    /// At most 1 MiB: a connection that sends more is closed.
    package let body: Data
    package let receivedAt: Date

    /// The first value of a header, whatever the case of its name.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Fewer deliveries than wanted came in time.
package struct LabWaitTimedOut: Error, CustomStringConvertible {
    package let wanted: Int
    /// What had come by then.
    package let seen: [LabDelivery]

    package var description: String {
        let bodies = seen.map { "\($0.method) \($0.path) \(String(decoding: $0.body.prefix(300), as: UTF8.self))" }
        return "waited for \(wanted) deliveries, saw \(seen.count): \(bodies)"
    }
}
