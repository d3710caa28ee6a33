enum RuleUnreachable: LintRule {
    static let description = LintRuleDescription(
        id: "rule-unreachable", severity: .warning, title: "a rule that never decides",
        why: """
            The first rule that matches decides, and earlier rules take every URL that this one could match: it is equal to \
            one of them, or stands behind a broader one. This is proven, not guessed.
            """,
        example: LintExample.components(#"{"/": "/buy/*"}"#, #"{"/": "/buy/shoes/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "remove it, or move it in front", reference: LintReference.technote)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for shadow in subject.shadows where !shadow.rule.isExclusion || shadow.by.allSatisfy(\.isExclusion) {
            let isBlocked = !shadow.rule.isExclusion && shadow.by.allSatisfy(\.isExclusion)
            let isOne = shadow.by.count == 1
            findings.add(
                shadow.rule.range, shadow.rule.pointer,
                "this rule never decides: \(subject.names(shadow.by)) \(isOne ? "takes" : "take") all of its URLs before"
                    + (isBlocked ? " and \(isOne ? "keeps" : "keep") them from the app" : ""),
                related: shadow.by.map { .init($0, "this rule takes \(isOne ? "the" : "some of the") URLs before") },
                example: shadow.rule.examples(count: 1).first)
        }
    }
}
