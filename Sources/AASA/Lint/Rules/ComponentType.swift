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
            switch member.key {
            case "/", "#":
                guard member.value.string == nil else { continue }
                findings.add(
                    range(of: member.value), pointer() + "/" + member.key.escapedForPointer,
                    "\"\(member.key)\" is \(Quoted.kind(member.value)), not a string; devices take it for no constraint"
                )
            case "?": lookAtQuery(member.value, pointer() + "/?", &findings)
            case "exclude", "caseSensitive", "percentEncoded":
                if case .bool = member.value.value { continue }
                findings.add(
                    range(of: member.value), pointer() + "/" + member.key,
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
                range(of: item.value), pointer + "/" + item.key.escapedForPointer,
                "the value of \(Quoted.json(item.key)) is \(Quoted.kind(item.value)), not a string; devices drop the whole "
                    + "\"?\" constraint")
        }
    }

    private static func range(of node: JSONNode) -> Range<Int> {
        node.members == nil && node.elements == nil ? node.range : node.opening
    }
}
