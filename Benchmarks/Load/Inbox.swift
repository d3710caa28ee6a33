// One receiver of messages, on loopback and in this process. It counts what comes; which incidents that was about the store
// knows.

import Foundation
import Lab
import Synchronization

final class Inbox: Sendable {
    private let receiver: LabReceiver
    private let counting: Task<Void, Never>
    private let counter: Counter

    private final class Counter: Sendable {
        let messages = Atomic<Int>(0)
    }

    /// - Throws: where no port can be bound.
    init() async throws {
        let receiver = try await LabReceiver.start()
        let counter = Counter()
        // The receiver itself keeps the last ones only.
        let stream = receiver.stream
        counting = Task { for await _ in stream { counter.messages.add(1, ordering: .relaxed) } }
        (self.receiver, self.counter) = (receiver, counter)
    }

    var messages: Int { counter.messages.load(ordering: .relaxed) }

    func url(_ path: String) -> String { receiver.url(path) }

    func close() async {
        counting.cancel()
        await receiver.shutdown()
    }
}
