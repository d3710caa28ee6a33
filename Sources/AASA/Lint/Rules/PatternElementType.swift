enum PatternElementType: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-element-type", severity: .error, title: "a component is no object, or a path no string",
        why: """
            Such an element matches every URL (observed in Apple's binaries): the app takes the whole site from there on, and \
            no later rule is read.
            """,
        example: LintExample.components(#""/buy/*""#), fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "\"components\" holds objects such as {\"/\": \"/buy/*\"}, \"paths\" holds strings",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries where entry.form != .everything {
            for rule in entry.rules + entry.olderRules where rule.form == .wrongType {
                let node = rule.node
                let isPath = rule.pointer.dropFirst(entry.pointer.utf8.count).hasPrefix("/paths")
                findings.add(
                    node.elements == nil && node.members == nil ? node.range : node.opening, rule.pointer,
                    isPath
                        ? "this path is \(Quoted.kind(node)), not a string; devices let it match every URL"
                        : "this component is \(Quoted.kind(node)), not an object; devices let it match every URL")
            }
        }
    }
}
