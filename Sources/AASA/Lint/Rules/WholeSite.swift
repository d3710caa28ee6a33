enum WholeSite: LintRule {
    static let description = LintRuleDescription(
        id: "whole-site", severity: .note, title: "the app opens every URL of the site",
        why: """
            "*" and "/*" match each page, also the imprint, the login and the pages of tomorrow. That is fine where the app \
            shows them all. Not reported where earlier rules exclude something.
            """,
        example: LintExample.components(#"{"/": "*"}"#), fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "nothing, if that is meant; else exclude what the app does not show", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            guard let index = entry.rules.firstIndex(where: { isWholeSite($0) }),
                !entry.rules[..<index].contains(where: \.isExclusion)
            else { continue }
            let rule = entry.rules[index]
            let member = rule.node.member("/")
            findings.add(
                member?.value.range ?? rule.node.range, rule.pointer + (member == nil ? "" : "/~1"),
                "\(Quoted.json(rule.path?.text ?? "*")) opens every URL of the site in the app")
        }
    }

    /// Whether a rule with a path of its own opens all URLs.
    static func isWholeSite(_ rule: URLRule) -> Bool {
        guard !rule.isExclusion, rule.query == .any, rule.fragment == nil, let elements = rule.path?.elements else {
            return false
        }
        return elements == [.anyRun] || elements == [.scalar("/"), .anyRun]
    }
}
