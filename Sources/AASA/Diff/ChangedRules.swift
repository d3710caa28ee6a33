// What single rules change: a URL for each that came or went, since one example for each kind of change hides the others; and
// who opens the URLs of a rule where its app ceases to.

/// URLs that show what changed rules do.
package struct ChangedRules: Sendable, Hashable {
    /// For each rule one URL that it decides about, and that opens an app in one of the files only; once for each app.
    package internal(set) var changes: [BehaviourChange] = []
    /// How many rules beyond those have such a URL, too.
    package internal(set) var more = 0
    /// Whether all changed rules were tried. That a rule was tried and has no example is no proof that it changes nothing.
    package internal(set) var isComplete = true

    /// More rules than these are counted and not shown.
    package static let maximumShown = 10

    /// Nothing, for two equal files.
    package static let ofEqualFiles = ChangedRules()
}

extension ChangedRules {
    /// Rules that `known` does not show already. A file without applinks, nil, has none.
    package init(_ old: AppLinks?, _ new: AppLinks?, besides known: [BehaviourChange]) {
        self.init()
        let files = FilePair(ofRealApps: old, new)
        var search = RuleChangeSearch()
        /// Apps may share a rule.
        var shown: Set<RuleChangeSearch.Source> = []
        var counted: Set<RuleChangeSearch.Source> = []
        var examples: [ExactText: [String]] = [:]
        for change in known { examples[ExactText(change.appID), default: []].append(change.example) }
        for (claims, apps) in FileApps.groups(of: files.apps, by: files.claims(of:)) {
            guard search.check.use(elements: 16 + 8 * files.ruleCount(of: claims)) else { break }
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
        isComplete = !search.check.isExhausted
    }
}

/// Looks for URLs that single rules decide about.
struct RuleChangeSearch {
    let check: WorkMeter
    /// Rules for which automata may be made, and what these may cost.
    private var automataLeft: Int
    private let automata = WorkMeter(steps: 3_000_000)
    private var meanings: [Source: ExactText] = [:]

    init(steps: Int = 16_000_000, automata: Int = 100) { (check, automataLeft) = (WorkMeter(steps: steps), automata) }

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
        // What a rule that came shows may be what one that went shows.
        let both = Set(result.compactMap { check.firstMatch(old, $0.example) })
        for index in gone where !shownGone.contains(index) && !both.contains(index) {
            guard let (example, to) = change(by: index, of: old, against: new) else { continue }
            let rule = Source(isNew: false, place: old[index].place)
            result.append(Found(rule: rule, from: old[index].behaviour, to: to, example: example))
        }
        return result
    }

    /// Made once for each rule, however many apps share it.
    private mutating func meaning(of rule: URLRule, isNew: Bool) -> ExactText {
        let source = Source(isNew: isNew, place: rule.place)
        if let known = meanings[source] { return known }
        let meaning = ExactText(rule.ownMeaning)
        meanings[source] = meaning
        return meaning
    }

