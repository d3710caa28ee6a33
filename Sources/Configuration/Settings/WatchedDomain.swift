// The domains: what one is watched with, the defaults, and which of them a daemon takes.

import Evidence

/// One domain that the monitor watches, with the defaults filled in.
package struct WatchedDomain: Sendable, Equatable {
    package var domain: Domain
    /// Between two checks; 100 ms at least.
    package var interval: Duration
    /// How long the CDN may lag behind a change before that is an incident.
    package var staleAfter: Duration
    /// A full check at least this often.
    package var fullEvery: Duration
    /// For one request, all phases together; 100 ms to 5 minutes.
    package var timeout: Duration
    /// Consecutive failed checks before an incident opens; 1 to 100.
    package var failureThreshold: Int
    /// Consecutive good checks before it is resolved; 1 to 100.
    package var recoveryThreshold: Int
    /// How long before its expiry a certificate is complained about.
    package var certificateWarning: Duration
    /// The rules whose findings do not count: the domain's own, and those of the defaults.
    package var ignore: [IgnoredRule]
    package var mode: AssociationMode
    package var labels: [String: String]
    /// The channels that hear of this domain; nil: all of them, empty: none.
    package var channels: [String]?
    package var expect: Expectations?

    package init(
        domain: Domain, defaults: DomainDefaults = DomainDefaults(), mode: AssociationMode = .production,
        labels: [String: String] = [:], channels: [String]? = nil, expect: Expectations? = nil
    ) {
        self.domain = domain
        self.interval = defaults.interval
        self.staleAfter = defaults.staleAfter
        self.fullEvery = defaults.fullEvery
        self.timeout = defaults.timeout
        self.failureThreshold = defaults.failureThreshold
        self.recoveryThreshold = defaults.recoveryThreshold
        self.certificateWarning = defaults.certificateWarning
        self.ignore = defaults.ignore
        self.mode = mode
        self.labels = labels
        self.channels = channels
        self.expect = expect
    }
}

/// How often and how patiently a domain is checked. The values of a fresh one are those of the contract.
package struct DomainDefaults: Sendable, Equatable {
    /// Between two checks; 100 ms at least.
    package var interval: Duration = .seconds(300)
    /// How long the CDN may lag behind a change before that is an incident.
    package var staleAfter: Duration = .seconds(24 * 3600)
    /// A full check at least this often.
    package var fullEvery: Duration = .seconds(3600)
    /// For one request, all phases together; 100 ms to 5 minutes.
    package var timeout: Duration = .seconds(10)
    /// Consecutive failed checks before an incident opens; 1 to 100.
    package var failureThreshold = 2
    /// Consecutive good checks before it is resolved; 1 to 100.
    package var recoveryThreshold = 1
    /// How long before its expiry a certificate is complained about.
    package var certificateWarning: Duration = .seconds(14 * 86_400)
    /// The rules whose findings do not count; no rule twice.
    package var ignore: [IgnoredRule] = []

    package init() {}
}

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
