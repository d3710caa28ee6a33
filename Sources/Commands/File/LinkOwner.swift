// Whose file decides about a URL: iOS reads the file of the URL's own host.

import AASA
import Evidence

/// The domain whose file a URL is put to.
enum LinkOwner: Equatable {
    /// A path alone: whichever file is at hand.
    case any
    /// The URL's own host.
    case own(Domain)
    /// A domain above the host: its file decides for apps whose entitlement has the wildcard (TN3155).
    /// https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links
    case above(Domain)
    /// The file is that of this domain, which has no say about the host.
    case other(Domain)

    /// Whose file it is was said: a URL of another host is no mistake, it opens nothing.
    /// - Throws: `CommandFailure` where no file at all decides about the URL.
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

    /// - Throws: `CommandFailure` where the URL is of none of the domains.
    init(of url: MatchableURL, among domains: [Domain]) throws {
        let text = url.text.displayable.shortened(to: 200)
        let host: Domain
        do {
            guard let named = try ExpectedURL.host(of: url.text) else {
                self = .any
                return
            }
            host = named
        } catch {
            throw CommandFailure(.usage, "'\(text)' is no URL of an associated domain: \(error.reason)")
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
                "'\(text)' is no URL of \(others): a device asks the file of \(host) about it; name that domain, or give the "
                    + "path alone")
        }
    }

    /// Says where an answer holds for some apps only.
    static func note(_ url: MatchableURL, _ domain: Domain) {
        Console.remark(
            "'\(url.text.displayable.shortened(to: 200))' is put to the file of \(domain), which decides about "
                + "it only for apps with the entitlement applinks:*.\(domain); for others the file of \(url.host.displayable) does"
        )
    }
}
