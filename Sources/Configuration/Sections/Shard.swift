// Which domains a daemon monitors.

import Evidence

/// One daemon's share of the domains, so that many daemons can use one file, like `hashmod` for Prometheus' targets.
///
/// It filters the list of domains while the configuration is read. Later code only sees fewer domains. One label at
/// Alertmanager names the share, for incidents that are not about one domain (`Routing`).
package struct Shard: Sendable, Equatable {
    /// The maximum number of shares.
    package static let largestCount = 4096

    /// From 0 to `count` - 1.
    package private(set) var index = 0
    /// From 1 to `largestCount`.
    package private(set) var count = 1

    /// All domains.
    private init() {}

    /// nil if a number is out of range.
    package init?(index: Int, count: Int) {
        guard (1...Self.largestCount).contains(count), (0..<count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// Each domain is in exactly one share, which is the same on every machine.
    package func contains(_ domain: Domain) -> Bool {
        // Not the digits that determine a domain's phase in the interval, so that each share has all phases.
        let digits = ContentHash(of: domain.name.utf8).hex.suffix(15)
        return (Int(digits, radix: 16) ?? 0) % count == index
    }
}

extension Shard: CustomStringConvertible {
    /// `0/4`.
    package var description: String { "\(index)/\(count)" }

    /// Parses the format of `description`.
    package init?(_ text: String) {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false)
        guard numbers.count == 2, numbers.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let index = Int(numbers[0]), let count = Int(numbers[1])
        else { return nil }
        self.init(index: index, count: count)
    }
}

extension Shard {
    static let form = Form<Shard>.mapping(
        [
            Setting(
                "index", \.index, .integer(in: 0...largestCount - 1), isRequired: true,
                "which share, from 0 to `count` - 1"),
            Setting("count", \.count, .integer(in: 1...largestCount), isRequired: true, "the number of shares"),
        ], Shard()
    ) { shard, section in
        guard section.isGiven("count"), shard.index >= shard.count else { return }
        section.reading.error(
            "'index' \(section.title) counts from 0, so it must be less than 'count'", at: section.place(of: "index"))
    }
}
