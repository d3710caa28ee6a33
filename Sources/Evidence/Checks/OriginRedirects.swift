// Redirects, and whose server a finding is about: where redirects were followed, what failed at the end is another server's
// fault, and the text must not blame the domain's own.

import Foundation

extension Checks {
    /// Apple documents that no redirect is allowed. Its CDN was seen to follow some within HTTPS, so those of the same
    /// site are a warning.
    @Sendable static func originRedirects(_ context: CheckContext) -> [Finding] {
        guard let first = context.origin.redirects.first else { return [] }
        let hops = context.origin.redirects
        let trail = RedirectTrail(hops)
        let evidence = ["url": context.origin.url, "redirects": trail.text, "hops": "\(hops.count)"]
        let last = hops.last ?? first
        let target = (last.target ?? "").inSentence
        let host = last.target.flatMap { URL(string: $0)?.host }
        let matter: OriginMatter
        if let fault = RedirectFault(stopOf: context.origin) {
            matter = .redirect(fault)
        } else if trail.isInsecure {
            matter = .redirect(.byInsecure(target))
        } else if trail.leadsToLogin {
            matter = .redirect(.login(target))
        } else if let fault = RedirectFault(placeholderOf: context) {
            matter = .redirect(fault)
        } else if host.map({ context.domain.isSameSite(as: $0) }) == true {
            matter = .redirectSameSite(
                target, cdnFollowed: context.cdn?.answer?.header("apple-from")?.contains(",") == true)
        } else {
            matter = .redirect(.otherSite(target))
        }
        return [Finding(.origin(matter), evidence: evidence)]
    }
}

extension Domain {
    /// Whether a host belongs to the same site: one name contains the other, or both share the part that is registered.
    /// Without the public suffix list this is a guess, which only ever moves a finding between warning and error.
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

    /// The beginning of a circle of redirects stands for all of it.
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

    /// Whether a hop leaves HTTPS, or comes from elsewhere.
    var isInsecure: Bool {
        hops.contains { hop in
            [hop.from, hop.target ?? ""].contains { $0.lowercased().hasPrefix("http://") }
        }
    }

    /// Whether the last target looks like a place to log in, by the words of its host and path.
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

extension RedirectFault {
    /// A redirect of every path to one page: the file is not there, unless it comes back all the same.
    fileprivate init?(placeholderOf context: CheckContext) {
        guard context.readings.originFile?.namesService != true else { return nil }
        let targets = context.origin.redirects.suffix(10).compactMap(\.target)
        if let target = targets.last(where: { RedirectTarget($0)?.isMaintenance(of: context.domain) == true }) {
            self = .maintenance(target.inSentence)
        } else if let target = targets.last(where: { RedirectTarget($0)?.isErrorPage == true }) {
            self = .errorPage(target.inSentence)
        } else if let target = targets.last(where: { RedirectTarget($0)?.isHome(of: context.domain) == true }) {
            self = .home(target.inSentence)
        } else {
            return nil
        }
    }
}

/// What the URL of a redirect's target says of the page there.
struct RedirectTarget {
    private let host: String
    /// In lower case.
    private let path: [String]

    init?(_ url: String) {
        guard url.utf8.count <= 4096, let parts = URLComponents(string: url), let host = parts.host else { return nil }
        self.host = host.lowercased()
        path = parts.path.lowercased().split(separator: "/").map(String.init)
    }

    /// Whether it is the first page of the domain's site, in whatever language or under whatever of its hosts.
    func isHome(of domain: Domain) -> Bool {
        guard domain.isSameSite(as: host), path.count <= 3 else { return false }
        var rest = path[...]
        if let last = rest.last, Self.isIndex(last) { rest.removeLast() }
        return rest.count <= 2 && rest.allSatisfy(Self.isLocale)
    }

    /// Whether its path says that something is not there: `/404`, `/404.html`, `/errors/not-found`.
    var isErrorPage: Bool {
        path.suffix(2).contains { part in
            let words = part.split { "-_.".contains($0) }.map(String.init)
            return words.first == "404" || words.prefix(2) == ["not", "found"] || words.first == "notfound"
                || words.first == "error" && words.count <= 2
        }
    }

    /// `index.php`, `home`: what servers and programs call their first page.
    private static func isIndex(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let stem = parts.first, parts.count <= 2 else { return false }
        let extensions: Set<Substring> = [
            "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "jsf", "do", "cfm", "cgi",
        ]
        return indexNames.contains(String(stem)) && (parts.count == 1 || extensions.contains(parts[1]))
    }

    private static let indexNames: Set<String> = [
        "index", "home", "homepage", "default", "main", "start", "welcome", "startseite", "accueil", "inicio",
    ]

    /// `en`, `en-us`, `zh-hant-tw`: a language, a country, or both.
    private static func isLocale(_ name: String) -> Bool {
        if ["global", "intl", "int"].contains(name) { return true }
        let parts = name.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        guard let first = parts.first, first.utf8.count == 2, parts.count <= 3 else { return false }
        return first.utf8.allSatisfy { (0x61...0x7A).contains($0) }
            && parts.dropFirst().allSatisfy { part in
                (2...4).contains(part.utf8.count)
                    && part.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
            }
    }

    /// Whether host or path say that the site is closed for now. Words of the domain's own name say nothing.
    func isMaintenance(of domain: Domain) -> Bool {
        let own = Set(domain.name.split(separator: ".").map(String.init))
        let labels = host.split(separator: ".").dropLast().map(String.init).filter { !own.contains($0) }
        return (labels + path.suffix(4)).contains { part in
            let words = part.split { "-_.~+".contains($0) }.map(String.init)
            return words.contains(where: Self.maintenanceWords.contains)
                || Self.maintenancePhrases.contains { words.joined().contains($0) }
        }
    }

    private static let maintenanceWords: Set<String> = [
        "maintenance", "wartung", "wartungsarbeiten", "wartungsmodus", "mantenimiento", "manutencao", "manutenzione",
        "onderhoud", "underhall", "konserwacja", "bakim", "entretien", "offline", "unavailable", "sorry", "down",
        "downtime",
        "outage", "closed", "503", "brb",
    ]

    private static let maintenancePhrases = [
        "comingsoon", "underconstruction", "undermaintenance", "maintenancemode", "maintenancepage", "sitedown",
        "sitemaintenance", "berightback", "serviceunavailable", "temporarilyunavailable",
    ]
}

/// The host that the last request of a retrieval went to.
struct MetHost: Equatable {
    /// In lower case, cleaned for display and bounded.
    let name: String
    /// Whether redirects led to a host that is not the domain itself.
    let isElsewhere: Bool
    /// How it was come to; empty without redirects.
    private let trail: String

    /// A redirect that was not followed leads nowhere: the host that sent it is the one that was met.
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

    /// The finding, with the host's name where it is not the domain's own server that is at fault.
    func placing(_ finding: Finding) -> Finding {
        guard isElsewhere else { return finding }
        var finding = finding
        finding.place = .behindRedirect(to: name)
        finding.add(["redirect_host": name, "redirects": trail])
        return finding
    }
}

extension CheckContext {
    /// The host that the plain request ended at.
    var metHost: MetHost { MetHost(origin, of: domain) }
}
