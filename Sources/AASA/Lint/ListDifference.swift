// Whether the two lists of an entry open the same URLs.

/// "components" and "paths" of one entry that open different URLs.
struct ListDifference {
    /// The member of the entry.
    let paths: JSONMember
    let pointer: String
    /// A URL that one of the two opens and the other does not.
    let example: String
    let message: String
    /// Whether the two agree apart from what only a component can say.
    let isBeyondPaths: Bool

    /// So many entries are compared exactly; the rest of a hostile file is let pass.
    private static let maximumComparisons = 10
    /// Elementary steps over all entries.
    private static let steps = 1_000_000

    static func all(of applinks: AppLinks) -> (found: [ListDifference], isComplete: Bool) {
        var comparisons = 0
        var isComplete = true
        let asked = applinks.entries.count { $0.form == .components && !$0.olderRules.isEmpty }
        let budget = LanguageBudget(
            states: LanguageBudget.lint.states, steps: steps / max(1, min(asked, maximumComparisons)))
        let found = applinks.entries.compactMap { entry -> ListDifference? in
            guard entry.form == .components, let paths = entry.node.member("paths"), paths.value.elements != nil else {
                return nil
            }
            guard comparisons < maximumComparisons,
                ReachBudget.weight(of: entry.rules) + ReachBudget.weight(of: entry.olderRules)
                    <= ReachBudget.maximumWeight
            else {
                isComplete = false
                return nil
            }
            comparisons += 1
            func alone(_ rules: [URLRule]) -> AppLinks { applinks.with([entry.with(appIDs: ["app"], rules)]) }
            let answer = difference(alone(entry.olderRules), alone(entry.rules), budget)
            guard let change = answer.example else {
                if !answer.isProof { isComplete = false }
                return nil
            }
            let isBeyondPaths = [true, false].contains { keepsInclusions in
                guard let rules = asPaths(entry, in: applinks, keepsInclusions: keepsInclusions) else { return false }
                let rest = difference(alone(entry.olderRules), alone(rules), budget)
                return rest.example == nil && rest.isProof
            }
            return ListDifference(
                paths: paths, pointer: entry.pointer + "/paths", example: change.example,
                message: "iOS 12 and older read these paths and not \"components\", and the two differ: "
                    + "\(Quoted.escaped(change.example)) is \(words(change.from)) by \"paths\" and \(words(change.to)) by "
                    + "\"components\"", isBeyondPaths: isBeyondPaths)
        }
        return (found, isComplete)
    }

    /// A URL that the one opens and the other does not, or a proof that there is none. Most lists that differ do so for a
    /// URL of one rule, and need no automata.
    private static func difference(
        _ older: AppLinks, _ modern: AppLinks, _ budget: LanguageBudget
    ) -> (example: BehaviourChange?, isProof: Bool) {
        let rules = [older, modern].map { $0.entries.flatMap(\.rules) }
        var search = RuleChangeSearch(steps: 2_000_000, automata: 0)
        if let found = search.changes(from: rules[0], to: rules[1], besides: []).first {
            return (BehaviourChange(appID: "app", from: found.from, to: found.to, example: found.example), true)
        }
        let comparison = BehaviourDiff.compare(older, modern, budget: budget)
        return (comparison.changes.first(where: \.isSeenOnPhone), comparison.isComplete)
    }

    /// The components as far as paths can say it: exclusions that need more are left out; so are inclusions, or they lose
    /// what is more.
    /// - Returns: nil where none says more.
    private static func asPaths(
        _ entry: AppLinks.Entry, in applinks: AppLinks, keepsInclusions: Bool
    ) -> [URLRule]? {
        let compiler = PatternCompiler(applinks.variables)
        let settings = applinks.settings(of: entry, compiler)
        var saysMore = false
        let rules = entry.rules.compactMap { rule -> URLRule? in
            let members = rule.node.members ?? []
            let plain = members.filter { ["/", "exclude", "comment"].contains($0.name) }
            if plain.count == members.count { return rule }
            saysMore = true
            guard !rule.isExclusion, keepsInclusions else { return nil }
            let node = JSONNode(value: .object(plain), range: rule.node.range)
            return URLRule(component: node, defaults: settings, compiler, place: rule.place)
        }
        return saysMore ? rules : nil
    }

    private static func words(_ behaviour: LinkBehaviour) -> String {
        switch behaviour {
        case .opens: "opened"
        case .blocked: "excluded"
        case .notMatched: "not matched"
        }
    }
}
