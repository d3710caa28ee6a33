// Which of the domains a daemon takes.

import Evidence

/// One daemon's share of the domains, so that one file serves many daemons; as `hashmod` shares Prometheus' targets.
package struct Shard: Sendable, Equatable {
    /// Of shares.
    package static let largestCount = 4096

    /// From 0 up to `count` - 1.
    package let index: Int
    /// From 1 to `largestCount`.
    package let count: Int

    /// nil where the numbers are out of their ranges.
    package init?(index: Int, count: Int) {
        guard (1...Self.largestCount).contains(count), (0..<count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// Each domain is in exactly one share of a count, on every machine the same.
    package func contains(_ domain: Domain) -> Bool {
        // Other digits than those that give a domain its phase within the interval: each share keeps all phases.
        let digits = ContentHash(of: domain.name.utf8).hex.suffix(15)
        return (Int(digits, radix: 16) ?? 0) % count == index
    }
}

extension Shard: CustomStringConvertible {
    /// `0/4`.
    package var description: String { "\(index)/\(count)" }

    /// Reads the form of `description`.
    package init?(_ text: String) {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false)
        guard numbers.count == 2, numbers.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let index = Int(numbers[0]), let count = Int(numbers[1])
        else { return nil }
        self.init(index: index, count: count)
    }
}
