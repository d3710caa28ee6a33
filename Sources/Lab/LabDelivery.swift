import Foundation

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
