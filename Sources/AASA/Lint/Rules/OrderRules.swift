// The effects of the order of rules and entries. `Language/` computes them; these rules report them.

enum ExcludeAfterInclude: LintRule {
    static let description = LintRuleDescription(
        id: "exclude-after-include", severity: .error,
        title: "an exclusion after a rule that already opens its URLs",
        why: """
            The first rule that matches decides. Earlier rules match all URLs of this exclusion, and at least one of \
            them opens the app: pages that should stay in the browser open the app. This is proven, not guessed.
            """,
        example: LintExample.components(#"{"/": "/help/*"}"#, #"{"/": "/help/website/*", "exclude": true}"#),
        fixedExample: LintExample.components(#"{"/": "/help/website/*", "exclude": true}"#, #"{"/": "/help/*"}"#),
        fix: "move the exclusion before the rules that open its URLs", reference: LintReference.technote,
        seen: "corpus: 17 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for group in subject.catchAlls where group.hidesExclusion {
            findings.add(
                group.rule, group.message(in: subject),
                fix: "move this rule after the rules that it hides", related: group.related)
        }
        for shadow in subject.ungroupedShadows where shadow.rule.isExclusion {
            guard let opener = shadow.by.first(where: { !$0.isExclusion }) else { continue }
            let example = findings.isFull ? nil : subject.example(of: shadow.rule)
            findings.add(
                shadow.rule,
                "never used: \(subject.places(of: [opener])) already opens every URL this exclusion could exclude"
                    + (example.map { ", such as \(Quoted.escaped($0))" } ?? ""),
                related: shadow.by.filter { !$0.isExclusion }.map { .init($0, "this rule opens the URLs first") },
                example: example)
        }
    }
}

enum RuleUnreachable: LintRule {
    static let description = LintRuleDescription(
        id: "rule-unreachable", severity: .warning, title: "a rule that never decides",
        why: """
            The first rule that matches decides, and earlier rules match every URL that this one could match: it is \
            equal to one of them, or comes after a broader one. This is proven, not guessed.
            """,
        example: LintExample.components(#"{"/": "/buy/*"}"#, #"{"/": "/buy/shoes/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "remove it, or move it up", reference: LintReference.technote,
        seen: "corpus: 4 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let ofShutEntries = ShutEntry.rules(of: subject)
        for group in subject.catchAlls
        where !group.hidesExclusion && !ofShutEntries.contains(group.rule.place)
            && !ExclusionTakesMissingItem.explains([group.rule], in: subject)
        {
            findings.add(
                group.rule, group.message(in: subject),
                fix: "move this rule after the rules that it hides, or delete them", related: group.related)
        }
        for shadow in subject.ungroupedShadows
        where !ofShutEntries.contains(shadow.rule.place)
            && (!shadow.rule.isExclusion || shadow.by.allSatisfy(\.isExclusion))
            && (shadow.rule.isExclusion || !ExclusionTakesMissingItem.explains(shadow.by, in: subject))
        {
            let isOne = shadow.by.count == 1
            let areExclusions = shadow.by.allSatisfy(\.isExclusion)
            let areInclusions = !shadow.by.contains(where: \.isExclusion)
            let verb = areExclusions ? "exclude" : areInclusions ? "open" : "decide about"
            findings.add(
                shadow.rule,
                "never used: \(subject.places(of: shadow.by)) already \(verb)\(isOne ? "s" : "") every URL this "
                    + (shadow.rule.isExclusion ? "exclusion could exclude" : "rule could open"),
                remedy: .tidy(removal(of: shadow, in: subject)),
                related: shadow.by.map { .init($0, "this rule matches \(isOne ? "the" : "some of the") URLs first") },
                example: subject.example(of: shadow.rule))
        }
    }
}

extension RuleUnreachable {
    /// Only for a rule that repeats an earlier one. Any other unused rule may be right, but in the wrong place.
    private static func removal(of shadow: LintSubject.Shadow, in subject: LintSubject) -> [LintEdit]? {
        let place = shadow.rule.place
        guard let other = shadow.by.first, shadow.by.count == 1, other.place.entry == place.entry,
            other.node.canonicalForm == shadow.rule.node.canonicalForm,
            let list = subject.entries.first(where: { $0.pointer == place.entry })?.list?.value.elements,
            list.indices.contains(place.index), place.index > 0
        else { return nil }
        return LintEdit.removal(of: shadow.rule.node.range, after: list[place.index - 1].range)
    }
}

enum RuleMatchesNothing: LintRule {
    static let description = LintRuleDescription(
        id: "rule-matches-nothing", severity: .warning, title: "a rule that no URL can match",
        why: """
            A variable in it has no value, it contains a character that URLs have only in encoded form, such as ^ or \
            %, or its parts exclude each other. This is proven, not guessed. If another lint rule covers the cause, \
            only that rule reports it.
            """,
        example: LintExample.variables(#"{"food": []}"#, #"{"/": "/eat/$(food)"}, {"/": "/buy/*"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}, {"/": "/buy/*"}"#),
        fix: "correct the pattern, or remove the rule", reference: LintReference.components,
        seen: "documented: applinks, components, all parts must match")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let told = Set(
            ShutEntry.all(of: subject).compactMap { shut -> URLRule.Place? in
                if case .matchesNothing(let rule) = shut.cause { rule.place } else { nil }
            })
        for reach in subject.reaches.joined() {
            guard case .matchesNothing = reach.verdict, !isExplained(reach.rule, in: subject),
                !subject.patterns(of: reach.rule).contains(where: { $0.notation != nil }),
                !told.contains(reach.rule.place)
            else { continue }
            findings.add(reach.rule, "no URL can match this rule")
        }
    }

