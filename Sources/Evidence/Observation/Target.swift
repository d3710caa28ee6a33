// What a person names when they ask for a check: a domain, a URL of it, or an entitlement as an app has it.

import AASA
import Foundation

/// How a device reaches the file: `?mode=` of an entitlement.
/// https://developer.apple.com/documentation/xcode/configuring-an-associated-domain
package enum AssociationMode: String, Sendable, Codable, CaseIterable {
    /// Through Apple's CDN.
    case production
    /// Straight from the origin, for apps signed for development.
    case developer
    /// Straight from the origin, for apps that a device management installed.
    case managed
    /// Either of the two.
    case developerManaged = "developer+managed"

    /// Only production devices read Apple's copy; internal hosts of the other modes would only ever fail there.
    package var readsCDN: Bool { self == .production }
}

/// A TARGET of the command line.
package struct Target: Hashable, Sendable {
    package let domain: Domain
    package let mode: AssociationMode

    package init(domain: Domain, mode: AssociationMode = .production) {
        self.domain = domain
        self.mode = mode
    }

    /// Reads `example.com`, `https://example.com/path`, `*.example.com` or `applinks:example.com?mode=developer`.
    ///
    /// A wildcard entitlement stands for its apex: the file of `*.example.com` lies at `example.com` (TN3155).
    /// - Throws: `DomainFault`.
    package init(parsing text: String) throws(DomainFault) {
        var rest = Substring(text)
        var mode = AssociationMode.production
        if let scheme = rest.range(of: "://") {
            let name = rest[..<scheme.lowerBound].lowercased()
            guard name == "https" || name == "http" else {
                throw DomainFault(text, "'\(name)' is no scheme of a web page; write https://…")
            }
            rest = rest[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        } else {
            if let colon = rest.firstIndex(of: ":") {
                let service = rest[..<colon]
                let domain = rest[rest.index(after: colon)...]
                if Association.knownServices.contains(String(service)) {
                    rest = domain
                } else if !service.isEmpty, !service.contains(where: { ".[".contains($0) }), !domain.contains(":"),
                    domain.contains(where: \.isLetter)
                {
                    throw DomainFault(
                        text,
                        "'\(service)' is no service of an associated domain; they are "
                            + Association.knownServices.sorted().joined(separator: ", "))
                }
            }
            if let query = rest.firstIndex(of: "?") {
                let parameters = rest[rest.index(after: query)...].split(separator: "&")
                for parameter in parameters {
                    guard parameter.hasPrefix("mode=") else {
                        let name = parameter.prefix { $0 != "=" }
                        throw DomainFault(
                            text,
                            "'\(name)' is no parameter of an entitlement; the only one is mode, as in ?mode=developer")
                    }
                    let value = String(parameter.dropFirst("mode=".count))
                    guard let known = AssociationMode(rawValue: value) else {
                        throw DomainFault(text, "'\(value)' is no mode; use developer, managed or developer+managed")
                    }
                    mode = known
                }
                rest = rest[..<query]
            }
        }
        if rest.hasPrefix("*.") { rest = rest.dropFirst(2) }
        do {
            self.init(domain: try Domain(String(rest)), mode: mode)
        } catch {
            throw DomainFault(text, error.reason)
        }
    }
}
