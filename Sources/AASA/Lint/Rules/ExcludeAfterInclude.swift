enum ExcludeAfterInclude: LintRule {
    static let description = LintRuleDescription(
        id: "exclude-after-include", severity: .error,
        title: "an exclusion behind a rule that has opened its URLs already",
        why: """
            The first rule that matches decides. All URLs of this exclusion are taken by earlier rules, of which at least one \
            opens the app: what should stay in the browser does not. This is proven, not guessed.
            """,
        example: LintExample.components(#"{"/": "/help/*"}"#, #"{"/": "/help/website/*", "exclude": true}"#),
        fixedExample: LintExample.components(#"{"/": "/help/website/*", "exclude": true}"#, #"{"/": "/help/*"}"#),
        fix: "move the exclusion in front of the rules that include", reference: LintReference.technote)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for shadow in subject.shadows where shadow.rule.isExclusion {
            guard let opener = shadow.by.first(where: { !$0.isExclusion }) else { continue }
            let example = findings.isFull ? nil : shadow.rule.examples(count: 1).first
            findings.add(
                shadow.rule.range, shadow.rule.pointer,
                "this exclusion never decides: its URLs\(example.map { " (such as \(Quoted.text($0)))" } ?? "") are opened "
                    + "by the rule \(subject.name(opener)) before",
                related: shadow.by.filter { !$0.isExclusion }.map { .init($0, "this rule opens the URLs before") },
                example: example)
        }
    }
}
