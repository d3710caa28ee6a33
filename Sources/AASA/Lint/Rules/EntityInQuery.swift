enum EntityInQuery: LintRule {
    static let description = LintRuleDescription(
        id: "entity-in-query", severity: .error, title: "&amp; in a query pattern",
        why: """
            HTML writes & as &amp; in its source; the URL itself has the sign alone. A pattern copied from a page's source asks \
            for a query that no link sends.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": "color=red&amp;size=*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": "color=red&size=*"}"#),
        fix: "write '&' alone, or one item for each name in the object form of \"?\"", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where isFault(site) {
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(site.text)) holds '&amp;', the '&' of HTML source; the query of a URL has '&' alone, so the "
                    + "pattern does not match")
        }
    }

    static func isFault(_ site: PatternSite) -> Bool {
        (site.part == .query || site.part == .queryItem) && site.pattern != nil && site.literal.contains("&amp;")
    }
}
