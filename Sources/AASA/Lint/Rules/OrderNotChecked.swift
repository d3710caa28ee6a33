enum OrderNotChecked: LintRule {
    static let description = LintRuleDescription(
        id: "order-not-checked", severity: .note, title: "more rules than are compared with each other here",
        why: """
            Whether each rule of an entry can ever decide is proven by automata, and the work for one file is bounded. Beyond \
            the bound nothing is said of the order: no finding about it is then no proof that it is right.
            """,
        example: LintExample.paths(
            (0..<150).map { "\"/*a\($0)*b*c*d*e*f*g*h*i*j*k*l*m*n*o*p\"" }.joined(separator: ", ")),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "use fewer rules, or fewer wildcards in a pattern", reference: LintReference.technote)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for (entry, reaches) in zip(subject.entries, subject.reaches) where entry.form != .everything {
            let unchecked =
                entry.rules.count - reaches.count { if case .undecided = $0.verdict { false } else { true } }
            guard unchecked > 0 else { continue }
            let key = entry.form == .paths ? "paths" : "components"
            guard let list = entry.node.member(key) else { continue }
            findings.add(
                list.keyRange, "\(entry.pointer)/\(key)",
                "the order of \(unchecked) of \(entry.rules.count) rules was not checked: the patterns are too many or have too "
                    + "many wildcards")
        }
        guard let details = subject.applinks?.node.member("details"), !subject.areOverlapsChecked else { return }
        findings.add(
            details.keyRange, "/applinks/details",
            "whether two apps open the same URL was not checked: the entries or their rules are too many")
    }
}
