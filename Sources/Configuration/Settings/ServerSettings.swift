/// Where the status page is served.
package struct ServerSettings: Sendable, Equatable {
    /// A name or an address, IPv6 without brackets.
    package var host = "127.0.0.1"
    /// 0 lets the system choose.
    package var port = 9630
    /// Never nil where `host` is other than loopback.
    package var token: Secret?
    /// Where people reach the page, for links; nil: where it listens.
    package var publicURL: String?
    /// Whether `/metrics` has a sample for each domain.
    package var metricsByDomain = true
    /// Whether `/probe` checks domains that are not watched.
    package var probesUnknownDomains = false

    package init() {}
}
