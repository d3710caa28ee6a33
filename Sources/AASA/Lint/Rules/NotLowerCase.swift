enum NotLowerCase: LintRule {
    static let description = LintRuleDescription(
        id: "not-lower-case", severity: .warning, title: "\"not\" in lower case in front of a path",
        why: """
            Apple documents "NOT " in upper case. Current systems read it without regard to case (observed); other readers \
            of the file take it for a part of the path.
            """,
        example: LintExample.paths(#""not /help/*", "*""#), fixedExample: LintExample.paths(#""NOT /help/*", "*""#),
        fix: "write NOT in upper case", reference: LintReference.archivedGuide)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.rule.form == .path && site.rule.isExclusion {
            guard let text = site.node.string, !text.hasPrefix("NOT ") else { continue }
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(text)) excludes on current systems; Apple documents NOT in upper case only")
        }
    }
}
