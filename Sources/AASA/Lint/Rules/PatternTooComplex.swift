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
                site.node.range, site.pointer,
                "the pattern \(Quoted.json(site.text)) has more than \(Pattern.maximumWildcards) wildcards and variables; "
                    + "devices give up, and it matches nothing")
        }
    }
}
