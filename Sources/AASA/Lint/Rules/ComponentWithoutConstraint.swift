enum ComponentWithoutConstraint: LintRule {
    static let description = LintRuleDescription(
        id: "component-without-constraint", severity: .warning, title: "a component that names no part of a URL",
        why: """
            A component without "/", "?" and "#" matches every URL: it opens the whole site, or with "exclude" closes what \
            follows. Where that is meant, {"/": "*"} says so.
            """,
        example: LintExample.components(#"{"comment": "the shop"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*", "comment": "the shop"}"#),
        fix: "add \"/\", \"?\" or \"#\"", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            for (index, rule) in entry.rules.enumerated()
            where rule.form == .component && rule.isUnconstrained
                && !(rule.node.members ?? []).contains(where: { ["/", "?", "#"].contains($0.key) })
            {
                // An exclusion of all that is left, at the end, changes nothing.
                if rule.isExclusion && index == entry.rules.count - 1 { continue }
                findings.add(
                    rule.node.opening, rule.pointer,
                    "this component names no part of a URL; devices let it match every URL"
                        + (rule.isExclusion ? " and keep all of them from the app" : ""))
            }
        }
    }
}
