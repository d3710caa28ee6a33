// What a person names for a check: a domain, a URL of it, or the entitlement of an app.

import AASA
import Foundation

/// How a device reaches the file: `?mode=` of an entitlement.
/// https://developer.apple.com/documentation/xcode/configuring-an-associated-domain
package enum AssociationMode: String, Sendable, Codable, CaseIterable {
    /// Through Apple's CDN.
    case production
    /// Straight from the origin, for apps signed for development.
    case developer
    /// Straight from the origin, for apps that a device management service installed.
    case managed
    /// Either of the two.
    case developerManaged = "developer+managed"

    /// Only production devices read Apple's copy. Internal hosts of the other modes would always fail there.
    package var readsCDN: Bool { self == .production }

    /// What a device needs to read an entry of this mode.
    package var needs: String {
        switch self {
        case .production: ""
        case .developer:
            "Developer mode needs an app that is signed for development, and Associated Domains Development turned on. "
                + "Builds from TestFlight and the App Store do not have it."
        case .managed:
            "Managed mode needs an app that device management installed, with the entitlement "
                + "com.apple.developer.associated-domains.mdm-managed."
        case .developerManaged: "One of two conditions is enough. \(Self.developer.needs) \(Self.managed.needs)"
        }
    }
}

/// A TARGET of the command line.
package struct Target: Hashable, Sendable {
    package let domain: Domain
    package let mode: AssociationMode
    /// The service that an entitlement names, such as `webcredentials`; nil if it names none.
    package let service: String?
    /// The rest of a URL, from its path on; nil for the home page, and for the file's own address.
    package var path: String?

    package init(
        domain: Domain, mode: AssociationMode = .production, service: String? = nil, path: String? = nil
    ) {
        self.domain = domain
        self.mode = mode
        self.service = service
        self.path = path
    }

    /// Parses `example.com`, `https://example.com/path`, `*.example.com` or `applinks:example.com?mode=developer`. The
    /// address of a copy in Apple's CDN means the domain of that copy.
    ///
    /// A wildcard entitlement means its apex: the file of `*.example.com` is at `example.com` (TN3155).
    /// - Throws: `DomainFault`.
    package init(parsing text: String) throws(DomainFault) {
        if let url = try PastedURL(text) {
            self.init(domain: try Self.domain(url.name, of: text), path: url.path)
        } else {
            try self.init(entitlement: text)
        }
    }

    private init(entitlement text: String) throws(DomainFault) {
        var rest = Substring(text)
        var mode = AssociationMode.production
        var service: String?
        if let colon = rest.firstIndex(of: ":") {
            let name = rest[..<colon]
            let domain = rest[rest.index(after: colon)...]
            if Association.knownServices.contains(String(name)) {
                service = String(name)
                rest = domain
            } else if !name.isEmpty, !name.contains(where: { ".[".contains($0) }), !domain.contains(":"),
                domain.contains(where: \.isLetter)
            {
                throw DomainFault(
                    text,
                    "'\(name)' is not a service of an associated domain; the services are "
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
                        "'\(name)' is not a parameter of an entitlement; the only one is mode, as in ?mode=developer")
                }
                let value = String(parameter.dropFirst("mode=".count))
                guard let known = AssociationMode(rawValue: value) else {
                    throw DomainFault(text, "'\(value)' is not a mode; use developer, managed or developer+managed")
                }
                mode = known
            }
            rest = rest[..<query]
        }
        self.init(domain: try Self.domain(rest, of: text), mode: mode, service: service)
    }

    private static func domain(_ name: Substring, of text: String) throws(DomainFault) -> Domain {
        do {
            return try Domain(String(name.hasPrefix("*.") ? name.dropFirst(2) : name))
        } catch {
            throw DomainFault(text, error.reason)
        }
    }
}

extension Target {
    /// The URL as it was typed; nil if it named no more than the domain.
    package var link: String? {
        path.map { "https://\(domain.name)\($0.hasPrefix("/") ? "" : "/")\($0)" }
    }

