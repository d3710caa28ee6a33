// Who opens the URLs of a rule where its app ceases to: an app behind it, for all of them or for some, or the website. One URL
// shows what happens to it alone; here the question is put for all URLs.

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
    private let old: FileApps
    private let new: FileApps
    private let meter = WorkMeter(LanguageBudget(states: SuccessorSearch.states, steps: 6_000_000))
    private let check = ExampleCheck(maximumElements: 1_000_000)
    private let matching = WorkMeter(steps: 2_000_000)
    private var numbering = RuleNumbering()
    private var rules: (old: [[RuleNumbering.NumberedRule]], new: [[RuleNumbering.NumberedRule]])?

    private static let states = 5_000
    /// Of apps with the same entries; more than these are not put to one search.
    private static let maximumGroups = 12

    package init?(_ old: AppLinks?, _ new: AppLinks?) {
        // The order of an object is none.
        guard let old, let new, old.form != .dictionary, new.form != .dictionary else { return nil }
        self.old = FileApps(old)
        self.new = FileApps(new)
    }

    /// - Returns: nil where another app was asked before, and where the budget ends before the answer.
    package mutating func successors(of change: BehaviourChange) -> Successors? {
        guard change.from == .opens, change.to != .opens else { return nil }
        let entries = old.claims.entries(of: change.appID)
        let own = entries.flatMap { old.links.entries[$0].rules }
        guard let index = check.firstMatch(own, change.example), !own[index].isExclusion,
            let goal = try? search(change.appID, rule: index)
        else { return nil }
        var shares: [Successors.Share] = []
        for (app, example) in goal.found {
            // The matcher has the last word.
            guard let url = MatchableURL(example), new.links.match(url, meter: matching).opens == app.app,
                !matching.isExhausted
            else { return nil }
            shares.append(.init(app: app.app, example: example))
        }
        guard !shares.isEmpty else { return nil }
        return Successors(
            rule: own[index].written(limit: 200), isAppGone: !new.claims.names(change.appID),
            shares: shares.sorted { ($0.app == nil ? 1 : 0, $0.example) < ($1.app == nil ? 1 : 0, $1.example) })
    }

    private mutating func search(_ app: String, rule: Int) throws(LanguageBudget.Exhausted) -> SuccessorGoal {
        let rivals = [old.groups(besides: app), new.groups(besides: app)]
        guard rivals.allSatisfy({ $0.count <= Self.maximumGroups }) else { throw LanguageBudget.Exhausted() }
        let numbered = try numberedRules()
        func program(_ entries: [Int], _ rules: [[RuleNumbering.NumberedRule]]) -> [ProgramStep] {
            numbering.steps(of: entries.flatMap { rules[$0] })
        }
        let entries = (old.claims.entries(of: app), new.claims.entries(of: app))
        let programs =
            [program(entries.0, numbered.old), program(entries.1, numbered.new)]
            + rivals[0].map { program($0.entries, numbered.old) } + rivals[1].map { program($0.entries, numbered.new) }
        try meter.spend(programs.reduce(1) { $0 + $1.count })
        var goal = SuccessorGoal(
            rule: rule, place: old.places(of: [app], in: entries.0)[rule].place,
            before: rivals[0].map { old.places(of: $0.apps, in: $0.entries) },
            after: rivals[1].map { new.places(of: $0.apps, in: $0.entries) })
        var search = try numbering.search(programs, states: Self.states, meter: meter)
        try search.run(&goal)
        return goal
    }

    private mutating func numberedRules() throws(LanguageBudget.Exhausted) -> (
        old: [[RuleNumbering.NumberedRule]], new: [[RuleNumbering.NumberedRule]]
    ) {
        if let rules { return rules }
        let sides = (
            old: try numbering.numbered(old.links.entries, meter: meter),
            new: try numbering.numbered(new.links.entries, meter: meter)
        )
        rules = sides
        return sides
    }
}

/// The apps of one file and their places in it.
private struct FileApps {
    let links: AppLinks
    let claims: AppClaims

    /// Apps that the same entries name.
    struct Group {
        let entries: [Int]
        let apps: [String]
    }

    /// An app with its place by the rule that decides; the smaller is asked first.
    struct Place {
        let app: String
        let place: Int
    }

    init(_ links: AppLinks) {
        self.links = links
        claims = AppClaims(ofRealApps: links)
    }

    func groups(besides app: String) -> [Group] {
        AppClaims.groups(of: claims.apps.lazy.filter { !$0.isExactly(app) }, by: claims.entries(of:))
            .map { Group(entries: $0.key, apps: $0.apps) }
    }

    /// For each rule of some entries, which of the apps is asked first.
    func places(of apps: [String], in entries: [Int]) -> [Place] {
        let own = Set(apps.map(ExactText.init(_:)))
        return entries.flatMap { number -> [Place] in
            let entry = links.entries[number]
            let rank = entry.appIDs.firstIndex { own.contains(ExactText($0)) } ?? 0
            let app = entry.appIDs.indices.contains(rank) ? entry.appIDs[rank] : ""
            return entry.rules.map { _ in Place(app: app, place: number << 32 | rank) }
        }
    }
}

/// Looks at the URLs that one rule of an app decides about in the older file and that the app does not open in the newer one.
/// The programs: the app's in both files, those of other apps in the older file, and in the newer one.
private struct SuccessorGoal: SearchGoal {
    let rule: Int
    /// The app's, by the rule.
    let place: Int
    let before: [[FileApps.Place]]
    let after: [[FileApps.Place]]
    var found: [Successor: String] = [:]

    /// nil: no app opens the URL.
    struct Successor: Hashable {
        let app: String?
    }

    init(rule: Int, place: Int, before: [[FileApps.Place]], after: [[FileApps.Place]]) {
        self.rule = rule
        self.place = place
        self.before = before
        self.after = after
    }

    mutating func reduce(_ residuals: inout [Residual]) -> Bool {
        guard residuals[0].steps.contains(where: { $0.index == rule }), residuals[1].outcomes != [.opens] else {
            return false
        }
        if found[Successor(app: nil)] == nil { return true }
        return zip(residuals.dropFirst(2 + before.count), after).contains { residual, places in
            residual.steps.contains { !$0.isExclusion && found[Successor(app: places[$0.index].app)] == nil }
        }
    }

    mutating func reached(_ deciders: [ProgramStep?], url: () -> String) -> Bool {
        guard let own = deciders[0], own.index == rule, LinkBehaviour(deciders[1]) != .opens else { return true }
        let wasSecond = zip(deciders.dropFirst(2), before).contains { step, places in
            step.map { !$0.isExclusion && places[$0.index].place < place } ?? false
        }
        if wasSecond { return true }
        let first = zip(deciders.dropFirst(2 + before.count), after).compactMap { step, places in
            step.flatMap { $0.isExclusion ? nil : places[$0.index] }
        }.min { $0.place < $1.place }
        let successor = Successor(app: first?.app)
        if found[successor] == nil { found[successor] = ExampleURL.readable(url()) }
        return true
    }
}