    /// A URL that the rule decides about and that begins or ceases to open, and what the other list makes of it.
    private mutating func change(
        by index: Int, of rules: [URLRule], against others: [URLRule]
    ) -> (example: String, other: LinkBehaviour)? {
        let rule = rules[index]
        guard rule.weight < URLRule.maximumExampleWeight else { return nil }
        for filling in [URLRule.Filling.shortest, .rare, .plain] {
            guard check.use(elements: rule.trialWeight) else { return nil }
            guard let text = rule.example(filling: filling).map(ExampleURL.readable) else { continue }
            if let other = other(text, by: index, of: rules, against: others) { return (text, other) }
        }
        guard automataLeft > 0, !automata.isExhausted else { return nil }
        automataLeft -= 1
        for text in rule.examples(count: 3, meter: automata) {
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

/// What becomes of the URLs that an app opened first by one rule, and that it no longer opens.
package struct Successors: Sendable, Hashable {
    package struct Share: Sendable, Hashable {
        /// The app that is asked first now; nil where none opens the URL.
        package let app: String?
        package let example: String
    }

    /// The rule as the older file has it.
    package let rule: String
    /// Whether the newer file names the app no more: all URLs of the rule are meant then, else those that it loses.
    package let isAppGone: Bool
    /// One for each app that opens some of the URLs now, and one for those that no app opens.
    package let shares: [Share]
}

/// Answers for the changes of two files, within one budget.
package struct SuccessorSearch {
    private var files: FilePair
    private let search = ProgramSearch(LanguageBudget(states: 5_000, steps: 6_000_000))
    private let check = WorkMeter(steps: 4_000_000)
    private let matching = WorkMeter(steps: 2_000_000)

    /// Of apps with the same entries; more than these are not put to one search.
    private static let maximumGroups = 12

    package init?(_ old: AppLinks?, _ new: AppLinks?) {
        // The order of an object is none.
        guard let old, let new, old.form != .dictionary, new.form != .dictionary else { return nil }
        files = FilePair(ofRealApps: old, new)
    }

    /// - Returns: nil where another app was asked before, and where the budget ends before the answer.
    package mutating func successors(of change: BehaviourChange) -> Successors? {
        guard change.from == .opens, change.to != .opens else { return nil }
        let own = files.old.rules(of: files.old.entries(of: change.appID))
        guard let index = check.firstMatch(own, change.example), !own[index].isExclusion,
            let found = try? examples(change.appID, rule: index)
        else { return nil }
        var shares: [Successors.Share] = []
        for (app, example) in found {
            // The matcher has the last word.
            guard let url = MatchableURL(example), files.new.links?.match(url, meter: matching).opens == app,
                !matching.isExhausted
            else { return nil }
            shares.append(.init(app: app, example: example))
        }
        guard !shares.isEmpty else { return nil }
        return Successors(
            rule: own[index].written(limit: 200), isAppGone: !files.new.names(change.appID),
            shares: shares.sorted { ($0.app == nil ? 1 : 0, $0.example) < ($1.app == nil ? 1 : 0, $1.example) })
    }

    /// Looks at the URLs that one rule of an app decides about in the older file and that the app does not open in the newer
    /// one: for each app that opens some of them, and for none, the first.
    private mutating func examples(
        _ app: String, rule: Int
    ) throws(LanguageBudget.Exhausted) -> [String?: String] {
        let rivals = [files.old, files.new].map { file in
            FileApps.groups(of: file.apps.lazy.filter { !$0.isExactly(app) }, by: file.entries(of:)).map(\.apps)
        }
        guard rivals.allSatisfy({ $0.count <= Self.maximumGroups }) else { throw LanguageBudget.Exhausted() }
        try files.number(search)
        func program(_ app: String, _ file: FileApps) -> [ProgramStep] {
            search.steps(of: file.numbered(file.entries(of: app)))
        }
        // The app's in both files, those of other apps in the older file, and in the newer one.
        let programs =
            [program(app, files.old), program(app, files.new)] + rivals[0].map { program($0[0], files.old) }
            + rivals[1].map { program($0[0], files.new) }
        try search.meter.spend(programs.reduce(1) { $0 + $1.count })
        let place = files.old.placesByRule(of: [app])[rule].place
        let before = rivals[0].map { files.old.placesByRule(of: $0) }
        let after = rivals[1].map { files.new.placesByRule(of: $0) }
        var found: [String?: String] = [:]
        try search.run(programs) { residuals in
            guard residuals[0].steps.contains(where: { $0.index == rule }), residuals[1].outcomes != [.opens] else {
                return false
            }
            if found[nil] == nil { return true }
            return zip(residuals.dropFirst(2 + before.count), after).contains { residual, places in
                residual.steps.contains { !$0.isExclusion && found[places[$0.index].app] == nil }
            }
        } reached: { deciders, url in
            guard let own = deciders[0], own.index == rule, LinkBehaviour(deciders[1]) != .opens else { return true }
            let wasSecond = zip(deciders.dropFirst(2), before).contains { step, places in
                step.map { !$0.isExclusion && places[$0.index].place < place } ?? false
            }
            if wasSecond { return true }
            let first = zip(deciders.dropFirst(2 + before.count), after).compactMap { step, places in
                step.flatMap { $0.isExclusion ? nil : places[$0.index] }
            }.min { $0.place < $1.place }
            if found[first?.app] == nil { found[first?.app] = ExampleURL.readable(url()) }
            return true
        }
        return found
    }
}
