enum ExclusionWithoutEffect: LintRule {
    static let description = LintRuleDescription(
        id: "exclusion-without-effect", severity: .warning, title: "an exclusion of URLs that no rule would open",
        why: """
            What no rule matches stays in the browser anyway. An exclusion has an effect only where a later rule of the same \
            entry would open some of its URLs. This is proven, not guessed.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exclude": true}"#, #"{"/": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/help/*", "exclude": true}"#, #"{"/": "/buy/*"}"#),
        fix: "delete it, or correct its pattern", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for rule in subject.idleExclusions {
            findings.add(
                rule.range, rule.pointer, "this exclusion excludes nothing: no later rule opens any of its URLs",
                example: rule.example)
        }
    }
}
