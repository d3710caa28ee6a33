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
