import Foundation
import Lab

extension LabReceiver {
    /// The answer to a request while the queue of ``next(_:)`` is empty.
    package var behaviour: LabBehaviour {
        get { script.usual }
        set { script.usual = newValue }
    }

    /// Adds behaviours to a queue. Each request uses one; then the default applies again.
    package func next(_ behaviours: [LabBehaviour]) {
        script.queue += behaviours
    }

    /// Waits until that many deliveries have arrived since the start, and returns all of them.
    /// - Throws: ``LabWaitTimedOut`` with the deliveries so far, or `CancellationError`.
    package func deliveries(count: Int, within limit: Duration) async throws -> [LabDelivery] {
        let isDone = try await wait(for: count, within: limit)
        let seen = received
        guard isDone else { throw LabWaitTimedOut(wanted: count, seen: seen) }
        return seen
    }
}

extension LabDelivery {
    package var method: String { request.method }
    package var path: String { request.path }
    package var headers: [(name: String, value: String)] { request.headers }
    package var receivedAt: Date { request.date }

    /// The first value of a header; its name is case-insensitive.
    package func header(_ name: String) -> String? { request.header(name) }
}

/// Too few deliveries arrived in time.
package struct LabWaitTimedOut: Error, CustomStringConvertible {
    package let wanted: Int
    /// The deliveries so far.
    package let seen: [LabDelivery]

    package var description: String {
        let bodies = seen.map { "\($0.method) \($0.path) \(String(decoding: $0.body.prefix(300), as: UTF8.self))" }
        return "waited for \(wanted) deliveries, saw \(seen.count): \(bodies)"
    }
}
