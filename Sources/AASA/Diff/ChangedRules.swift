// The effect of single rules: a URL for each added or removed one. One example for each kind of change hides others.

/// URLs that show the effect of changed rules.
package struct ChangedRules: Sendable, Hashable {
    /// For each rule and app, a URL that the rule decides about and that opens the app in only one file.
    package internal(set) var changes: [BehaviourChange] = []
    /// The number of further rules with such a URL.
    package internal(set) var more = 0
    /// Whether all changed rules were tried. A rule that was tried and has no example may still change something.
    package internal(set) var isComplete = true

    /// Further rules are only counted.
    package static let maximumShown = 10

    /// The result for two equal files.
    package static let ofEqualFiles = ChangedRules()
}

extension ChangedRules {
    /// Skips rules that `known` already shows. nil: a file without applinks, which has no rules.
    package init(_ old: AppLinks?, _ new: AppLinks?, besides known: [BehaviourChange], meter: WorkMeter) {
        self.init()
        let files = FilePair(ofRealApps: old, new)
        var search = RuleChangeSearch(meter)
        /// Apps may share a rule.
        var shown: Set<RuleChangeSearch.Source> = []
        var counted: Set<RuleChangeSearch.Source> = []
        var examples: [ExactText: [String]] = [:]
        for change in known { examples[ExactText(change.appID), default: []].append(change.example) }
        for (claims, apps) in FileApps.groups(of: files.apps, by: files.claims(of:)) {
            guard meter.use(elements: 16 + 8 * files.ruleCount(of: claims)) else { break }
            let (before, after) = (files.old.rules(of: claims[0]), files.new.rules(of: claims[1]))
            let known = apps.first.flatMap { examples[ExactText($0)] } ?? []
            for found in search.changes(from: before, to: after, besides: known) {
                guard shown.contains(found.rule) || shown.count < Self.maximumShown else {
                    counted.insert(found.rule)
                    continue
                }
                shown.insert(found.rule)
                changes += apps.map {
                    BehaviourChange(appID: $0, from: found.from, to: found.to, example: found.example)
                }
            }
        }
        more = counted.count
        isComplete = !meter.isExhausted
    }
}

/// Searches for URLs that single rules decide about.
struct RuleChangeSearch {
    private let check: WorkMeter
    /// The number of rules for which automata may still be built.
    private var automataLeft = 100
    private var meanings: [Source: ExactText] = [:]

    init(_ meter: WorkMeter) { check = meter }

    struct Source: Hashable {
        let isNew: Bool
        let place: URLRule.Place
    }

    struct Found {
        let rule: Source
        let from: LinkBehaviour
        let to: LinkBehaviour
        let example: String
    }

    mutating func changes(from old: [URLRule], to new: [URLRule], besides known: [String]) -> [Found] {
        let (before, after) = (old.map { meaning(of: $0, isNew: false) }, new.map { meaning(of: $0, isNew: true) })
        let (olds, news) = (Set(before), Set(after))
        let gone = old.indices.filter { !news.contains(before[$0]) }
        let came = new.indices.filter { !olds.contains(after[$0]) }
        let shownGone = Set(known.compactMap { check.firstMatch(old, $0) })
        let shownCame = Set(known.compactMap { check.firstMatch(new, $0) })
        var result: [Found] = []
        for index in came where !shownCame.contains(index) {
            guard let (example, from) = change(by: index, of: new, against: old) else { continue }
            let rule = Source(isNew: true, place: new[index].place)
            result.append(Found(rule: rule, from: from, to: new[index].behaviour, example: example))
        }
        // The example of an added rule may also show the effect of a removed one.
        let both = Set(result.compactMap { check.firstMatch(old, $0.example) })
        for index in gone where !shownGone.contains(index) && !both.contains(index) {
            guard let (example, to) = change(by: index, of: old, against: new) else { continue }
            let rule = Source(isNew: false, place: old[index].place)
            result.append(Found(rule: rule, from: old[index].behaviour, to: to, example: example))
        }
        return result
    }

    /// Computed once for each rule, however many apps share it.
    private mutating func meaning(of rule: URLRule, isNew: Bool) -> ExactText {
        let source = Source(isNew: isNew, place: rule.place)
        if let known = meanings[source] { return known }
        let meaning = ExactText(rule.ownMeaning)
        meanings[source] = meaning
        return meaning
    }

    /// A URL that the rule decides about and that opens in only one of the lists, and what the other list does with it.
    private mutating func change(
        by index: Int, of rules: [URLRule], against others: [URLRule]
    ) -> (example: String, other: LinkBehaviour)? {
        let rule = rules[index]
        guard rule.weight < URLRule.maximumExampleWeight else { return nil }
        for filling in [URLRule.Filling.shortest, .rare, .plain] {
            guard check.use(elements: rule.trialWeight) else { return nil }
            guard let text = rule.example(filling: filling, meter: check).map(ExampleURL.readable) else { continue }
            if let other = other(text, by: index, of: rules, against: others) { return (text, other) }
        }
        guard automataLeft > 0, check.allowsProof else { return nil }
        automataLeft -= 1
        for text in rule.examples(count: 3, meter: check) {
            if let other = other(text, by: index, of: rules, against: others) { return (text, other) }
        }
        return nil
    }

    private mutating func other(
        _ text: String, by index: Int, of rules: [URLRule], against others: [URLRule]
    ) -> LinkBehaviour? {
        guard check.firstMatch(rules, text) == index, let other = check.behaviour(others, text),
            (other == .opens) == rules[index].isExclusion
        else { return nil }
        return other
    }
}
