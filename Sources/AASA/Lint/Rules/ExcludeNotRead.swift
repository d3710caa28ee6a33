enum ExcludeNotRead: LintRule {
    static let description = LintRuleDescription(
        id: "exclude-not-read", severity: .error, title: "an \"exclude\" that devices do not read",
        why: """
            Devices ignore keys that they do not know, and "exclude" counts in a component alone. Misspelt, or beside \
            "paths", it excludes nothing: what it should keep in the browser opens the app.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exlude": true}"#, #"{"/": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/help/*", "exclude": true}"#, #"{"/": "/buy/*"}"#),
        fix: "write \"exclude\": true in a component", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        if let applinks = subject.applinks { look(at: applinks.node, "/applinks", nil, &findings) }
        for entry in subject.entries {
            look(at: entry.node, entry.pointer, entry, &findings)
            for rule in entry.rules where rule.form == .component {
                for member in rule.node.members ?? [] where isMisspelt(member.key, in: rule.node) {
                    findings.add(
                        member.keyRange, rule.pointer + "/" + member.key.escapedForPointer,
                        "devices ignore the key \(Quoted.json(member.key)): this component excludes nothing",
                        fix: "write \"exclude\"")
                }
            }
        }
    }

    /// Whether a key of a component was meant to be "exclude".
    static func isMisspelt(_ key: String, in component: JSONNode) -> Bool {
        component["exclude"] == nil && KeySuggestion.nearest(to: key, among: KeySuggestion.ofComponent) == "exclude"
    }

    private static func look(
        at node: JSONNode, _ pointer: @autoclosure () -> String, _ entry: AppLinks.Entry?, _ findings: inout FindingSink
    ) {
        guard let member = node.member("exclude") else { return }
        let usesPaths = entry?.form == .paths
        findings.add(
            member.keyRange, pointer() + "/exclude",
            "devices do not read \"exclude\" here: it excludes nothing"
                + (usesPaths ? "; beside \"paths\" there is NOT" : ""),
            fix: usesPaths
                ? "write \"NOT /path\" in \"paths\", in front of what it is an exception of"
                : "write {\"/\": \"/path\", \"exclude\": true} in \"components\"")
    }
}
