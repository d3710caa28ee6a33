enum QueryValueList: LintRule {
    static let description = LintRuleDescription(
        id: "query-value-list", severity: .error, title: "a list of values for a query item",
        why: """
            Guides show it, but it does not exist: a list as a value makes Apple's tool drop the whole "?" constraint \
            (observed), and the component matches with any query. The same goes for a list as "?" itself.
            """,
        example: LintExample.components(#"{"/": "/buy/*", "?": {"color": ["red", "blue"]}}"#),
        fixedExample: LintExample.components(
            #"{"/": "/buy/*", "?": {"color": "red"}}"#, #"{"/": "/buy/*", "?": {"color": "blue"}}"#),
        fix: "write one component for each value, or a substitution variable", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            for rule in entry.rules where rule.form == .component {
                if let query = rule.node["?"] { look(at: query, rule.pointer + "/?", &findings) }
            }
        }
        for defaults in subject.defaults {
            if let query = defaults.node["?"] { look(at: query, defaults.pointer + "/?", &findings) }
        }
    }

    private static func look(at query: JSONNode, _ pointer: String, _ findings: inout FindingSink) {
        if query.elements != nil {
            findings.add(
                query.range, pointer, "\"?\" is an array, which does not exist; devices take it for no constraint")
        }
        for item in query.members ?? [] where item.value.elements != nil {
            findings.add(
                item.value.range, pointer + "/" + item.key.escapedForPointer,
                "the item \(Quoted.json(item.key)) has a list of values, which does not exist; devices drop the whole \"?\" "
                    + "constraint")
        }
    }
}
