// Substitution variables: their names, their values, where patterns use them, and how many one may have.

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
            let nearest = findings.isFull ? nil : nearest(to: name, in: subject)
            findings.add(
                site,
                "there is no variable \(Quoted.json(name)), so \(Quoted.json(site.text)) never matches"
                    + (nearest.map { "; did you mean \(Quoted.json($0))?" } ?? ""),
                fix: nearest.map { "write \(Quoted.json(site.text.replacing("$(\(name))", with: "$(\($0))")))" })
        }
    }

    /// The variable that was probably meant; none where none is near.
    private static func nearest(to name: String, in subject: LintSubject) -> String? {
        let plain = name.trimmingBlanks.lowercased()
        let own = (subject.applinks?.variables.custom ?? []).prefix(maximumCompared).map(\.name)
        if let same = own.first(where: { $0.lowercased() == plain }) { return same }
        return KeySuggestion.nearest(
            to: name, among: KeySuggestion.Candidates(own + SubstitutionVariables.predefined.names))
            ?? meant[plain]
    }

    /// The file's variables that one name is compared with: a hostile file may define thousands.
    private static let maximumCompared = 100

    private static let meant = [
        "language": "lang", "languages": "lang", "country": "region", "countries": "region",
    ]
}

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
                site, "\"$(\" in \(Quoted.json(site.text)) is never closed, so it never matches")
        }
    }
}

enum NestedVariable: LintRule {
    static let description = LintRuleDescription(
        id: "nested-variable", severity: .error, title: "a variable inside a variable's value",
        why: "Values may hold * and ?, but no other variable: Apple's reader drops such a value (observed).",
        example: LintExample.variables(#"{"food": ["$(lang)-burrito", "taco"]}"#, #"{"/": "/eat/$(food)"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito", "taco"]}"#, #"{"/": "/eat/$(lang)-$(food)"}"#),
        fix: "write the variable into the pattern, or its values into the list", reference: LintReference.variables)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for variable in subject.applinks?.variables.custom ?? [] {
            for (index, element) in variable.written.enumerated() {
                guard let text = element.string, text.holdsVariable else { continue }
                findings.add(
                    element.range, variable.pointer(at: index),
                    "the value \(Quoted.json(text)) of the variable \(Quoted.json(variable.name)) holds a variable; devices "
                        + "drop it")
            }
        }
    }
}

enum VariableNotEncoded: LintRule {
    static let description = LintRuleDescription(
        id: "variable-not-encoded", severity: .error, title: "a blank or a letter beyond ASCII in a variable's value",
        why: """
            Patterns and URLs are compared in percent-encoded form, in which blanks and letters beyond ASCII do not occur, and \
            the values of a variable stand in the pattern as they are: such a value never matches. With "percentEncoded": false \
            the URL is decoded first (iOS 14). Not reported where the encoded form is in the list too.
            """,
        example: LintExample.variables(#"{"food": ["pizza", "käse"]}"#, #"{"/": "/eat/$(food)"}"#),
        fixedExample: LintExample.variables(
            #"{"food": ["pizza", "käse"]}"#, #"{"/": "/eat/$(food)", "percentEncoded": false}"#),
        fix: "percent-encode the value, or set \"percentEncoded\": false where the variable is used",
        reference: LintReference.whatsNew2020)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let custom = subject.applinks?.variables.custom ?? []
        guard !custom.isEmpty else { return }
        let users = users(in: subject)
        var counting: [ExactText: Int] = [:]
        for (index, variable) in custom.enumerated() { counting[ExactText(variable.name)] = index }
        for (index, variable) in custom.enumerated() where counting[ExactText(variable.name)] == index {
            guard let user = users[ExactText(variable.name)] else { continue }
            for value in faults(of: variable) {
                let (text, pattern) = (Quoted.json(value.text), Quoted.json(user.pattern.text))
                findings.add(
                    value.range, value.pointer,
                    "\(PatternNotEncoded.name(value.scalar)) in the value \(text) of the variable "
                        + "\(Quoted.json(variable.name)) never occurs in an encoded URL, so the value never matches in "
                        + "\(pattern) (\(subject.position(of: user.pattern.node.range.lowerBound)))",
                    fix: "write \(Quoted.json(PercentCoding.encodingWhatMustBe(value.text)))"
                        + (user.isInComponent
                            ? ", or set \"percentEncoded\": false where the variable is used"
                            : "; \"paths\" has no other form"),
                    related: [
                        .init(
                            range: user.pattern.node.range, pointer: user.pattern.pointer,
                            message: "this pattern uses the variable, and is compared in encoded form")
                    ])
            }
        }
    }

    /// Whether all values of some variable of a pattern are at fault, so that it never matches.
    static func explains(_ site: PatternSite, in subject: LintSubject) -> Bool {
        site.rule.isPercentEncoded && !subject.unencodedVariables.isEmpty
            && UnusedVariable.names(in: site.text).contains { subject.unencodedVariables.contains(ExactText($0)) }
    }

    private struct User {
        /// The first that is compared in encoded form.
        let pattern: PatternSite
        /// Whether any of them is in a component, which may be set to decode.
        var isInComponent: Bool
    }

    /// For each variable that a pattern compared in encoded form uses.
    private static func users(in subject: LintSubject) -> [ExactText: User] {
        var users: [ExactText: User] = [:]
        for site in subject.patterns where site.rule.isPercentEncoded && site.pattern?.elements != nil {
            for name in UnusedVariable.names(in: site.text) {
                let name = ExactText(name)
                users[name, default: User(pattern: site, isInComponent: false)].isInComponent =
                    users[name]?.isInComponent == true || site.rule.form == .component
            }
        }
        return users
    }

    private struct Value {
        let text: String
        let scalar: Unicode.Scalar
        let range: Range<Int>
        let pointer: String
    }

    private static func faults(of variable: SubstitutionVariables.Custom) -> [Value] {
        var encoded: Set<ExactText>?
        return variable.written.enumerated().compactMap { index, element in
            guard let text = element.string, !text.holdsVariable, let scalar = PatternNotEncoded.offending(text) else {
                return nil
            }
            let forms =
                encoded
                ?? Set(
                    variable.values.filter { $0.utf8.contains(UInt8(ascii: "%")) }.map { ExactText($0.lowercased()) })
            encoded = forms
            guard !forms.contains(ExactText(PercentCoding.encodingWhatMustBe(text).lowercased())) else { return nil }
            return Value(text: text, scalar: scalar, range: element.range, pointer: variable.pointer(at: index))
        }
    }
}

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
                variable.member.keyRange, variable.pointer,
                "the variable \(Quoted.json(variable.name)) hides Apple's predefined one in this file")
        }
    }
}

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
                variable.member.keyRange, variable.pointer,
                "\(Quoted.json(variable.name)) is no name that a pattern can use")
        }
    }
}

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
                    fix: "delete the empty value, unless that is meant")
            }
        }
    }
}

enum UnusedVariable: LintRule {
    static let description = LintRuleDescription(
        id: "unused-variable", severity: .note, title: "a substitution variable that no pattern uses",
        why: "It does no harm; often a pattern was meant to use it and has it misspelt.",
        example: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/*"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "use it or remove it", reference: LintReference.variables)

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
        fix: "use fewer wildcards", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.pattern?.fault == .tooComplex {
            findings.add(
                site,
                "the pattern \(Quoted.json(site.text)) has more than \(Pattern.maximumWildcards) wildcards and variables; "
                    + "devices give up, and it matches nothing")
        }
    }
}
