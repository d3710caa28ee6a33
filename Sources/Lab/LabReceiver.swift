import Foundation
import NIOCore
import Synchronization

/// A plain-HTTP receiver of webhooks on loopback. Answers 200 "ok" until changed, and records what it receives.
package final class LabReceiver: Sendable {
    private struct State {
        var script = LabScript()
        var received: [LabDelivery] = []
    }

    /// Beyond this many deliveries, the oldest are dropped.
    package static let limit = 10_000

    private let listener = LabListener()
    private let state = Mutex(State())

    /// Binds 127.0.0.1 and starts receiving.
    /// - Throws: if the port cannot be bound.
    package static func start(port: Int = 0) async throws -> LabReceiver {
        let receiver = LabReceiver()
        try await receiver.listener.listen(on: ["127.0.0.1"], port: port) { channel in
            try channel.pipeline.syncOperations.addHTTP { receiver.accept($0, $1) }
        }
        return receiver
    }

    package var port: Int { listener.port }

    /// Closes the port and every connection.
    package func shutdown() async {
        await listener.close()
    }

    /// The URL for a path, which starts with a slash.
    package func url(_ path: String) -> String {
        "http://127.0.0.1:\(port)\(path)"
    }

    /// The number of TCP connections so far.
    package var connectionsAccepted: Int { listener.accepted }

    /// The responses from now on.
    package var script: LabScript {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// The deliveries so far, in order, regardless of the response; the last ``limit``.
    package var received: [LabDelivery] {
        state.withLock { $0.received }
    }

    /// Waits until this many deliveries have arrived since the start.
    /// - Returns: whether they arrived in time.
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

/// One request that a webhook receiver got.
package struct LabDelivery: Sendable {
    package let request: LabRequest
    /// At most 1 MiB: a connection that sends more is closed.
    package let body: Data
}

/// The responses of a receiver.
package struct LabScript: Sendable {
    /// One for each of the next requests.
    package var queue: [LabBehaviour] = []
    /// For all later requests.
    package var usual = LabBehaviour.reply(LabReply(headers: [("Content-Type", "text/plain")], body: Array("ok".utf8)))

    mutating func next() -> LabBehaviour { queue.isEmpty ? usual : queue.removeFirst() }
}
