enum NestedVariable: LintRule {
    static let description = LintRuleDescription(
        id: "nested-variable", severity: .error, title: "a variable inside a variable's value",
        why: "Values may hold * and ?, but no other variable: Apple's reader drops such a value (observed).",
        example: LintExample.variables(#"{"food": ["$(lang)-burrito", "taco"]}"#, #"{"/": "/eat/$(food)"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito", "taco"]}"#, #"{"/": "/eat/$(lang)-$(food)"}"#),
        fix: "write the variable into the pattern, or its values into the list", reference: LintReference.variables)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for variable in subject.applinks?.variables.custom ?? [] {
            let pointer = "/applinks/substitutionVariables/\(variable.name.escapedForPointer)"
            let value = variable.member.value
            let elements = value.elements ?? (value.string == nil ? [] : [value])
            for (index, element) in elements.enumerated() {
                guard let text = element.string, text.contains("$(") else { continue }
                findings.add(
                    element.range, value.elements == nil ? pointer : "\(pointer)/\(index)",
                    "the value \(Quoted.json(text)) of the variable \(Quoted.json(variable.name)) holds a variable; devices "
                        + "drop it")
            }
        }
    }
}
