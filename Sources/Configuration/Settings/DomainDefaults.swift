import Evidence

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
