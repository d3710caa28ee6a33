enum UnclosedVariable: LintRule {
    static let description = LintRuleDescription(
        id: "unclosed-variable", severity: .error, title: "a substitution variable without its closing bracket",
        why: "A pattern in which \"$(\" is never closed never matches (observed in Apple's binaries).",
        example: LintExample.components(#"{"/": "/$(lang/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/$(lang)/buy/*"}"#),
        fix: "close the bracket behind the name", reference: LintReference.variables)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.pattern?.fault == .unclosedVariable {
            findings.add(
                site.node.range, site.pointer,
                "\"$(\" in \(Quoted.json(site.text)) is never closed, so it never matches")
        }
    }
}
