// Whose file decides about a URL: iOS reads the file of the URL's own host.

import AASA
import Evidence

/// The domain whose file decides a URL.
package enum LinkOwner: Equatable {
    /// A path alone: any file decides it.
    case any
    /// The URL's own host.
    case own(Domain)
    /// A parent domain of the host: its file decides for apps whose entitlement has the wildcard (TN3155).
    /// https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links
    case above(Domain)
    /// The file belongs to this domain, which decides nothing for the host.
    case other(Domain)

    /// For a file whose domain is given: a URL of another host is not an error, it opens nothing.
    /// - Throws: `CommandFailure` if no file can decide the URL.
    init(of url: MatchableURL, in file: Domain) throws {
        do {
            guard let host = try ExpectedURL.host(of: url.text) else {
                self = .any
                return
            }
            self = host == file ? .own(host) : host.name.hasSuffix(".\(file.name)") ? .above(file) : .other(file)
        } catch {
            let text = url.text.displayable.shortened(to: 200)
            throw CommandFailure(.usage, "'\(text)' is not a URL of an associated domain: \(error.reason)")
        }
    }

    /// - Throws: `CommandFailure` if the URL belongs to none of the domains.
    package init(of url: MatchableURL, among domains: [Domain]) throws {
        let text = url.text.displayable.shortened(to: 200)
        let host: Domain
        do {
            guard let named = try ExpectedURL.host(of: url.text) else {
                self = .any
                return
            }
            host = named
        } catch {
            throw CommandFailure(.usage, "'\(text)' is not a URL of an associated domain: \(error.reason)")
        }
        if domains.contains(host) {
            self = .own(host)
        } else if let nearest = domains.filter({ host.name.hasSuffix(".\($0.name)") }).max(by: {
            $0.name.utf8.count < $1.name.utf8.count
        }) {
            self = .above(nearest)
        } else {
            let others = Set(domains).count > 1 ? "any of the targets" : domains.first?.name ?? "the target"
            throw CommandFailure(
                .usage,
                "'\(text)' is not a URL of \(others): devices use the file of \(host) for it; name that domain, or give only "
                    + "the path")
        }
    }

    /// Tells the user that an answer applies to some apps only.
    package static func note(_ url: MatchableURL, _ domain: Domain) {
        Console.remark(
            "'\(url.text.displayable.shortened(to: 200))' is matched against the file of \(domain). Only apps with the "
                + "entitlement applinks:*.\(domain) use that file for it; other apps use the file of \(url.host.displayable)"
        )
    }
}
