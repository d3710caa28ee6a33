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
            let lines = Set(shadow.by.map { subject.line(of: $0.node.range.lowerBound) }).sorted()
            let place = lines.count == 1 ? "line" : "lines"
            let list = lines.prefix(4).map(String.init).joined(separator: ", ") + (lines.count > 4 ? ", …" : "")
            let isBlocked = !shadow.rule.isExclusion && shadow.by.allSatisfy(\.isExclusion)
            findings.add(
                shadow.rule.node.members == nil ? shadow.rule.node.range : shadow.rule.node.opening,
                shadow.rule.pointer,
                "this rule never decides: the rules of \(place) \(list) take all of its URLs before"
                    + (isBlocked ? " and keep them from the app" : ""))
        }
    }
}
