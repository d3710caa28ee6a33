enum EscapeNotDecoded: LintRule {
    static let description = LintRuleDescription(
        id: "escape-not-decoded", severity: .warning, title: "an escape in a pattern that is compared decoded",
        why: """
            With "percentEncoded": false the URL is decoded and the pattern is not (observed): %20 in the pattern stands for \
            the three characters, which a decoded URL hardly ever holds.
            """,
        example: LintExample.components(#"{"/": "/red%20shoes/*", "percentEncoded": false}"#),
        fixedExample: LintExample.components(#"{"/": "/red shoes/*", "percentEncoded": false}"#),
        fix: "write the plain character, or drop \"percentEncoded\": false", reference: LintReference.whatsNew2020)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where !site.rule.isPercentEncoded && site.pattern != nil {
            guard LowerCaseEscape.escape(in: site.literal, where: { _ in true }) != nil else { continue }
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(site.text)) holds an escape, but URLs are decoded before they are compared with it")
        }
    }
}
