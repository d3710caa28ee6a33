// Substitution variables: their names, their values, their uses in patterns, and their maximum number.

enum UndefinedVariable: LintRule {
    static let description = LintRuleDescription(
        id: "undefined-variable", severity: .error, title: "a substitution variable that does not exist",
        why: """
            A pattern never matches if it uses a variable that is neither predefined nor in "substitutionVariables". \
            It also never matches if "$(" is not closed (observed). Names are case-sensitive.
            """,
        example: LintExample.components(#"{"/": "/$(language)/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/$(lang)/buy/*"}"#),
        fix: "define it in \"substitutionVariables\", or correct the name", reference: LintReference.variables,
        seen: "observed: such a pattern never matches (Apple's binaries)")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            if site.pattern?.fault == .unclosedVariable {
                findings.add(
                    site, "\"$(\" is never closed, so \(Quoted.json(site.text)) never matches",
                    fix: "add \")\" after the name")
            }
            guard case .undefinedVariable(let name)? = site.pattern?.fault else { continue }
            let nearest = findings.isFull ? nil : nearest(to: name, in: subject)
            findings.add(
                site,
                "there is no variable \(Quoted.json(name)), so \(Quoted.json(site.text)) never matches"
                    + (nearest.map { "; did you mean \(Quoted.json($0))?" } ?? ""),
                fix: nearest.map { "write \(Quoted.json(site.text.replacing("$(\(name))", with: "$(\($0))")))" })
        }
    }

    /// The variable that was probably meant; nil if none is near.
    private static func nearest(to name: String, in subject: LintSubject) -> String? {
        let plain = name.trimmingBlanks.lowercased()
        let own = (subject.applinks?.variables.custom ?? []).prefix(maximumCompared).map(\.name)
        if let same = own.first(where: { $0.lowercased() == plain }) { return same }
        return KeySuggestion.nearest(
            to: name, among: KeySuggestion.Candidates(own + SubstitutionVariables.predefined.names))
            ?? meant[plain]
    }

    /// The maximum number of variables to compare a name with: a hostile file may define thousands.
    private static let maximumCompared = 100

    private static let meant = [
        "language": "lang", "languages": "lang", "country": "region", "countries": "region",
    ]
}

enum NestedVariable: LintRule {
    static let description = LintRuleDescription(
        id: "nested-variable", severity: .error, title: "a variable inside a variable's value",
        why: "Values may contain * and ?, but no other variable: Apple's reader ignores such a value (observed).",
        example: LintExample.variables(#"{"food": ["$(lang)-burrito", "taco"]}"#, #"{"/": "/eat/$(food)"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito", "taco"]}"#, #"{"/": "/eat/$(lang)-$(food)"}"#),
        fix: "write the variable into the pattern, or list its values", reference: LintReference.variables,
        seen: "documented: applinks, substitutionVariables, no variables in values")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for variable in subject.applinks?.variables.custom ?? [] {
            for (index, element) in variable.written.enumerated() {
                guard let text = element.string, text.holdsVariable else { continue }
                findings.add(
                    element.range, variable.pointer(at: index),
                    "the value \(Quoted.json(text)) of the variable \(Quoted.json(variable.name)) contains a variable; "
                        + "devices ignore this value")
            }
        }
    }
}

enum VariableName: LintRule {
    static let description = LintRuleDescription(
        id: "variable-name", severity: .warning, title: "a variable name that is unusable or predefined",
        why: """
            A name must not contain $, ( or ): devices never find such a name between $( and ). A variable with the \
            name of a predefined one (alpha, upper, lower, alnum, digit, xdigit, region, lang) hides that one in the \
            whole file (observed).
            """,
        example: LintExample.variables(#"{"$(food)": ["burrito"]}"#, #"{"/": "/eat/*"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "write only the name, without $ and brackets", reference: LintReference.variables,
        seen: "documented: applinks, substitutionVariables, names")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for variable in subject.applinks?.variables.custom ?? [] {
            let name = Quoted.json(variable.name)
            if variable.hidesPredefined {
                findings.add(
                    variable.member.keyRange, variable.pointer,
                    "the variable \(name) hides Apple's predefined variable in this file", fix: "choose another name")
            } else if variable.name.isEmpty || variable.name.contains(where: { "$()".contains($0) }) {
                findings.add(
                    variable.member.keyRange, variable.pointer, "no pattern can use the variable name \(name)")
            }
        }
    }
}

