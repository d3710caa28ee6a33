// Redirects, and whose server a finding is about: after a redirect the fault is another server's, and the text must not
// blame the domain's own.

import Foundation

extension Checks {
    /// Apple documents that no redirect is allowed. Its CDN was seen to follow some within HTTPS, so redirects within
    /// the same site are a warning.
    @Sendable static func originRedirects(_ context: CheckContext) -> [Finding] {
        guard let first = context.origin.redirects.first else { return [] }
        let hops = context.origin.redirects
        let trail = RedirectTrail(hops)
        let evidence = ["url": context.origin.url, "redirects": trail.text, "hops": "\(hops.count)"]
        let last = hops.last ?? first
        let target = (last.target ?? "").inSentence
        let host = last.target.flatMap { URL(string: $0)?.host }
        let problem: OriginProblem
        if let fault = RedirectFault(stopOf: context.origin) {
            problem = .redirect(fault)
        } else if trail.isInsecure {
            problem = .redirect(.byInsecure(target))
        } else if trail.leadsToLogin {
            problem = .redirect(.login(target))
        } else if host.map({ context.domain.isSameSite(as: $0) }) == true {
            // Often a redirect of every path, to the home page or to a "not found" page: the title shows which.
            let isPage = context.readings.originIsPage
            let isFollowed = context.cdn?.answer?.header("apple-from")?.contains(",") == true
            problem =
                isPage
                ? .redirect(.toPage(target, title: context.readings.originPageTitle))
                : .redirectSameSite(target, cdnFollowed: isFollowed)
        } else {
            problem = .redirect(.otherSite(target))
        }
        return [Finding(.origin(problem), evidence: evidence)]
    }
}

extension Domain {
    /// Whether a host belongs to the same site: one name contains the other, or both share the registered part. Without
    /// the public suffix list this is a guess, which only moves a finding between warning and error.
    func isSameSite(as host: String) -> Bool {
        let host = host.lowercased()
        if host == name || host.hasSuffix("." + name) || name.hasSuffix("." + host) { return true }
        return Self.site(of: host) == Self.site(of: name)
    }

    private static func site(of host: String) -> ArraySlice<Substring> {
        let labels = host.split(separator: ".")
        let secondLevel: Set<Substring> = ["co", "com", "net", "org", "gov", "edu", "ac", "or", "ne", "go"]
        let takesThree =
            labels.count >= 3 && labels[labels.count - 1].count == 2 && secondLevel.contains(labels[labels.count - 2])
        return labels.suffix(takesThree ? 3 : 2)
    }
}

/// Redirects as evidence: hop by hop, with scheme, host and status.
struct RedirectTrail {
    let hops: [RedirectHop]

    /// The beginning of a redirect loop represents all of it.
    private static let maximumHops = 12

    init(_ hops: [RedirectHop]) { self.hops = hops }

    /// `https example.com → 301 → https www.example.com/x`.
    var text: String {
        let shown = hops.prefix(Self.maximumHops).map { hop in
            "\(Self.origin(hop.from)) → \(hop.status) → \(hop.target ?? hop.location ?? "(no Location)")"
                .shortened(to: 200)
        }
        return shown.joined(separator: ", ")
            + (hops.count > Self.maximumHops ? ", and \(hops.count - Self.maximumHops) more" : "")
    }

    private static func origin(_ url: String) -> String {
        guard let parts = URLComponents(string: url), let host = parts.host else { return url }
        return "\(parts.scheme ?? "") \(host)"
    }

    /// Whether a hop leaves HTTPS, or starts outside it.
    var isInsecure: Bool {
        hops.contains { hop in
            [hop.from, hop.target ?? ""].contains { $0.lowercased().hasPrefix("http://") }
        }
    }

    /// Whether the last target looks like a login page, by the words of its host and path.
    var leadsToLogin: Bool {
        guard let target = hops.last?.target, let parts = URLComponents(string: target) else { return false }
        let words = (parts.host ?? "").split(separator: ".").dropLast() + parts.path.split(separator: "/")
        let login: Set<String> = [
            "login", "log-in", "signin", "sign-in", "sign_in", "sso", "saml", "oauth", "oauth2", "auth", "accounts",
            "authorize", "cas",
        ]
        return words.contains { word in
            let name = word.lowercased().prefix { $0 != "." && $0 != ";" }
            return login.contains(String(name))
        }
    }
}

/// The host that the last request of a retrieval went to.
struct LastHost: Equatable {
    /// In lower case, cleaned for display and bounded.
    let name: String
    /// Whether redirects led to a host other than the domain.
    let isElsewhere: Bool
    /// The redirects that led there; empty if there are none.
    private let trail: String

    /// A redirect that was not followed leads nowhere: the host that sent it counts.
    init(_ retrieval: Retrieval, of domain: Domain) {
        let last = retrieval.redirects.last
        trail = RedirectTrail(retrieval.redirects).text
        let isUnfollowed =
            retrieval.redirectStop != nil || retrieval.answer.map { (300..<400).contains($0.status) } ?? false
        guard let url = isUnfollowed ? last?.from : last?.target,
            let host = URLComponents(string: url)?.host?.lowercased(), host != domain.name
        else {
            name = domain.name
            isElsewhere = false
            return
        }
        name = host.displayable.shortened(to: 253)
        isElsewhere = true
    }

    /// The finding, with the host's name if the domain's own server is not at fault.
    func placing(_ finding: Finding) -> Finding {
        guard isElsewhere else { return finding }
        var finding = finding
        finding.place = .behindRedirect(to: name)
        finding.add(["redirect_host": name, "redirects": trail])
        return finding
    }
}

extension CheckContext {
    /// The host at which the plain request ended.
    var lastHost: LastHost { LastHost(origin, of: domain) }
}
