enum UndefinedVariable: LintRule {
    static let description = LintRuleDescription(
        id: "undefined-variable", severity: .error, title: "a substitution variable that does not exist",
        why: """
            A pattern with a variable that is neither predefined nor in "substitutionVariables" never matches (observed). \
            Names are case-sensitive.
            """,
        example: LintExample.components(#"{"/": "/$(language)/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/$(lang)/buy/*"}"#),
        fix: "define it in \"substitutionVariables\", or correct the name", reference: LintReference.variables)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard case .undefinedVariable(let name)? = site.pattern?.fault else { continue }
            let names = subject.applinks?.variables.names ?? []
            let nearest = names.first { $0.lowercased() == name.lowercased() }
            findings.add(
                site.node.range, site.pointer,
                "there is no variable \(Quoted.json(name)), so \(Quoted.json(site.text)) never matches"
                    + (nearest.map { "; did you mean \(Quoted.json($0))?" } ?? ""))
        }
    }
}