enum EmptyVariableValue: LintRule {
    static let description = LintRuleDescription(
        id: "empty-variable-value", severity: .warning, title: "a variable with an empty value, or without values",
        why: """
            Devices accept "" as a value (observed): the pattern then also matches with nothing in place of the \
            variable. A pattern that uses a variable without values matches nothing.
            """,
        example: LintExample.variables(#"{"food": ["burrito", ""]}"#, #"{"/": "/eat/$(food)"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "delete the empty value, or list values", reference: LintReference.variables,
        seen: "observed: Apple's reader accepts an empty value (its binaries)")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for variable in subject.applinks?.variables.custom ?? [] {
            if variable.written.isEmpty {
                findings.add(
                    variable.member.value.range, variable.pointer,
                    "the variable \(Quoted.json(variable.name)) has no value: a pattern that uses it matches nothing",
                    fix: "list its values, or delete the variable")
            }
            for (index, element) in variable.written.enumerated() where element.string?.isEmpty == true {
                findings.add(
                    element.range, variable.pointer(at: index),
                    "a value of the variable \(Quoted.json(variable.name)) is empty: patterns also match without it",
                    fix: "delete the empty value, unless you want this")
            }
        }
    }
}

enum UnusedVariable: LintRule {
    static let description = LintRuleDescription(
        id: "unused-variable", severity: .note, title: "a substitution variable that no pattern uses",
        why: "It does no harm. Often a pattern was meant to use the variable, but misspells its name.",
        example: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/*"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "use it or remove it", reference: LintReference.variables,
        seen: "documented: applinks, substitutionVariables, $(name)")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let custom = subject.applinks?.variables.custom, !custom.isEmpty else { return }
        var used: Set<ExactText> = []
        for site in subject.patterns { used.formUnion(names(in: site.text).map(ExactText.init(_:))) }
        for defaults in subject.defaults {
            for member in defaults.node.members ?? [] {
                let values = member.value.members?.compactMap(\.value.string) ?? [member.value.string ?? ""]
                for value in values { used.formUnion(names(in: value).map(ExactText.init(_:))) }
            }
        }
        for variable in custom
        where !used.contains(ExactText(variable.name)) && !variable.name.contains(where: { "$()".contains($0) }) {
            findings.add(
                variable.member.keyRange, variable.pointer,
                "no pattern uses the variable \(Quoted.json(variable.name))")
        }
    }

    /// The names between `$(` and `)`.
    static func names(in text: String) -> [String] {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return [] }
        var names: [String] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "$", rest.first == "(" else { continue }
            guard let close = rest.firstIndex(of: ")") else { break }
            names.append(String(rest[rest.index(after: rest.startIndex)..<close]))
            rest = rest[close...]
        }
        return names
    }
}

enum PatternTooComplex: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-too-complex", severity: .error, title: "a pattern with more than 64 wildcards and variables",
        why: "Apple's matcher gives up beyond 64 of them, and the pattern matches nothing (observed in its binaries).",
        example: LintExample.components("{\"/\": \"/" + String(repeating: "?/", count: 65) + "\"}"),
        fixedExample: LintExample.components(#"{"/": "/?*/?*"}"#),
        fix: "use fewer wildcards", reference: LintReference.components,
        seen: "observed: Apple's matcher gives up beyond 64 (its binaries)")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.pattern?.fault == .tooComplex {
            findings.add(
                site,
                "the pattern \(Quoted.json(site.text)) has more than \(Pattern.maximumWildcards) wildcards and variables; "
                    + "devices give up, and it matches nothing")
        }
    }
}
