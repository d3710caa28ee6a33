enum VariableName: LintRule {
    static let description = LintRuleDescription(
        id: "variable-name", severity: .warning, title: "a variable's name that cannot be used",
        why: "A name may not hold $, ( or ): between $( and ) it is never found.",
        example: LintExample.variables(#"{"$(food)": ["burrito"]}"#, #"{"/": "/eat/*"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "write the name alone, without $ and brackets", reference: LintReference.variables)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for variable in subject.applinks?.variables.custom ?? []
        where variable.name.isEmpty || variable.name.contains(where: { "$()".contains($0) }) {
            findings.add(
                variable.member.keyRange, "/applinks/substitutionVariables/\(variable.name.escapedForPointer)",
                "\(Quoted.json(variable.name)) is no name that a pattern can use")
        }
    }
}
