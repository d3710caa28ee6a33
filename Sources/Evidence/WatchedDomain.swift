// What the monitor is asked to do about one domain. Configuration reads it; every other module takes from it what it needs, and
// keeps no copy under another name.

import Facts

/// How often and how patiently a domain is checked. The defaults are written here, and nowhere else.
package struct CheckSettings: Sendable, Equatable {
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
    /// The rules whose findings do not count; no rule twice. A domain's are its own, and those of the defaults.
    package var ignore: [IgnoredRule]

    package init(
        interval: Duration = .seconds(300), staleAfter: Duration = .seconds(24 * 3600),
        fullEvery: Duration = .seconds(3600), timeout: Duration = .seconds(10), failureThreshold: Int = 2,
        recoveryThreshold: Int = 1, certificateWarning: Duration = .seconds(14 * 86_400), ignore: [IgnoredRule] = []
    ) {
        self.interval = interval
        self.staleAfter = staleAfter
        self.fullEvery = fullEvery
        self.timeout = timeout
        self.failureThreshold = failureThreshold
        self.recoveryThreshold = recoveryThreshold
        self.certificateWarning = certificateWarning
        self.ignore = ignore
    }
}

/// One domain that the monitor watches, with the defaults filled in. A class, since several parts hold each of ten thousand.
package final class WatchedDomain: Sendable {
    package let domain: Domain
    package let checks: CheckSettings
    package let mode: AssociationMode
    package let labels: [String: String]
    /// The channels that hear of this domain; nil: all that no step of the escalation names, empty: none.
    package let channels: [String]?
    package let expect: Expectations?

    package init(
        domain: Domain, checks: CheckSettings = CheckSettings(), mode: AssociationMode = .production,
        labels: [String: String] = [:], channels: [String]? = nil, expect: Expectations? = nil
    ) {
        self.domain = domain
        self.checks = checks
        self.mode = mode
        self.labels = labels
        self.channels = channels
        self.expect = expect
    }
}

extension WatchedDomain: Equatable {
    package static func == (left: WatchedDomain, right: WatchedDomain) -> Bool {
        left === right
            || left.domain == right.domain && left.checks == right.checks && left.mode == right.mode
                && left.labels == right.labels && left.channels == right.channels && left.expect == right.expect
    }
}

/// Another place to look from, by way of a proxy there.
package struct Vantage: Sendable, Equatable {
    /// Unique; never `local`, which is where the monitor itself stands.
    package var name: String
    /// A URL, which may hold a password.
    package var proxy: Secret

    package init(name: String, proxy: Secret) {
        self.name = name
        self.proxy = proxy
    }
}

extension Sequence<WatchedDomain> {
    /// Of the domain that is checked most often; nil of none.
    package var shortestInterval: Duration? { lazy.map(\.checks.interval).min() }
}
