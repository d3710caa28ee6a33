import Foundation
import NIOCore
import Synchronization

/// A plain-HTTP receiver of webhooks on loopback. Answers 200 "ok" until changed, and keeps what it got.
package final class LabReceiver: Sendable {
    private struct State {
        var script = LabScript()
        var received: [LabDelivery] = []
    }

    /// Deliveries beyond this many push out the oldest.
    package static let limit = 10_000

    private let listener = LabListener()
    private let state = Mutex(State())

    /// Binds 127.0.0.1 and starts receiving.
    /// - Throws: where the port cannot be bound.
    package static func start(port: Int = 0) async throws -> LabReceiver {
        let receiver = LabReceiver()
        try await receiver.listener.listen(on: "127.0.0.1", port: port) { channel in
            try channel.pipeline.syncOperations.addHTTP { receiver.accept($0, $1) }
        }
        return receiver
    }

    package var port: Int { listener.port }

    /// Closes the port and every connection.
    package func shutdown() async {
        await listener.close()
    }

    /// `http://127.0.0.1:PORT` and that path, which starts with a slash.
    package func url(_ path: String) -> String {
        "http://127.0.0.1:\(port)\(path)"
    }

    /// How many TCP connections ever came in.
    package var connectionsAccepted: Int { listener.accepted }

    /// What requests get from now on.
    package var script: LabScript {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// The deliveries so far, in order, whatever they were answered; the last ``limit`` of them.
    package var received: [LabDelivery] {
        state.withLock { $0.received }
    }

    /// Waits until that many deliveries have come since the start.
    /// - Returns: whether they came in time.
    /// - Throws: `CancellationError`.
    package func wait(for count: Int, within limit: Duration) async throws -> Bool {
        let end = ContinuousClock.now + limit
        while received.count < count {
            guard ContinuousClock.now < end else { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    private func accept(_ request: LabRequest, _ body: ByteBuffer) -> LabBehaviour {
        state.withLock { state in
            if state.received.count >= Self.limit { state.received.removeFirst() }
            state.received.append(LabDelivery(request: request, body: Data(body.readableBytesView)))
            return state.script.next()
        }
    }
}

/// One request that a receiver of webhooks got.
package struct LabDelivery: Sendable {
    package let request: LabRequest
    /// At most 1 MiB: a connection that sends more is closed.
    package let body: Data
}

/// What the requests of a receiver get.
package struct LabScript: Sendable {
    /// One for each of the next requests.
    package var queue: [LabBehaviour] = []
    /// For those that come after.
    package var usual = LabBehaviour.reply(LabReply(headers: [("Content-Type", "text/plain")], body: Array("ok".utf8)))

    mutating func next() -> LabBehaviour { queue.isEmpty ? usual : queue.removeFirst() }
}
