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
        let ofShutEntries = EntryOpensNothing.rules(of: subject)
        for group in subject.catchAlls where !group.hidesExclusion && !ofShutEntries.contains(group.rule.pointer) {
            findings.add(
                group.rule.range, group.rule.pointer, group.message(in: subject),
                fix: "move this rule behind the rules that it hides, or delete those", related: group.related)
        }
        for shadow in subject.ungroupedShadows
        where !ofShutEntries.contains(shadow.rule.pointer)
            && (!shadow.rule.isExclusion || shadow.by.allSatisfy(\.isExclusion))
        {
            let isOne = shadow.by.count == 1
            let areExclusions = shadow.by.allSatisfy(\.isExclusion)
            let areInclusions = !shadow.by.contains(where: \.isExclusion)
            let verb = areExclusions ? "exclude" : areInclusions ? "open" : "decide about"
            findings.add(
                shadow.rule.range, shadow.rule.pointer,
                "never reached: \(subject.places(of: shadow.by)) already \(verb)\(isOne ? "s" : "") every URL this "
                    + (shadow.rule.isExclusion ? "exclusion could exclude" : "rule could open"),
                related: shadow.by.map { .init($0, "this rule takes \(isOne ? "the" : "some of the") URLs before") },
                example: shadow.rule.example)
        }
    }
}
