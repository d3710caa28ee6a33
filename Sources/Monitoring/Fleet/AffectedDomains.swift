import Evidence

/// The domains that an incident of the fleet is about, in a bounded form: a message names some, and the count of all.
package struct AffectedDomains: Codable, Equatable, Sendable {
    /// By name; at most `limit`.
    package let domains: [Domain]
    /// Of all that are affected.
    package let count: Int
    /// Of all that were evaluated.
    package let total: Int

    /// Names are up to 253 bytes long, and a webhook's body stays under 20 KB.
    package static let limit = 50

    package init(_ domains: [Domain], of total: Int) {
        // Ten thousand are not sorted for the sake of fifty.
        var first: [Domain] = []
        for domain in domains {
            if first.count == Self.limit, let last = first.last, last <= domain { continue }
            first.insert(domain, at: (first.lastIndex { $0 <= domain } ?? -1) + 1)
            if first.count > Self.limit { first.removeLast() }
        }
        self.domains = first
        count = domains.count
        self.total = total
    }

    /// `42 of 500 domains`.
    package var words: String { "\(count) of \(total) domains" }
}
