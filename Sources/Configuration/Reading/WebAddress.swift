// Checks the URLs that the monitor itself calls.

import Evidence
import Facts
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

package enum WebAddress {
    /// For the documentation and the schema: about what `fault` accepts.
    static let words = "https URL; \(loopbackOnly)"
    static let loopbackOnly = "http for loopback hosts only (`127.0.0.0/8`, `::1`, `localhost`)"
    static let pattern = #"^(https://[^/?#\s]|http://(localhost|127\.|\[::1\]))"#
    static let basePattern = #"^(https://|http://(localhost|127\.|\[::1\]))[^?#\s]*$"#

    /// What is wrong with a URL that the monitor calls; nil if it is valid. The words do not repeat the URL.
    /// `isBase`: path components are appended to it, so it must not have a query.
    package static func fault(_ text: String, isBase: Bool = false) -> String? {
        guard let (scheme, components, host) = parts(text) else {
            return "is not a URL such as https://example.com/path"
        }
        switch scheme {
        case "https": break
        case "http" where HostAddress.isLoopback(host: host): break
        case "http": return "must begin with https://; plain http is only for loopback hosts"
        default: return "must begin with https://"
        }
        if components.user != nil || components.password != nil { return "must not contain a user or password" }
        if isBase, components.query != nil || components.fragment != nil {
            return "must not contain a query or fragment"
        }
        return nil
    }

    /// Like `fault(_:)`, for the URL of a mail server. An `smtp` URL does not decide whether TLS is used.
    static func mailFault(_ text: String) -> String? {
        guard let (scheme, components, _) = parts(text) else {
            return "is not a URL such as smtp://mail.example.com:587"
        }
        guard scheme == "smtp" || scheme == "smtps" else { return "must begin with smtps:// or smtp://" }
        if components.user != nil || components.password != nil {
            return "must not contain a user or password; give them as 'username' and 'password'"
        }
        let isBare = ["", "/"].contains(components.path) && components.query == nil && components.fragment == nil
        return isBare ? nil : "must not contain a path, query or fragment"
    }

    /// Whether a URL can be that of the status page: a host without a path. Allows http, for private networks.
    static func isPage(_ text: String) -> Bool {
        guard let (scheme, components, _) = parts(text), scheme == "https" || scheme == "http" else { return false }
        return ["", "/"].contains(components.path) && components.query == nil && components.fragment == nil
            && components.user == nil && components.password == nil
    }

    /// Like `fault(_:)`, for the URL of a proxy, with the schemes that curl supports.
    static func proxyFault(_ text: String) -> String? {
        guard let (scheme, _, _) = parts(text), proxySchemes.contains(scheme) else {
            return "is not the URL of a proxy, such as socks5h://host.example:1080; its scheme must be one of "
                + proxySchemes.joined(separator: ", ")
        }
        return nil
    }

    static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Whether the host is this machine.
    static func isHere(_ text: String) -> Bool { parts(text).map { HostAddress.isLoopback(host: $0.host) } ?? false }

    /// Whether the URL contains a password.
    static func hasPassword(_ text: String) -> Bool { parts(text)?.components.password?.isEmpty == false }

    static func isAddress4(_ text: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, text, &address) == 1
    }

    static func isAddress6(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
    }

    private static func parts(_ text: String) -> (scheme: String, components: URLComponents, host: String)? {
        // Reject characters that parsers read differently, so that curl calls the host that was checked here.
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#"\"<>^`{|}"#.utf8.contains($0) }
        guard isPlain, let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
            var host = components.host, text.dropFirst(scheme.count).hasPrefix("://")
        else { return nil }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, components.port.map({ (1...65_535).contains($0) }) ?? true else { return nil }
        if host.contains(":"), !isAddress6(host) { return nil }
        return (scheme, components, host)
    }
}
