// Single components: the types of their values, and their settings.

enum ComponentType: LintRule {
    static let description = LintRuleDescription(
        id: "component-type", severity: .error, title: "a value of the wrong type in a component",
        why: """
            "/", "?" and "#" that are no strings are no constraint: the component matches more than it says, and one value \
            of another type in the "?" object drops the whole of "?". For "exclude", "caseSensitive" and "percentEncoded" \
            Apple's reader takes strings and numbers by their boolean value and null as false (observed), a leniency that \
            nothing documents.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exclude": "true"}"#, #"{"/": "*"}"#),
        fixedExample: LintExample.components(#"{"/": "/help/*", "exclude": true}"#, #"{"/": "*"}"#),
        fix: "write a string for \"/\", \"?\" and \"#\", true or false without quotes for the others",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            for rule in entry.rules where rule.form == .component {
                look(at: rule.node, rule.pointer, &findings)
            }
        }
        for defaults in subject.defaults { look(at: defaults.node, defaults.pointer, &findings) }
    }

    private static func look(
        at node: JSONNode, _ pointer: @autoclosure () -> String, _ findings: inout FindingSink
    ) {
        for member in node.members ?? [] {
            switch member.name {
            case "/", "#":
                guard member.value.string == nil else { continue }
                findings.add(
                    member.value.shown, pointer() + "/" + member.key.escapedForPointer,
                    "\"\(member.key)\" is \(Quoted.kind(member.value)), not a string; devices take it for no constraint"
                )
            case "?": lookAtQuery(member.value, pointer() + "/?", &findings)
            case "exclude", "caseSensitive", "percentEncoded":
                if case .bool = member.value.value { continue }
                findings.add(
                    member.value.shown, pointer() + "/" + member.key,
                    "\"\(member.key)\" is \(Quoted.kind(member.value)), not true or false; Apple's reader takes it for "
                        + "\(LenientBoolean.read(member.value)), others need not")
            default: continue
            }
        }
    }

    private static func lookAtQuery(_ query: JSONNode, _ pointer: String, _ findings: inout FindingSink) {
        guard query.string == nil else { return }
        guard let items = query.members else {
            if query.elements == nil {
                findings.add(
                    query.range, pointer,
                    "\"?\" is \(Quoted.kind(query)), not a string or an object; devices take it for no constraint")
            }
            return
        }
        // Lists have a rule of their own.
        for item in items where item.value.string == nil && item.value.elements == nil {
            findings.add(
                item.value.shown, pointer + "/" + item.key.escapedForPointer,
                "the value of \(Quoted.json(item.key)) is \(Quoted.kind(item.value)), not a string; devices drop the whole "
                    + "\"?\" constraint")
        }
    }
}

enum DefaultsConstraint: LintRule {
    static let description = LintRuleDescription(
        id: "defaults-constraint", severity: .warning, title: "a constraint inside \"defaults\"",
        why: """
            "defaults" is documented for "caseSensitive" and "percentEncoded". Apple's reader takes over every key of a \
            component, so a "/" there constrains all components that have none, and an "exclude" turns them all round.
            """,
        example: LintExample.details(
            ##"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "defaults": {"/": "/buy/*"}, "components": [{"#": "app"}]}"##),
        fixedExample: LintExample.components(##"{"/": "/buy/*", "#": "app"}"##),
        fix: "write it into the components", reference: LintReference.defaults)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for defaults in subject.defaults {
            for member in defaults.node.members ?? [] where ["/", "?", "#", "exclude"].contains(member.name) {
                findings.add(
                    member.keyRange, defaults.pointer + "/" + member.key.escapedForPointer,
                    "\"\(member.key)\" in \"defaults\" applies to each component that has none of its own")
            }
        }
    }
}

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
                apps.shown, "/applinks/apps",
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
                    value.shown, variable.pointer,
                    "the variable \(Quoted.json(name)) is \(Quoted.kind(value)), not an array of strings; "
                        + (value.string == nil
                            ? "devices give it no value" : "Apple's reader takes it for its only value"))
                continue
            }
            for (index, element) in elements.enumerated() where element.string == nil {
                findings.add(
                    element.shown,
                    variable.pointer(at: index),
                    "a value of the variable \(Quoted.json(name)) is \(Quoted.kind(element)), not a string; devices skip it"
                )
            }
        }
    }
}
