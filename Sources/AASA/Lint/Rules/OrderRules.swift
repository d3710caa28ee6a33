// What the order of rules and of entries comes to. The pattern language decides it (`Language/`), these put it into words.

enum ExcludeAfterInclude: LintRule {
    static let description = LintRuleDescription(
        id: "exclude-after-include", severity: .error,
        title: "an exclusion behind a rule that has opened its URLs already",
        why: """
            The first rule that matches decides. All URLs of this exclusion are taken by earlier rules, of which at least one \
            opens the app: what should stay in the browser does not. This is proven, not guessed.
            """,
        example: LintExample.components(#"{"/": "/help/*"}"#, #"{"/": "/help/website/*", "exclude": true}"#),
        fixedExample: LintExample.components(#"{"/": "/help/website/*", "exclude": true}"#, #"{"/": "/help/*"}"#),
        fix: "move the exclusion in front of the rules that include", reference: LintReference.technote)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for group in subject.catchAlls where group.hidesExclusion {
            findings.add(
                group.rule, group.message(in: subject),
                fix: "move this rule behind the rules that it hides", related: group.related)
        }
        for shadow in subject.ungroupedShadows where shadow.rule.isExclusion {
            guard let opener = shadow.by.first(where: { !$0.isExclusion }) else { continue }
            let example = findings.isFull ? nil : subject.example(of: shadow.rule)
            findings.add(
                shadow.rule,
                "never reached: \(subject.places(of: [opener])) already opens every URL this exclusion could exclude"
                    + (example.map { ", such as \(Quoted.escaped($0))" } ?? ""),
                related: shadow.by.filter { !$0.isExclusion }.map { .init($0, "this rule opens the URLs before") },
                example: example)
        }
    }
}

enum RuleUnreachable: LintRule {
    static let description = LintRuleDescription(
        id: "rule-unreachable", severity: .warning, title: "a rule that never decides",
        why: """
            The first rule that matches decides, and earlier rules take every URL that this one could match: it is equal to \
            one of them, or stands behind a broader one. This is proven, not guessed.
            """,
        example: LintExample.components(#"{"/": "/buy/*"}"#, #"{"/": "/buy/shoes/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "remove it, or move it in front", reference: LintReference.technote)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let ofShutEntries = ShutEntry.rules(of: subject)
        for group in subject.catchAlls
        where !group.hidesExclusion && !ofShutEntries.contains(group.rule.place)
            && !ExclusionTakesAll.explains([group.rule])
        {
            findings.add(
                group.rule, group.message(in: subject),
                fix: "move this rule behind the rules that it hides, or delete those", related: group.related)
        }
        for shadow in subject.ungroupedShadows
        where !ofShutEntries.contains(shadow.rule.place)
            && (!shadow.rule.isExclusion || shadow.by.allSatisfy(\.isExclusion))
            && (shadow.rule.isExclusion || !ExclusionTakesAll.explains(shadow.by))
        {
            let isOne = shadow.by.count == 1
            let areExclusions = shadow.by.allSatisfy(\.isExclusion)
            let areInclusions = !shadow.by.contains(where: \.isExclusion)
            let verb = areExclusions ? "exclude" : areInclusions ? "open" : "decide about"
            findings.add(
                shadow.rule,
                "never reached: \(subject.places(of: shadow.by)) already \(verb)\(isOne ? "s" : "") every URL this "
                    + (shadow.rule.isExclusion ? "exclusion could exclude" : "rule could open"),
                related: shadow.by.map { .init($0, "this rule takes \(isOne ? "the" : "some of the") URLs before") },
                example: subject.example(of: shadow.rule))
        }
    }
}

enum ExclusionWithoutEffect: LintRule {
    static let description = LintRuleDescription(
        id: "exclusion-without-effect", severity: .note, title: "an exclusion of URLs that no rule would open",
        why: """
            What no rule matches stays in the browser anyway. An exclusion has an effect only where a later rule of the same \
            entry would open some of its URLs. This is proven, not guessed. It does no harm, and may be there for rules to \
            come.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exclude": true}"#, #"{"/": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/help/*", "exclude": true}"#, #"{"/": "/buy/*"}"#),
        fix: "nothing, if it is a precaution; else correct its pattern", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for rule in subject.idleExclusions.found {
            findings.add(
                rule, "this exclusion excludes nothing: no later rule opens any of its URLs",
                example: subject.example(of: rule))
        }
    }
}

enum RuleMatchesNothing: LintRule {
    static let description = LintRuleDescription(
        id: "rule-matches-nothing", severity: .warning, title: "a rule that no URL can match",
        why: """
            A variable in it has no value or doubles a slash, it holds a sign that does not stand in URLs as it is, or its \
            parts exclude each other. This is proven, not guessed; the causes that have rules of their own are reported by those.
            """,
        example: LintExample.variables(#"{"food": []}"#, #"{"/": "/eat/$(food)"}, {"/": "/buy/*"}"#),
        fixedExample: LintExample.variables(#"{"food": ["burrito"]}"#, #"{"/": "/eat/$(food)"}, {"/": "/buy/*"}"#),
        fix: "correct the pattern, or remove the rule", reference: LintReference.components)

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
            let reason = findings.isFull ? nil : NoMatchReason.of(reach.rule, in: subject)
            findings.add(
                reach.rule, "no URL can match this rule" + (reason.map { ": \($0.text)" } ?? ""), fix: reason?.fix)
        }
    }

    /// Whether another rule says why.
    static func isExplained(_ rule: URLRule, in subject: LintSubject) -> Bool {
        // With "*" the missing item does no harm, so something else is the reason.
        if QueryItemSite.all(of: rule).contains(where: { $0.fault != nil && !$0.takesAll }) { return true }
        return subject.patterns(of: rule).contains { site in
            site.pattern?.fault != nil || PatternNotEncoded.offending(site) != nil || QueryInPath.fault(of: site) != nil
                || MalformedNot.fault(of: site) != nil || HostInPath.fault(of: site) != nil
                || site.literal.unicodeScalars.contains(where: TypographicCharacter.isTypographic)
                || site.literal.contains("\\") || EntityInQuery.isFault(site) || LeadingSign.isFault(site)
                || VariableNotEncoded.explains(site, in: subject)
                || PatternBlank.isFault(site)
                || PatternSeveral.paths(in: site) != nil
        }
    }
}

enum SharedURLSpace: LintRule {
    static let description = LintRuleDescription(
        id: "shared-url-space", severity: .note, title: "two apps open the same URLs",
        why: """
            The order of the entries is documented to decide; a report from iOS 15 has the last app win. Where only one of the \
            apps is installed it opens the URL whatever the order.
            """,
        example: LintExample.details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/buy/*\"}]},\n  "
                + "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.staff\"], \"components\": [{\"/\": \"/buy/*\"}]}"),
        fixedExample: LintExample.details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/buy/*\"}]},\n  "
                + "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.staff\"], \"components\": [{\"/\": \"/staff/*\"}]}"),
        fix: "give each app paths of its own, or accept that either may open", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let overlaps = subject.overlaps.found.filter { $0.rules.count >= 2 }
        guard let first = overlaps.first, let one = first.rules.first, let other = first.rules.last else { return }
        let more = overlaps.count - 1
        findings.add(
            other,
            "\(Quoted.escaped(first.example)) is opened by several apps: by the rule \(subject.name(one)) too; apps: "
                + Quoted.list(first.appIDs)
                + (more == 0 ? "" : more == 1 ? "; so is 1 more URL" : "; so are \(more) more URLs"),
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
            guard unchecked > 0, let list = entry.list else { continue }
            findings.add(
                list.keyRange, "\(entry.pointer)/\(list.key)",
                "the order of \(unchecked) of \(entry.rules.count) rules was not checked: the patterns are too many or have too "
                    + "many wildcards")
        }
        if !subject.idleExclusions.isComplete, let details = subject.applinks?.node.member("details") {
            findings.add(
                details.keyRange, "/applinks/details",
                "whether each exclusion has an effect is not known in full: the rules are too many or have too many "
                    + "wildcards")
        }
        guard let details = subject.applinks?.node.member("details"), !subject.overlaps.isComplete else { return }
        findings.add(
            details.keyRange, "/applinks/details",
            "whether two apps open the same URL was not checked: the entries or their rules are too many")
    }
}

/// One rule that takes every URL and stands in front of others is one fault, however many rules it hides.
struct CatchAll {
    let rule: URLRule
    /// The rules that are never reached because of it alone.
    let hidden: [URLRule]

    /// Whether it opens what some of them should exclude.
    var hidesExclusion: Bool { !rule.isExclusion && hidden.contains(where: \.isExclusion) }

    /// Those that hide several rules.
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
            ? "\(hidden.count) exclusions"
            : "\(hidden.count) rules" + (exclusions > 0 ? " (\(exclusions) of them exclusions)" : "")
        let places = hidden.prefix(FindingSink.maximumRelated).map { "\(subject.position(of: $0.range.lowerBound))" }
        return
            "\(Quoted.escaped(rule.written, limit: 60)) already \(rule.isExclusion ? "excludes" : "opens") every URL, so the "
            + "\(kinds) behind it are never reached: at \(places.joined(separator: ", "))"
            + Quoted.more(hidden.count, beyond: FindingSink.maximumRelated)
    }

    var related: [FindingSink.Related] {
        hidden.prefix(FindingSink.maximumRelated).map { .init($0, "never reached") }
    }
}

extension LintSubject {
    /// The rules that are never reached, apart from those that a catch-all hides together.
    var ungroupedShadows: [Shadow] {
        let catchAlls = Set(catchAlls.map(\.rule.place))
        return catchAlls.isEmpty
            ? shadows : shadows.filter { $0.by.count != 1 || !catchAlls.contains($0.by[0].place) }
    }
}

/// Why no URL matches a rule, where one sign or one variable of it is reason enough. The proof is the automata's; this only
/// puts it into words.
struct NoMatchReason {
    /// A clause.
    let text: String
    /// nil: the cause shows what to do.
    var fix: String?

    /// nil where no single cause is known.
    static func of(_ rule: URLRule, in subject: LintSubject) -> NoMatchReason? {
        for site in subject.patterns(of: rule) where site.pattern?.elements != nil {
            if let text = emptyVariable(site, subject) ?? foreignSign(site) { return NoMatchReason(text: text) }
            if let doubled = DoubledSlash.inEveryValue(site, subject) { return doubled.reason(site) }
        }
        return nil
    }

    private static func emptyVariable(_ site: PatternSite, _ subject: LintSubject) -> String? {
        let empty = UnusedVariable.names(in: site.text).first { subject.variableValues[ExactText($0)]?.isEmpty == true }
        return empty.map { "the variable \(Quoted.json($0)) in \(Quoted.json(site.text)) has no value" }
    }

    /// A sign that the part of the URL does not hold.
    private static func foreignSign(_ site: PatternSite) -> String? {
        let text = Quoted.json(site.text)
        // Values of variables have their own signs.
        let bytes = Array(site.literal.utf8)
        func holds(_ sign: Character) -> Bool { bytes.contains { Character(UnicodeScalar($0)) == sign } }
        if site.part == .queryItem, site.rule.isPercentEncoded, holds("&") {
            return "'&' in \(text) ends the value of a query item"
        }
        guard site.rule.isPercentEncoded else { return nil }
        if site.part != .fragment, site.part != .path, holds("#") { return "'#' in \(text) ends the query of a URL" }
        if let byte = bytes.first(where: { $0 < 0x80 && !PercentCoding.mayStand($0) }) {
            let sign = Unicode.Scalar(byte)
            let escape = PercentCoding.encodingWhatMustBe(String(Character(sign)))
            return "\(Quoted.text(String(sign))) in \(text) stands in URLs as \(escape) only"
        }
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            let digits = bytes[(index + 1)...].prefix(2)
            // A wildcard may stand for a digit.
            let isEscape = digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit || "*?$".utf8.contains($0) }
            if !isEscape { return "'%' in \(text) is not followed by two hexadecimal digits" }
        }
        return nil
    }
}

/// A variable in a path whose values bring a slash to where one stands already, or where devices put one: no path that is
/// compared holds two in a row.
struct DoubledSlash {
    let name: String
    private let side: Side

    private enum Side: String {
        case front = "begin"
        case back = "end"
    }

    /// The first variable of a path of which every value does so; then the path matches nothing.
    static func inEveryValue(_ site: PatternSite, _ subject: LintSubject) -> DoubledSlash? {
        first(site, subject) { values, hasSlash in values.allSatisfy(hasSlash) }
    }

    /// The same of some value; then the path matches by the others.
    static func inSomeValue(_ site: PatternSite, _ subject: LintSubject) -> DoubledSlash? {
        first(site, subject) { values, hasSlash in values.contains(where: hasSlash) }
    }

    private static func first(
        _ site: PatternSite, _ subject: LintSubject, where isMeant: ([String], (String) -> Bool) -> Bool
    ) -> DoubledSlash? {
        // Beyond so many wildcards and variables the pattern matches nothing anyway.
        guard site.part == .path, site.pattern?.elements != nil, !subject.variableValues.isEmpty else { return nil }
        let read = PathNormalization.normalize(site.text)
        for name in UnusedVariable.names(in: site.text).uniqued {
            guard let values = subject.variableValues[ExactText(name)], !values.isEmpty else { continue }
            if read.contains("/$(\(name))"), isMeant(values, { $0.utf8.first == UInt8(ascii: "/") }) {
                return DoubledSlash(name: name, side: .front)
            }
            if read.contains("$(\(name))/"), isMeant(values, { $0.utf8.last == UInt8(ascii: "/") }) {
                return DoubledSlash(name: name, side: .back)
            }
        }
        return nil
    }

    func reason(_ site: PatternSite) -> NoMatchReason {
        let (variable, text) = (Quoted.json(name), Quoted.json(site.text))
        let isWritten =
            switch side {
            case .front: site.text.contains("/$(\(name))")
            case .back: site.text.contains("$(\(name))/")
            }
        let place = side == .front ? "in front of" : "behind"
        let other = isWritten ? "one stands \(place) the variable in \(text)" : "devices put one \(place) \(text)"
        return NoMatchReason(
            text: "the values of the variable \(variable) \(side.rawValue) with a slash, and \(other); no path holds "
                + "'//'",
            fix: fix)
    }

    /// What to do before anything else.
    var fix: String {
        let place = side == .front ? "beginning" : "end"
        return "take the slash off the \(place) of the values of \(Quoted.json(name))"
    }
}
