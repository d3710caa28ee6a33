enum EntryOpensNothing: LintRule {
    static let description = LintRuleDescription(
        id: "entry-opens-nothing", severity: .warning, title: "an entry of exclusions alone",
        why: """
            An exclusion keeps URLs from the app that a later rule would open, and what no rule matches stays in the browser \
            anyway: exclusions without a rule behind them open nothing. People expect them to mean "everything but these". An \
            "exclude" in "defaults" turns all components into exclusions.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exclude": true}"#),
        fixedExample: LintExample.components(#"{"/": "/help/*", "exclude": true}"#, #"{"/": "*"}"#),
        fix: "add what the app opens behind the exclusions, {\"/\": \"*\"} for all the rest",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries
        where entry.form != .everything && !entry.rules.isEmpty && entry.rules.allSatisfy(\.isExclusion) {
            let isPaths = entry.form == .paths
            guard let list = entry.node.member(isPaths ? "paths" : "components") else { continue }
            let isByDefault = entry.rules.contains { $0.form == .component && $0.node["exclude"] == nil }
            findings.add(
                list.keyRange, entry.pointer + "/" + list.key,
                "all rules of this entry exclude\(isByDefault ? ", some by an \"exclude\" in \"defaults\"" : ""); its apps open "
                    + "no URL",
                fix: isByDefault
                    ? "take \"exclude\" out of \"defaults\""
                    : isPaths ? "add what the app opens behind the exclusions, \"*\" for all the rest" : nil)
        }
    }
}
