enum RootNotObject: LintRule {
    static let description = LintRuleDescription(
        id: "root-not-object", severity: .error, title: "the outermost value is no object",
        why: "A device reads services from an object at the root; from anything else it reads none.",
        example: #"[{"applinks": {"details": []}}]"#, fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "begin the file with {\"applinks\": …}", reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let root = subject.file?.document.root, root.members == nil else { return }
        findings.add(
            root.elements == nil ? root.range : root.opening, "",
            "the outermost value is \(Quoted.kind(root)), not an object; devices read no service from it")
    }
}
