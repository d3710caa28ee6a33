enum PatternNormalized: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-normalized", severity: .note, title: "a path pattern that devices change before use",
        why: """
            Devices put a slash in front of a path pattern that begins with neither / nor *, and shrink // and ** to one \
            character. They also add a final slash, to pattern and URL alike; that is not reported.
            """,
        example: LintExample.components(#"{"/": "buy/**"}"#), fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write it as devices read it", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.part == .path && !findings.isFull {
            guard HostInPath.fault(of: site) == nil, MalformedNot.fault(of: site) == nil else { continue }
            let read = PathNormalization.normalize(site.text)
            guard read != site.text, read != site.text + "/" else { continue }
            findings.add(
                site.node.range, site.pointer, "devices read \(Quoted.json(site.text)) as \(Quoted.json(read))",
                fix: DoubledSlash.inSomeValue(site, subject).map { "\($0.fix), and write it as devices read it" })
        }
    }
}
