enum EmptyVariableValue: LintRule {
    static let description = LintRuleDescription(
        id: "empty-variable-value", severity: .warning, title: "a variable with an empty value, or with none",
        why: """
            Devices take "" as a value (observed): the pattern then also matches where the variable stands for nothing. A \
            variable without any value makes each pattern that uses it match nothing.
            """,
        example: LintExample.variables(#"{"food": ["burrito", ""]}"#, #"{"/": "/eat/$(food)"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "delete the empty value, or list values", reference: LintReference.variables)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for variable in subject.applinks?.variables.custom ?? [] {
            let pointer = "/applinks/substitutionVariables/\(variable.name.escapedForPointer)"
            let node = variable.member.value
            if node.elements?.isEmpty == true {
                findings.add(
                    node.range, pointer,
                    "the variable \(Quoted.json(variable.name)) has no value: a pattern that uses it matches nothing",
                    fix: "list its values, or delete the variable")
            }
            for (index, element) in (node.elements ?? [node]).enumerated() where element.string?.isEmpty == true {
                findings.add(
                    element.range, node.elements == nil ? pointer : "\(pointer)/\(index)",
                    "a value of the variable \(Quoted.json(variable.name)) is empty: patterns also match without it",
                    fix: "delete the empty value, unless that is meant")
            }
        }
    }
}
