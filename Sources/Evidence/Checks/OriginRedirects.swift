import Foundation

extension Checks {
    /// Apple documents that no redirect is allowed. Its CDN was seen to follow some within HTTPS, so those of the same
    /// site are a warning.
    @Sendable static func originRedirects(_ context: CheckContext) -> [Finding] {
        guard let first = context.origin.redirects.first else { return [] }
        let hops = context.origin.redirects
        let trail = RedirectTrail(hops)
        var finding = Finding(
            rule: .origin("redirect"), severity: .warning, message: "",
            evidence: ["url": context.origin.url, "redirects": trail.text, "hops": "\(hops.count)"],
            fix: "serve the file at \(context.domain.wellKnownURL) itself, with status 200",
            reference: Reference.supportingDomains)
        let last = hops.last ?? first
        switch context.origin.redirectStop {
        case .insecure:
            finding.rule = .origin("redirect-insecure")
            finding.severity = .error
            finding.message =
                "the origin redirects to \(shown(last.target ?? last.location)), which is not HTTPS; Apple refuses that"
        case .loop, .tooMany:
            finding.rule = .origin("redirect-loop")
            finding.severity = .error
            finding.message =
                context.origin.redirectStop == .loop
                ? "the redirects lead in a circle" : "the redirects do not end within \(hops.count) hops"
        case .unreadable:
            finding.severity = .error
            finding.message =
                (last.location ?? "").isEmpty
                ? "the origin redirects (status \(last.status)) without saying where to"
                : "the origin redirects (status \(last.status)) to '\(shown(last.location))', which no client can follow"
        case .privateAddress:
            finding.rule = .origin("not-public-address")
            finding.severity = .error
            finding.message = "the origin redirects to \(shown(last.target)), a private or reserved address"
        case nil:
            let target = last.target.flatMap { URL(string: $0)?.host }
            let sameSite = target.map { context.domain.isSameSite(as: $0) } ?? false
            if trail.isInsecure { finding.rule = .origin("redirect-insecure") }
            finding.severity = sameSite && !trail.isInsecure && !trail.leadsToLogin ? .warning : .error
            finding.message =
                trail.leadsToLogin
                ? "the origin redirects to a login page, \(shown(last.target)); the file must be there for everybody"
                : trail.isInsecure
                    ? "the origin redirects by way of plain HTTP to \(shown(last.target)); Apple refuses that"
                    : sameSite
                        ? "the origin redirects to \(shown(last.target)); Apple documents that redirects are not allowed"
                        : "the origin redirects to another site, \(shown(last.target)); Apple allows no redirects"
        }
        return [finding]
    }

    private static func shown(_ url: String?) -> String { (url ?? "nowhere").inSentence }
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
