enum ExclusionTakesMissingItem: LintRule {
    static let description = LintRuleDescription(
        id: "exclusion-takes-missing-item", severity: .error,
        title: "an exclusion with \"*\" as the value of a query item",
        why: """
            A query item that is missing counts as empty, and "*" takes the empty value too. So the exclusion holds for every \
            URL, with the item or without it. "?*" asks for an item that has a value.
            """,
        example: LintExample.components(
            #"{"/": "/help/*", "?": {"print": "*"}, "exclude": true}"#, #"{"/": "/help/*"}"#),
        fixedExample: LintExample.components(
            #"{"/": "/help/*", "?": {"print": "?*"}, "exclude": true}"#, #"{"/": "/help/*"}"#),
        fix: "write \"?*\" in place of \"*\"", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems where site.takesAll && site.rule.isExclusion {
            findings.add(
                site.member.value.range, site.pointer,
                "\"*\" takes a missing item too: the exclusion also holds for URLs without \(Quoted.json(site.member.key))"
            )
        }
    }
}
