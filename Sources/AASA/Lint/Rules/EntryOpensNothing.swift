enum EntryOpensNothing: LintRule {
    static let description = LintRuleDescription(
        id: "entry-opens-nothing", severity: .error, title: "an entry whose rules open no URL",
        why: """
            An exclusion keeps URLs from the app that a later rule would open, and what no rule matches stays in the browser \
            anyway: exclusions without a rule behind them open nothing, and neither do rules behind an exclusion of \
            everything. This is proven, not guessed. People expect exclusions alone to mean "everything but these". An \
            "exclude" in "defaults" turns all components into exclusions.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exclude": true}"#),
        fixedExample: LintExample.components(#"{"/": "/help/*", "exclude": true}"#, #"{"/": "*"}"#),
        fix: "add what the app opens behind the exclusions, {\"/\": \"*\"} for all the rest",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for (entry, reaches) in zip(subject.entries, subject.reaches)
        where entry.form != .everything && !entry.rules.isEmpty {
            let isAllExclusions = entry.rules.allSatisfy(\.isExclusion)
            guard isAllExclusions || isProvenShut(reaches, in: subject) else { continue }
            let isPaths = entry.form == .paths
            guard let list = entry.node.member(isPaths ? "paths" : "components") else { continue }
            let isByDefault = entry.rules.contains { $0.form == .component && $0.node["exclude"] == nil }
            findings.add(
                list.keyRange, entry.pointer + "/" + list.key,
                isAllExclusions
                    ? "all rules of this entry exclude\(isByDefault ? ", some by an \"exclude\" in \"defaults\"" : ""); its "
                        + "apps open no URL"
                    : "no URL reaches a rule of this entry that opens it; its apps open no URL",
                fix: isByDefault
                    ? "take \"exclude\" out of \"defaults\""
                    : isPaths ? "add what the app opens behind the exclusions, \"*\" for all the rest" : nil)
        }
    }

    /// Whether each rule that would open is known never to decide. Where each of them has an error of its own, that is
    /// the cause, and it is told there.
    private static func isProvenShut(_ reaches: [RuleReach], in subject: LintSubject) -> Bool {
        var isExplained = true
        for reach in reaches {
            switch reach.verdict {
            case .shadowed: isExplained = isExplained && reach.rule.isExclusion
            case .matchesNothing:
                isExplained =
                    isExplained
                    && (reach.rule.isExclusion
                        || PatternSite.all(of: reach.rule).contains { site in
                            site.pattern?.fault != nil || PatternNotEncoded.offending(site) != nil
                                || VariableNotEncoded.explains(site, in: subject)
                        })
            case .decides, .undecided: if !reach.rule.isExclusion { return false }
            }
        }
        return !reaches.isEmpty && !isExplained
    }
}
