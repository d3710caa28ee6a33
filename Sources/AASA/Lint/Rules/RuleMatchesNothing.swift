enum RuleMatchesNothing: LintRule {
    static let description = LintRuleDescription(
        id: "rule-matches-nothing", severity: .warning, title: "a rule that no URL can match",
        why: """
            Its parts exclude each other, or a variable in it has no value. This is proven, not guessed; the causes that have \
            rules of their own are reported by those.
            """,
        example: LintExample.variables(#"{"food": []}"#, #"{"/": "/eat/$(food)"}, {"/": "/buy/*"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}, {"/": "/buy/*"}"#),
        fix: "correct the pattern, or remove the rule", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for reach in subject.reaches.joined() {
            guard case .matchesNothing = reach.verdict, !isExplained(reach.rule) else { continue }
            findings.add(
                reach.rule.node.members == nil ? reach.rule.node.range : reach.rule.node.opening, reach.rule.pointer,
                "no URL can match this rule")
        }
    }

    /// Whether another rule says why.
    private static func isExplained(_ rule: URLRule) -> Bool {
        PatternSite.all(of: rule).contains { site in
            site.pattern?.fault != nil || PatternNotEncoded.offending(site) != nil || QueryInPath.fault(of: site) != nil
                || MalformedNot.fault(of: site) != nil || HostInPath.fault(of: site) != nil
                || site.text.unicodeScalars.contains(where: TypographicCharacter.isTypographic)
                || site.text.contains("\\")
        }
    }
}
