enum HostInPath: LintRule {
    static let description = LintRuleDescription(
        id: "host-in-path", severity: .error, title: "a scheme or a host inside a path pattern",
        why: """
            A path pattern is compared with the URL's path alone, from its first slash. One that begins with https:// or with \
            the name of a host never matches.
            """,
        example: LintExample.components(#"{"/": "https://acme.com/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write the path alone; each domain has a file of its own", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let seen = fault(of: site) else { continue }
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(site.text)) begins with \(seen); devices compare "
                    + "\(Quoted.json(PathNormalization.normalize(site.text))) with the path of the URL, which is what follows the "
                    + "host, so it does not match the URL that it looks like")
        }
    }

    static func fault(of site: PatternSite) -> String? {
        guard site.part == .path else { return nil }
        // Nearly all paths begin with one slash; then there is neither. Two are the form of a URL without its scheme.
        let isRelative = site.text.utf8.starts(with: Array("//".utf8))
        guard isRelative || site.text.utf8.first != UInt8(ascii: "/") else { return nil }
        let text = site.literal.prefix(300).drop { isRelative && $0 == "/" }.lowercased()
        if let scheme = ["https:", "http:", "*://"].first(where: text.hasPrefix) { return "the scheme '\(scheme)'" }
        if let end = text.firstRange(of: "://"), text[..<end.lowerBound].allSatisfy({ $0.isLetter || $0 == "+" }),
            end.lowerBound > text.startIndex
        {
            return "a scheme"
        }
        // Something that looks like a domain before the first slash.
        let host = text.prefix { $0 != "/" && $0 != "?" }
        if host.hasPrefix("www.") { return "a host" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.endIndex != text.endIndex, labels.count >= 2, let last = labels.last,
            ["com", "net", "org", "io", "app", "co", "dev", "de", "jp", "uk", "fr", "ru", "cn", "link", "page"]
                .contains(String(last)),
            labels.allSatisfy({ !$0.isEmpty })
        else { return nil }
        return "a host"
    }
}
