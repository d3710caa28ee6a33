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
            matter = .redirect(fault, context.domain)
        } else if trail.isInsecure {
            matter = .redirect(.byInsecure(target), context.domain)
        } else if trail.leadsToLogin {
            matter = .redirect(.login(target), context.domain)
        } else if host.map({ context.domain.isSameSite(as: $0) }) == true {
            matter = .redirectSameSite(target, context.domain)
        } else {
            matter = .redirect(.otherSite(target), context.domain)
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
