// What the people who own a domain expect of its file: `expect` of the configuration, `--expect-…` of the command line.

import AASA
import Foundation

/// Expectations of one domain's file.
package struct Expectations: Codable, Equatable, Sendable {
    /// App IDs that the file must name: in each of `services`, or in any service where that list is empty.
    package var apps: [String]
    /// Services that the file must have.
    package var services: [String]
    package var urls: [ExpectedURL]

    package init(apps: [String] = [], services: [String] = [], urls: [ExpectedURL] = []) {
        self.apps = apps
        self.services = services
        self.urls = urls
    }

    /// Why a text can be no app's ID, as a clause; nil where it can. Who expects such an app has mistyped it.
    package static func fault(ofApp text: String) -> String? { AppID.fault(in: text) }

    /// These and others together.
    package func adding(_ other: Expectations) -> Expectations {
        Expectations(apps: apps + other.apps, services: services + other.services, urls: urls + other.urls)
    }

    /// The absolute URLs at which a web page is expected, each once: a path stands under the domain, an `http` URL for its
    /// `https` one. A URL of another host, or with a port or a user of its own, is not asked for.
    package func pages(of domain: Domain) -> [String] {
        var seen: Set<String> = []
        return urls.filter { $0.page == true }.compactMap { $0.pageURL(of: domain) }.filter { seen.insert($0).inserted }
    }

    package var isEmpty: Bool { apps.isEmpty && services.isEmpty && urls.isEmpty }
}

/// A URL and what it must do.
package struct ExpectedURL: Codable, Equatable, Sendable {
    /// Absolute, or a path.
    package var url: String
    /// nil: not expected of this URL.
    package var opens: ExpectedOpening?
    /// Whether somebody without the app must find a web page there.
    package var page: Bool?

    package init(url: String, opens: ExpectedOpening? = nil, page: Bool? = nil) {
        self.url = url
        self.opens = opens
        self.page = page
    }
}

extension ExpectedURL {
    /// The host of a whole URL, whose file decides about it; nil for a path, which may be put to any.
    /// - Throws: `DomainFault` where no file decides: an address or a bare label, and what has a port or a user.
    package static func host(of text: String) throws(DomainFault) -> Domain? {
        guard let scheme = ["https://", "http://"].first(where: { text.prefix(8).lowercased().hasPrefix($0) }) else {
            guard !text.hasPrefix("//") else {
                throw DomainFault(text, "it begins with '//'; write the path alone, or the whole URL with its https:")
            }
            return nil
        }
        let authority = text.unicodeScalars.dropFirst(scheme.count).prefix { !"/?#".unicodeScalars.contains($0) }
        return try Domain(String(authority))
    }

    fileprivate func pageURL(of domain: Domain) -> String? {
        let isPath = !url.contains("://") || url.hasPrefix("/")
        let text = isPath ? "https://\(domain.name)" + (url.hasPrefix("/") ? "" : "/") + url : url
        // Foundation encodes what may not stand in a URL as it is.
        guard let parsed = URL(string: text), var parts = URLComponents(url: parsed, resolvingAgainstBaseURL: false),
            let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
            parts.host?.lowercased() == domain.name, parts.port == nil, parts.user == nil
        else { return nil }
        parts.scheme = "https"
        parts.host = domain.name
        // A fragment is not sent.
        parts.fragment = nil
        return parts.string
    }
}

package enum ExpectedOpening: Codable, Equatable, Sendable, CustomStringConvertible {
    case nothing
    case app(String)

    /// `nothing`, or an app ID.
    package init(parsing text: String) { self = text == "nothing" ? .nothing : .app(text) }

    package var description: String {
        switch self {
        case .nothing: "nothing"
        case .app(let app): app.displayable
        }
    }
}
