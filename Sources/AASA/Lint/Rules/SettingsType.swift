enum SettingsType: LintRule {
    static let description = LintRuleDescription(
        id: "settings-type", severity: .warning, title: "a setting of applinks of the wrong type",
        why: """
            "defaults" and "substitutionVariables" are objects, "apps" is an array; of anything else devices take nothing. A \
            variable is an array of strings: Apple's reader also takes a bare string, and skips whatever is not a string \
            (observed).
            """,
        example: LintExample.variables(#"{"food": "burrito"}"#, #"{"/": "/eat/$(food)"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "write an object, and an array of strings for each variable", reference: LintReference.variables)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for defaults in subject.defaults where defaults.node.members == nil {
            findings.add(
                defaults.node.range, defaults.pointer,
                "\"defaults\" is \(Quoted.kind(defaults.node)), not an object; devices ignore it")
        }
        guard let applinks = subject.applinks else { return }
        if let apps = applinks.node["apps"], apps.elements == nil {
            findings.add(
                apps.members == nil ? apps.range : apps.opening, "/applinks/apps",
                "\"apps\" is \(Quoted.kind(apps)), not an array; iOS 12 and older want an empty array here",
                fix: "write \"apps\": [], or drop it where no iOS 12 is served")
        }
        let pointer = "/applinks/substitutionVariables"
        if let variables = applinks.node["substitutionVariables"], variables.members == nil {
            findings.add(
                variables.range, pointer,
                "\"substitutionVariables\" is \(Quoted.kind(variables)), not an object; devices know none of the variables"
            )
        }
        for variable in applinks.variables.custom {
            let (name, value) = (variable.name, variable.member.value)
            guard let elements = value.elements else {
                findings.add(
                    value.members == nil ? value.range : value.opening, "\(pointer)/\(name.escapedForPointer)",
                    "the variable \(Quoted.json(name)) is \(Quoted.kind(value)), not an array of strings; "
                        + (value.string == nil
                            ? "devices give it no value" : "Apple's reader takes it for its only value"))
                continue
            }
            for (index, element) in elements.enumerated() where element.string == nil {
                findings.add(
                    element.elements == nil && element.members == nil ? element.range : element.opening,
                    "\(pointer)/\(name.escapedForPointer)/\(index)",
                    "a value of the variable \(Quoted.json(name)) is \(Quoted.kind(element)), not a string; devices skip it"
                )
            }
        }
    }
}
