/// Where the status page is served.
package struct ServerSettings: Sendable, Equatable {
    /// A name or an address, IPv6 without brackets.
    package var host = "127.0.0.1"
    /// 0 lets the system choose.
    package var port = 9630
    /// Never nil where `host` is other than loopback.
    package var token: Secret?

    package init() {}
}
