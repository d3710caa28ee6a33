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
        for group in subject.catchAlls where group.hidesExclusion {
            findings.add(
                group.rule.range, group.rule.pointer, group.message(in: subject),
                fix: "move this rule behind the rules that it hides", related: group.related)
        }
        for shadow in subject.ungroupedShadows where shadow.rule.isExclusion {
            guard let opener = shadow.by.first(where: { !$0.isExclusion }) else { continue }
            let example = findings.isFull ? nil : shadow.rule.example
            findings.add(
                shadow.rule.range, shadow.rule.pointer,
                "never reached: \(subject.places(of: [opener])) already opens every URL this exclusion could exclude"
                    + (example.map { ", such as \(Quoted.escaped($0))" } ?? ""),
                related: shadow.by.filter { !$0.isExclusion }.map { .init($0, "this rule opens the URLs before") },
                example: example)
        }
    }
}
