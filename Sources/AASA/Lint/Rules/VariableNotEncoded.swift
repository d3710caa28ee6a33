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
        var counting: [String: Int] = [:]
        for (index, variable) in custom.enumerated() { counting[variable.name] = index }
        for (index, variable) in custom.enumerated() where counting[variable.name] == index {
            guard let user = users[variable.name] else { continue }
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
            && UnusedVariable.names(in: site.text).contains(where: subject.unencodedVariables.contains)
    }

    private struct User {
        /// The first that is compared in encoded form.
        let pattern: PatternSite
        /// Whether any of them is in a component, which may be set to decode.
        var isInComponent: Bool
    }

    /// For each variable that a pattern compared in encoded form uses.
    private static func users(in subject: LintSubject) -> [String: User] {
        var users: [String: User] = [:]
        for site in subject.patterns where site.rule.isPercentEncoded && site.pattern?.elements != nil {
            for name in UnusedVariable.names(in: site.text) {
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
        let node = variable.member.value
        let pointer = "/applinks/substitutionVariables/\(variable.name.escapedForPointer)"
        var encoded: Set<String>?
        return (node.elements ?? [node]).enumerated().compactMap { index, element in
            guard let text = element.string, !text.contains("$("), let scalar = PatternNotEncoded.offending(text) else {
                return nil
            }
            let forms =
                encoded ?? Set(variable.values.filter { $0.utf8.contains(UInt8(ascii: "%")) }.map { $0.lowercased() })
            encoded = forms
            guard !forms.contains(PercentCoding.encodingWhatMustBe(text).lowercased()) else { return nil }
            return Value(
                text: text, scalar: scalar, range: element.range,
                pointer: node.elements == nil ? pointer : "\(pointer)/\(index)")
        }
    }
}