    /// Whether the path is an association file in a wrong place, not a link: below a folder, or with an extension.
    package var isOfFile: Bool {
        let path = plainPath.lowercased()
        return path.contains("/.well-known/") || path.contains("apple-app-site-association")
    }

    /// Where the file may be by mistake if the path is not that of a link. It may be at the path itself, or below one of its
    /// folders, as on the project page of a platform. At most four URLs.
    package var namedPlaces: [String] {
        guard path != nil else { return [] }
        if isOfFile { return ["https://\(domain.name)\(plainPath)"] }
        let folders = plainPath.split(separator: "/").prefix(4)
        return folders.indices.reversed().map { last in
            "https://\(domain.name)/\(folders[...last].joined(separator: "/"))\(Domain.wellKnownPath)"
        }
    }

    /// Without query and fragment.
    private var plainPath: String { String((path ?? "").prefix { !"?#".contains($0) }) }
}

/// Where Apple keeps its copies of the files: that of `example.com` is at `/a/v1/example.com`.
/// https://developer.apple.com/forums/thread/835728. Apple does not document it, but its support staff and every device
/// use it.
package enum AppleCDN {
    static let host = "app-site-association.cdn-apple.com"
    static let path = "/a/v1"
    /// Up to the domain, without final slash.
    package static let baseURL = "https://\(host)\(path)"
}

/// What people copy from a browser: a URL, or a domain with a slash or the well-known path after it.
private struct PastedURL {
    /// The host without its default port, or the domain of a copy in Apple's CDN.
    let name: Substring
    /// What follows the host, if it is more than a slash or the file's own address.
    let path: String?

    private static let cdnPath = AppleCDN.path + "/"

    /// nil if the text is neither.
    /// - Throws: `DomainFault` for a URL that is not a web page's, or that names no domain.
    init?(_ text: String) throws(DomainFault) {
        let rest: Substring
        let ownPort: String
        let scheme = text.range(of: "://")
        if let scheme {
            let name = text[..<scheme.lowerBound].lowercased()
            guard name == "https" || name == "http" else {
                throw DomainFault(text, "'\(name)' is not the scheme of a web page; write https://…")
            }
            (rest, ownPort) = (text[scheme.upperBound...], name == "https" ? ":443" : ":80")
        } else {
            (rest, ownPort) = (text[...], ":443")
        }
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest[authority.endIndex...].prefix { !"?#".contains($0) }
        let host = authority.withoutPort(ownPort)
        if host.lowercased() == AppleCDN.host, path.hasPrefix("/") {
            name = path.hasPrefix(Self.cdnPath) ? path.dropFirst(Self.cdnPath.count).prefix { $0 != "/" } : ""
            guard !name.isEmpty else {
                throw DomainFault(
                    text, "it is Apple's CDN; add the domain whose copy you mean, as in \(Self.cdnPath)example.com")
            }
            self.path = nil
            return
        }
        // Without a scheme it may be an entitlement, whose parser explains mistakes in service or mode.
        // Hence no query, which may be a mode, and no colon, which ends a service.
        let isPasted =
            !host.contains(":") && path.endIndex == rest.endIndex
            && (host != authority && path.isEmpty
                || host.contains(".") && (path == "/" || path == Domain.wellKnownPath))
        guard scheme != nil || isPasted else { return nil }
        name = host
        let link = rest[authority.endIndex...]
        self.path = link.isEmpty || link == "/" || path == Domain.wellKnownPath ? nil : String(link)
    }
}

extension StringProtocol {
    /// Without the default port of its scheme, such as `:443`.
    fileprivate func withoutPort(_ port: String) -> SubSequence { hasSuffix(port) ? dropLast(port.count) : self[...] }
}

extension Domain {
    /// The host of a web page's URL; `scheme` is `https://` or `http://`.
    /// - Throws: `DomainFault` for a user, or a port other than the scheme's own.
    init(authority: some StringProtocol, scheme: String) throws(DomainFault) {
        try self.init(String(authority.withoutPort(scheme == "https://" ? ":443" : ":80")))
    }
}
