enum BackslashInPattern: LintRule {
    static let description = LintRuleDescription(
        id: "backslash-in-pattern", severity: .warning, title: "a backslash in a pattern",
        why: """
            The backslash is special to Apple's matcher (observed), and URLs do not hold one. It does not make * or ? plain \
            characters: there is no escape for them.
            """,
        example: LintExample.components(#"{"/": "/what\\?"}"#),
        fixedExample: LintExample.components(#"{"/": "/what*"}"#),
        fix: "take it out", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.literal.utf8.contains(UInt8(ascii: "\\")) {
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(site.text)) holds a backslash, which means something else to devices than a plain character"
            )
        }
    }
}
