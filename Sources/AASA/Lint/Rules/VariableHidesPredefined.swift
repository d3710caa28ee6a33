enum VariableHidesPredefined: LintRule {
    static let description = LintRuleDescription(
        id: "variable-hides-predefined", severity: .warning, title: "a variable with the name of a predefined one",
        why: """
            alpha, upper, lower, alnum, digit, xdigit, region and lang are predefined. A variable of the same name hides the \
            predefined one in the whole file (observed).
            """,
        example: LintExample.variables(#"{"lang": ["en", "de"]}"#, #"{"/": "/$(lang)/buy"}"#),
        fixedExample: LintExample.variables(#"{"languages": ["en", "de"]}"#, #"{"/": "/$(languages)/buy"}"#),
        fix: "choose another name", reference: LintReference.variables)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for variable in subject.applinks?.variables.custom ?? [] where variable.hidesPredefined {
            findings.add(
                variable.member.keyRange, "/applinks/substitutionVariables/\(variable.name.escapedForPointer)",
                "the variable \(Quoted.json(variable.name)) hides Apple's predefined one in this file")
        }
    }
}
