import Evidence

/// The domains that an incident of the fleet is about, in a bounded form: a message names some, and the count of all.
package struct AffectedDomains: Codable, Equatable, Sendable {
    /// By name; at most `limit`.
    package let domains: [Domain]
    /// Of all that are affected.
    package let count: Int
    /// Of all that were judged.
    package let total: Int

    /// Names are up to 253 bytes long, and a webhook's body stays under 20 KB.
    package static let limit = 50

    package init(_ domains: [Domain], of total: Int) {
        self.domains = Array(domains.sorted().prefix(Self.limit))
        count = domains.count
        self.total = total
    }

    /// `42 of 500 domains`.
    package var words: String { "\(count) of \(total) domains" }
}
