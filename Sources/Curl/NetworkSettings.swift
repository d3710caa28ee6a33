// The network settings of every transfer of a driver, in curl's own formats, and their validation: libcurl silently
// skips an entry that it cannot parse.

import Facts

/// Trusted certificates, redirected names and proxy for every transfer of a `CurlDriver`.
package struct NetworkSettings: Sendable, Equatable {
    /// A PEM bundle that replaces the distribution's.
    package var caFile: String?
    /// A folder of certificates by hash, each read on demand. Suits few transfers: a bundle is parsed only once, but
    /// that takes 20 ms of CPU. Ignored if `caFile` is set.
    package var caFolder: String?
    /// `HOST1:PORT1:HOST2:PORT2`, as in curl's `--connect-to`; the first match wins.
    package var connectTo: [String]
    /// `HOST:PORT:ADDRESS[,ADDRESS]...`, as in curl's `--resolve`.
    package var resolve: [String]
    /// `http://`, `https://`, `socks4://`, `socks4a://`, `socks5://` or `socks5h://`. nil means no proxy: the
    /// environment's proxy variables are ignored. May hold a password.
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

    /// Checks the formats; uses neither network nor files.
    ///
    /// - Throws: `.badSettings` for the first entry that does not parse, with its command-line option.
    package func validate() throws(CurlError) {
        for entry in connectTo where ConnectRule(entry) == nil {
            throw Self.fault(
                "connect-to", entry, "HOST1:PORT1:HOST2:PORT2 (each part may be empty, an IPv6 address is in brackets)")
        }
        for entry in resolve where ResolveRule(entry) == nil {
            throw Self.fault("resolve", entry, "HOST:PORT:ADDRESS[,ADDRESS]... with IP addresses")
        }
        if let proxy, !Self.isProxy(proxy) {
            throw Self.fault(
                "proxy", CurlURL.withoutCredentials(proxy),
                "SCHEME://HOST:PORT with http, https, socks4, socks4a, socks5 or socks5h")
        }
    }

    private static func fault(_ option: String, _ seen: String, _ form: String) -> CurlError {
        CurlError(code: .badSettings, phase: .resolving, message: "\(option) '\(seen)' is not of the form \(form)")
    }

    /// The target of a connection to this host and port according to `connectTo`; nil if no rule matches.
    package func connectTarget(host: String, port: Int) -> (host: String, port: Int)? {
        for case let rule? in connectTo.lazy.map({ ConnectRule($0) }) where rule.fits(host: host, port: port) {
            return (rule.toHost ?? host, rule.toPort ?? port)
        }
        return nil
    }

    /// The addresses, without brackets, that `resolve` gives this host and port; nil if no entry matches.
    package func resolvedAddresses(host: String, port: Int) -> [String]? {
        // The last entry wins, as in libcurl's table.
        for case let rule? in resolve.reversed().lazy.map({ ResolveRule($0) }) where rule.fits(host: host, port: port) {
            return rule.addresses
        }
        return nil
    }

    /// How a connection finds the address of a host.
    package enum Route: Sendable, Equatable {
        /// The proxy resolves the host.
        case proxy
        /// Known without a lookup: an address literal, or a `resolve` entry.
        case addresses([String])
        /// A name to look up: the host's own, or the target of a `connectTo` rule.
        case name(String, port: Int)
    }

    /// The route of a connection to this host and port; `host` is in URL form.
    package func route(host: String, port: Int) -> Route {
        guard proxy == nil else { return .proxy }
        let target = connectTarget(host: host, port: port) ?? (host, port)
        let name = target.host.hasPrefix("[") ? String(target.host.dropFirst().dropLast()) : target.host
        if HostAddress(name) != nil { return .addresses([name]) }
        if let listed = resolvedAddresses(host: name, port: target.port) { return .addresses(listed) }
        return .name(name, port: target.port)
    }

    /// A copy with the request's own proxy, if it has one.
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

// MARK: - The rules of `connectTo` and `resolve`
// Parsed only to validate and query them; libcurl gets the original text.

/// `HOST1:PORT1:HOST2:PORT2`. In the first pair an empty part matches anything; in the second it keeps the URL's part.
struct ConnectRule {
    var fromHost: String?
    var fromPort: Int?
    var toHost: String?
    var toPort: Int?

    init?(_ text: String) {
        guard let parts = RuleText.parts(text), parts.count == 4 else { return nil }
        for index in [0, 2] where !parts[index].isEmpty && !RuleText.isHost(parts[index]) { return nil }
        for index in [1, 3] where !parts[index].isEmpty && RuleText.port(parts[index]) == nil { return nil }
        fromHost = parts[0].isEmpty ? nil : RuleText.bare(parts[0])
        fromPort = RuleText.port(parts[1])
        toHost = parts[2].isEmpty ? nil : RuleText.bare(parts[2])
        toPort = RuleText.port(parts[3])
    }

    func fits(host: String, port: Int) -> Bool {
        (fromHost.map { $0.lowercased() == RuleText.bare(host).lowercased() } ?? true)
            && (fromPort.map { $0 == port } ?? true)
    }
}

/// `[+]HOST:PORT:ADDRESS[,ADDRESS]...`, where host `*` matches any; or `-HOST:PORT`, which removes an entry.
struct ResolveRule {
    var host: String
    var port: Int
    var addresses: [String]

    init?(_ text: String) {
        let removes = text.hasPrefix("-")
        let body = removes || text.hasPrefix("+") ? String(text.dropFirst()) : text
        guard let parts = RuleText.parts(body, limit: 3), parts.count == (removes ? 2 : 3) else { return nil }
        guard parts[0] == "*" || RuleText.isHost(parts[0]), let port = RuleText.port(parts[1]) else { return nil }
        host = RuleText.bare(parts[0])
        self.port = port
        addresses =
            removes
            ? [] : parts[2].split(separator: ",", omittingEmptySubsequences: false).map { RuleText.bare(String($0)) }
        guard addresses.allSatisfy({ HostAddress($0) != nil }) else { return nil }
    }

    func fits(host: String, port: Int) -> Bool {
        self.port == port && !addresses.isEmpty
            && (self.host == "*" || self.host.lowercased() == RuleText.bare(host).lowercased())
    }
}

private enum RuleText {
    /// Splits at colons outside brackets; part number `limit` keeps its colons. nil for an open bracket.
    static func parts(_ text: String, limit: Int = .max) -> [String]? {
        var parts = [""]
        var inBrackets = false
        for character in text {
            if character == "[" { inBrackets = true }
            if character == "]" { inBrackets = false }
            if character == ":", !inBrackets, parts.count < limit {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return inBrackets ? nil : parts
    }

    static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    static func isHost(_ text: String) -> Bool {
        if text.hasPrefix("[") { return text.hasSuffix("]") && HostAddress(bare(text)) != nil }
        return !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && !"/@?#[],\"'\\".utf8.contains($0) }
    }

    static func port(_ text: String) -> Int? {
        guard text.isOfDigits, let port = Int(text) else { return nil }
        return (1...65_535).contains(port) ? port : nil
    }
}
