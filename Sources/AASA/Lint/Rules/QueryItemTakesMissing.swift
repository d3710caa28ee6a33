enum QueryItemTakesMissing: LintRule {
    static let description = LintRuleDescription(
        id: "query-item-takes-missing", severity: .warning, title: "\"*\" as the value of a query item",
        why: """
            A query item that is missing counts as empty, and "*" takes the empty value too. So the item constrains nothing: \
            the component works as if it were not there. "?*" asks for an item that has a value.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"color": "*"}}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"color": "?*"}}"#),
        fix: "write \"?*\" if the item must be there; else delete the item", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            for rule in entry.rules where !rule.isExclusion && !findings.isFull {
                // Rules of their own name items that no URL has. One component is one finding.
                let sites = QueryItemSite.all(of: rule).filter { $0.takesAll && $0.fault == nil }
                guard let first = sites.first else { continue }
                findings.add(
                    first.member.value.range, first.pointer,
                    "\"*\" takes a missing item too: the component also matches URLs without "
                        + sites.map { Quoted.json($0.member.key) }.prefix(4).joined(separator: ", ")
                        + (sites.count > 4 ? " and \(sites.count - 4) more" : ""))
            }
        }
    }
}
