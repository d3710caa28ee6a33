import Foundation

/// One request as it arrived.
package struct LabRequest: Sendable {
    package let method: String
    /// With the query, as on the request line.
    package let path: String
    /// In the order of arrival.
    package let headers: [(name: String, value: String)]
    package let date: Date
    /// The loopback address that the client had connected to: tells apart the addresses of a host.
    package let address: String

    /// The first value of a header, whatever the case of its name.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Empty where the client sent none.
    package var userAgent: String { header("User-Agent") ?? "" }

    /// The path without its query.
    package var pathOnly: String { String(path.prefix { $0 != "?" }) }
}

/// The last requests of one server, at most ``limit`` of them.
struct LabRequestLog {
    static let limit = 1000
    private(set) var requests: [LabRequest] = []

    mutating func append(_ request: LabRequest) {
        if requests.count >= Self.limit { requests.removeFirst() }
        requests.append(request)
    }
}
