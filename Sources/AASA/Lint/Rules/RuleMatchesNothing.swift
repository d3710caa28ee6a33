enum RuleMatchesNothing: LintRule {
    static let description = LintRuleDescription(
        id: "rule-matches-nothing", severity: .warning, title: "a rule that no URL can match",
        why: """
            A variable in it has no value or doubles a slash, it holds a sign that does not stand in URLs as it is, or its \
            parts exclude each other. This is proven, not guessed; the causes that have rules of their own are reported by those.
            """,
        example: LintExample.variables(#"{"food": []}"#, #"{"/": "/eat/$(food)"}, {"/": "/buy/*"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}, {"/": "/buy/*"}"#),
        fix: "correct the pattern, or remove the rule", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for reach in subject.reaches.joined() {
            guard case .matchesNothing = reach.verdict, !isExplained(reach.rule, in: subject) else { continue }
            let reason = findings.isFull ? nil : NoMatchReason.of(reach.rule, in: subject)
            findings.add(
                reach.rule.range, reach.rule.pointer,
                "no URL can match this rule" + (reason.map { ": \($0.text)" } ?? ""), fix: reason?.fix)
        }
    }

    /// Whether another rule says why.
    private static func isExplained(_ rule: URLRule, in subject: LintSubject) -> Bool {
        // With "*" the missing item does no harm, so something else is the reason.
        if QueryItemSite.all(of: rule).contains(where: { $0.fault != nil && !$0.takesAll }) { return true }
        return PatternSite.all(of: rule).contains { site in
            site.pattern?.fault != nil || PatternNotEncoded.offending(site) != nil || QueryInPath.fault(of: site) != nil
                || MalformedNot.fault(of: site) != nil || HostInPath.fault(of: site) != nil
                || site.literal.unicodeScalars.contains(where: TypographicCharacter.isTypographic)
                || site.literal.contains("\\") || EntityInQuery.isFault(site) || LeadingSign.isFault(site)
                || VariableNotEncoded.explains(site, in: subject) || RoutePlaceholder.placeholder(in: site) != nil
                || RegularExpression.expression(in: site) != nil
        }
    }
}
