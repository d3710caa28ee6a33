// What the monitor does for one domain. The configuration fills it in; every other module reads it here and keeps no
// copy under another name.

import Facts

/// How often and with which limits a domain is checked. This is the only place for the defaults.
package struct CheckSettings: Sendable, Equatable {
    /// Between two checks; at least 100 ms.
    package var interval: Duration
    /// How long the CDN may lag behind a change before it is an incident.
    package var staleAfter: Duration
    /// A full check at least this often.
    package var fullEvery: Duration
    /// For one request, all phases together; 100 ms to 5 minutes.
    package var timeout: Duration
    /// Consecutive failed checks before an incident opens; 1 to 100.
    package var failureThreshold: Int
    /// Consecutive good checks before it is resolved; 1 to 100.
    package var recoveryThreshold: Int
    /// How long before a certificate expires the monitor warns.
    package var certificateWarning: Duration
    /// The rules whose findings do not count, each once: the domain's own, and those of the defaults.
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

/// One watched domain, with the defaults filled in. A class, because several parts hold each of ten thousand.
package final class WatchedDomain: Sendable {
    package let domain: Domain
    package let checks: CheckSettings
    package let mode: AssociationMode
    package let labels: [String: String]
    /// The channels that are notified of this domain. nil: all that no escalation step names; empty: none.
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

/// Another location to probe from, through a proxy there.
package struct Vantage: Sendable, Equatable {
    /// Unique; never `local`, which is the monitor's own location.
    package var name: String
    /// A URL; may hold a password.
    package var proxy: Secret

    package init(name: String, proxy: Secret) {
        self.name = name
        self.proxy = proxy
    }
}

extension Sequence<WatchedDomain> {
    /// The interval of the domain that is checked most often; nil without domains.
    package var shortestInterval: Duration? { lazy.map(\.checks.interval).min() }
}