    /// Whether another rule reports the reason.
    static func isExplained(_ rule: URLRule, in subject: LintSubject) -> Bool {
        // With "*" the missing item has no effect, so the reason is something else.
        if QueryItemSite.all(of: rule).contains(where: { $0.fault != nil && !$0.takesAll }) { return true }
        return subject.patterns(of: rule).contains { site in
            site.pattern?.fault != nil || PatternNotEncoded.offending(site) != nil || QueryInPath.fault(of: site) != nil
                || MalformedNot.fault(of: site) != nil || HostInPath.fault(of: site) != nil
        }
    }
}

enum SharedURLSpace: LintRule {
    static let description = LintRuleDescription(
        id: "shared-url-space", severity: .note, title: "two apps open the same URLs",
        why: """
            Apple documents that the order of the entries decides; one report says that on iOS 15 the last app wins. \
            If only one of the apps is installed, it opens the URL, regardless of the order.
            """,
        example: LintExample.details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/buy/*\"}]},\n  "
                + "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.staff\"], \"components\": [{\"/\": \"/buy/*\"}]}"),
        fixedExample: LintExample.details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/buy/*\"}]},\n  "
                + "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.staff\"], \"components\": [{\"/\": \"/staff/*\"}]}"),
        fix: "give each app its own paths, or accept that either app may open the URL",
        reference: LintReference.details,
        seen: "corpus: 42 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let overlaps = subject.overlaps.found.filter { $0.rules.count >= 2 }
        guard let first = overlaps.first, let one = first.rules.first, let other = first.rules.last else { return }
        let more = overlaps.count - 1
        findings.add(
            other,
            "several apps open \(Quoted.escaped(first.example)): the rule \(subject.name(one)) opens it too; apps: "
                + Quoted.list(first.appIDs)
                + (more == 0 ? "" : "; the same is true for \(more) more \(more == 1 ? "URL" : "URLs")"),
            related: [.init(one, "this rule opens the URL for another app")]
                + overlaps.dropFirst().compactMap { overlap in
                    overlap.rules.last.map {
                        .init($0, "this rule opens \(Quoted.escaped(overlap.example)) for several apps")
                    }
                },
            example: first.example)
    }
}

enum OrderNotChecked: LintRule {
    static let description = LintRuleDescription(
        id: "order-not-checked", severity: .note, title: "too many or too complex rules to check their order",
        why: """
            The linter uses automata to prove whether each rule of an entry can ever decide, and whether two apps \
            open the same URL. The work for one file is limited. Beyond the limit, the linter does not check the \
            order: the absence of a finding then does not prove that the order is right.
            """,
        example: LintExample.variables(
            #"{"ab": ["a", "b"]}"#,
            ["/*a", "/*b", "/*$(ab)"].map { "{\"/\": \"\($0)" + String(repeating: "?", count: 30) + "\"}" }
                .joined(separator: ", ")),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "use fewer rules, or fewer wildcards in a pattern", reference: LintReference.technote,
        seen: "our own limit on the work for one file")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let details = subject.applinks?.node.member("details") else { return }
        var unchecked: [String] = []
        let asked = zip(subject.entries, subject.reaches).filter { $0.0.form != .everything }
        let all = asked.reduce(0) { $0 + $1.0.rules.count }
        let judged = asked.reduce(0) { $0 + $1.1.count(where: \.isJudged) }
        if judged < all { unchecked.append("the order of \(all - judged) of \(all) rules") }
        if !subject.overlaps.isComplete { unchecked.append("whether two apps open the same URL") }
        guard !unchecked.isEmpty else { return }
        findings.add(
            details.keyRange, "/applinks/details",
            "not checked: \(unchecked.joined(separator: ", and ")); there are too many rules or wildcards")
    }
}

/// A rule that matches every URL before other rules: one fault, however many rules it hides.
struct CatchAll {
    let rule: URLRule
    /// The rules that are never used only because of it.
    let hidden: [URLRule]

    /// Whether it opens URLs that some of them should exclude.
    var hidesExclusion: Bool { !rule.isExclusion && hidden.contains(where: \.isExclusion) }

    /// The catch-alls that hide several rules.
    static func all(of shadows: [LintSubject.Shadow]) -> [CatchAll] {
        var places: [URLRule.Place: Int] = [:]
        var groups: [(rule: URLRule, hidden: [URLRule])] = []
        for shadow in shadows {
            guard let taker = shadow.by.first, shadow.by.count == 1, taker.isUnconstrained else { continue }
            if let place = places[taker.place] {
                groups[place].hidden.append(shadow.rule)
            } else {
                places[taker.place] = groups.count
                groups.append((taker, [shadow.rule]))
            }
        }
        return groups.filter { $0.hidden.count > 1 }.map { CatchAll(rule: $0.rule, hidden: $0.hidden) }
    }

    func message(in subject: LintSubject) -> String {
        let exclusions = hidden.count(where: \.isExclusion)
        let kinds =
            exclusions == hidden.count
            ? "\(hidden.count) exclusions after it"
            : "\(hidden.count) rules after it"
                + (exclusions == 0 ? "" : " (\(exclusions) \(exclusions == 1 ? "exclusion" : "exclusions"))")
        let places = hidden.prefix(FindingSink.maximumRelated).map { "\(subject.position(of: $0.range.lowerBound))" }
        return
            "\(Quoted.escaped(rule.written, limit: 60)) already matches every URL, so the \(kinds) are never used: at "
            + places.joined(separator: ", ")
            + Quoted.more(hidden.count, beyond: FindingSink.maximumRelated)
    }

    var related: [FindingSink.Related] {
        hidden.prefix(FindingSink.maximumRelated).map { .init($0, "never used") }
    }
}

extension LintSubject {
    /// The rules that are never used, without those that a `CatchAll` reports together.
    var ungroupedShadows: [Shadow] {
        let catchAlls = Set(catchAlls.map(\.rule.place))
        return catchAlls.isEmpty
            ? shadows : shadows.filter { $0.by.count != 1 || !catchAlls.contains($0.by[0].place) }
    }
}
