enum UnusedVariable: LintRule {
    static let description = LintRuleDescription(
        id: "unused-variable", severity: .note, title: "a substitution variable that no pattern uses",
        why: "It does no harm; often a pattern was meant to use it and has it misspelt.",
        example: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/*"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}"#),
        fix: "use it or remove it", reference: LintReference.variables)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let custom = subject.applinks?.variables.custom, !custom.isEmpty else { return }
        var used: Set<String> = []
        for site in subject.patterns { used.formUnion(names(in: site.text)) }
        for defaults in subject.defaults {
            for member in defaults.node.members ?? [] {
                let values = member.value.members?.compactMap(\.value.string) ?? [member.value.string ?? ""]
                for value in values { used.formUnion(names(in: value)) }
            }
        }
        for variable in custom
        where !used.contains(variable.name) && !variable.name.contains(where: { "$()".contains($0) }) {
            findings.add(
                variable.member.keyRange, "/applinks/substitutionVariables/\(variable.name.escapedForPointer)",
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
