// The network settings of every transfer of a driver, in curl's own forms, and the check that these forms hold:
// libcurl skips an entry that it cannot parse without a word.

/// Trusted certificates, redirected names and proxy. Applied to every transfer of a `CurlDriver`.
package struct NetworkSettings: Sendable, Equatable {
    /// A PEM bundle in place of the distribution's.
    package var caFile: String?
    /// A folder of certificates by hash, of which each is read when it is needed. For few transfers: the bundle is parsed
    /// once for all, but takes 20 ms of CPU. Does not count beside `caFile`.
    package var caFolder: String?
    /// `HOST1:PORT1:HOST2:PORT2`, as curl's `--connect-to`; the first that fits counts.
    package var connectTo: [String]
    /// `HOST:PORT:ADDRESS[,ADDRESS]...`, as curl's `--resolve`.
    package var resolve: [String]
    /// `http://`, `https://`, `socks4://`, `socks4a://`, `socks5://` or `socks5h://`. nil is no proxy at all: the
    /// environment's proxy variables never count. May hold a password.
    package var proxy: String?

    package init(
        caFile: String? = nil, caFolder: String? = nil, connectTo: [String] = [], resolve: [String] = [],
        proxy: String? = nil
    ) {
        self.caFile = caFile
        self.caFolder = caFolder
        self.connectTo = connectTo
        self.resolve = resolve
        self.proxy = proxy
    }

    /// Checks the forms; touches neither network nor files.
    ///
    /// - Throws: `NetworkSettingsFault` for the first entry that does not parse.
    package func validate() throws(NetworkSettingsFault) {
        for entry in connectTo where ConnectRule(entry) == nil {
            throw NetworkSettingsFault(option: .connectTo, seen: entry)
        }
        for entry in resolve where ResolveRule(entry) == nil {
            throw NetworkSettingsFault(option: .resolve, seen: entry)
        }
        if let proxy, !Self.isProxy(proxy) {
            throw NetworkSettingsFault(option: .proxy, seen: CurlURL.withoutCredentials(proxy))
        }
    }

    /// Where a connection to this host and port goes by `connectTo`; nil where no rule fits.
    package func connectTarget(host: String, port: Int) -> (host: String, port: Int)? {
        for case let rule? in connectTo.lazy.map({ ConnectRule($0) }) where rule.fits(host: host, port: port) {
            return (rule.toHost ?? host, rule.toPort ?? port)
        }
        return nil
    }

    /// The addresses that `resolve` gives this host and port, without brackets; nil where no entry fits.
    package func resolvedAddresses(host: String, port: Int) -> [String]? {
        // The last entry wins, as in libcurl's table.
        for case let rule? in resolve.reversed().lazy.map({ ResolveRule($0) }) where rule.fits(host: host, port: port) {
            return rule.addresses
        }
        return nil
    }

    /// How a connection finds the address of a host.
    package enum Route: Sendable, Equatable {
        /// The proxy looks it up.
        case proxy
        /// Given: an address, or a rule.
        case addresses([String])
        /// A name to look up: the host's own, or that of a rule.
        case name(String, port: Int)
    }

    /// Where a connection to this host and port goes; `host` as in a URL.
    package func route(host: String, port: Int) -> Route {
        guard proxy == nil else { return .proxy }
        let target = connectTarget(host: host, port: port) ?? (host, port)
        let name = target.host.hasPrefix("[") ? String(target.host.dropFirst().dropLast()) : target.host
        if IPAddress.isLiteral(name) { return .addresses([name]) }
        if let listed = resolvedAddresses(host: name, port: target.port) { return .addresses(listed) }
        return .name(name, port: target.port)
    }

    /// The same with a proxy of one request's own, where it has one.
    func with(proxy: String?) -> NetworkSettings {
        guard let proxy else { return self }
        var settings = self
        settings.proxy = proxy
        return settings
    }

    private static func isProxy(_ text: String) -> Bool {
        guard let parts = CurlURL.components(text) else { return false }
        return ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(parts.scheme)
    }
}

/// An entry of `NetworkSettings` that does not have the form it needs.
package struct NetworkSettingsFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Raw values are curl's names, which are the command line's as well.
    package enum Option: String, Sendable {
        case connectTo = "connect-to"
        case resolve
        case proxy
    }

    package let option: Option
    /// The entry as it was given; a proxy without its user and password.
    package let seen: String

    /// The form that the option needs.
    package var expected: String {
        switch option {
        case .connectTo: "HOST1:PORT1:HOST2:PORT2 (each part may be empty, an IPv6 address is in brackets)"
        case .resolve: "HOST:PORT:ADDRESS[,ADDRESS]... with IP addresses"
        case .proxy: "SCHEME://HOST:PORT with http, https, socks4, socks4a, socks5 or socks5h"
        }
    }

    package var description: String { "\(option.rawValue) '\(seen)' is not of the form \(expected)" }
}
