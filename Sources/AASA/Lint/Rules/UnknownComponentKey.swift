enum UnknownComponentKey: LintRule {
    static let description = LintRuleDescription(
        id: "unknown-component-key", severity: .warning, title: "a key in a component that devices ignore",
        why: """
            A component has "/", "?", "#", "exclude", "comment", "caseSensitive" and "percentEncoded". Devices ignore \
            everything else, so a condition under another name is no condition: the component matches more than meant.
            """,
        example: LintExample.components(#"{"/": "/buy/*", "method": "GET"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*", "comment": "GET only, says the server"}"#),
        fix: "put remarks under \"comment\", and remove what has no effect", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            for rule in entry.rules where rule.form == .component {
                for member in rule.node.members ?? []
                where !findings.isFull && !KeySuggestion.ofComponent.keys.contains(member.key)
                    && KeySuggestion.nearest(to: member.key, among: KeySuggestion.ofComponent) == nil
                    && MisplacedKey.home(of: member.key, among: KeySuggestion.ofComponent) == nil
                {
                    findings.add(
                        member.keyRange, rule.pointer + "/" + member.key.escapedForPointer,
                        "devices ignore the key \(Quoted.json(member.key)) of a component")
                }
            }
        }
    }
}
