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
            let example = shadow.rule.examples(count: 1).first.map { " (such as \(Quoted.text($0)))" } ?? ""
            findings.add(
                shadow.rule.node.members == nil ? shadow.rule.node.range : shadow.rule.node.opening,
                shadow.rule.pointer,
                "this exclusion never decides: its URLs\(example) are opened by the rule of line "
                    + "\(subject.line(of: opener.node.range.lowerBound)) before")
        }
    }
}
