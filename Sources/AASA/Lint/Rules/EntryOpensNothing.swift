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
        for (entry, reaches) in entries(of: subject) {
            let isPaths = entry.form == .paths
            guard let list = entry.node.member(isPaths ? "paths" : "components") else { continue }
            let isByDefault = entry.rules.contains {
                $0.isExclusion && $0.form == .component && $0.node["exclude"] == nil
            }
            let (message, fix): (String, String?)
            let hiders = hiders(of: reaches)
            if entry.rules.allSatisfy(\.isExclusion) {
                let source = isByDefault ? ", some by an \"exclude\" in \"defaults\"" : ""
                message = "all rules of this entry exclude" + source
                fix = isPaths ? "add what the app opens behind the exclusions, \"*\" for all the rest" : nil
            } else if hiders.isEmpty {
                message = "no URL reaches a rule of this entry that opens it"
                fix = isPaths ? "add what the app opens behind the exclusions, \"*\" for all the rest" : nil
            } else {
                let isOne = hiders.count == 1
                message =
                    "\(subject.places(of: hiders)) already exclude\(isOne ? "s" : "") every URL that the rules of this entry "
                    + "could open"
                fix = isOne ? "delete that exclusion, or narrow its pattern" : "delete them, or narrow their patterns"
            }
            findings.add(
                list.keyRange, entry.pointer + "/" + list.key, message + "; its apps open no URL",
                fix: isByDefault ? "take \"exclude\" out of \"defaults\"" : fix,
                related: hiders.prefix(FindingSink.maximumRelated).map { .init($0, "this rule takes the URLs before") })
        }
    }

    /// The rules of the entries that open nothing: that none of them is reached is said once, of the entry.
    static func rules(of subject: LintSubject) -> Set<String> {
        Set(entries(of: subject).flatMap { $0.entry.rules.map(\.pointer) })
    }

    private static func entries(of subject: LintSubject) -> [(entry: AppLinks.Entry, reaches: [RuleReach])] {
        zip(subject.entries, subject.reaches).filter { entry, reaches in
            entry.form != .everything && !entry.rules.isEmpty
                && (entry.rules.allSatisfy(\.isExclusion) || isProvenShut(reaches, in: subject))
        }.map { ($0, $1) }
    }

    /// The exclusions that take the URLs of all the rules that would open some; none where another cause has a part in it.
    private static func hiders(of reaches: [RuleReach]) -> [URLRule] {
        var hiders: [URLRule] = []
        for reach in reaches where !reach.rule.isExclusion {
            guard case .shadowed(let by) = reach.verdict else { return [] }
            for rule in by where !hiders.contains(where: { $0.pointer == rule.pointer }) { hiders.append(rule) }
        }
        return hiders
    }

    /// Whether each rule that would open is known never to decide. Where each of them has an error of its own, that is
    /// the cause, and it is reported there.
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
