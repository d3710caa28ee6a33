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
            let older = alone(entry, "paths", paths.value, in: applinks)
            let components = entry.node["components"]
            guard let components else { return nil }
            let answer = difference(older, alone(entry, "components", components, in: applinks), budget)
            guard let change = answer.example else {
                if !answer.isProof { isComplete = false }
                return nil
            }
            let isBeyondPaths = [true, false].contains { keepsInclusions in
                let list = asPaths(components, keepsInclusions: keepsInclusions)
                guard list != components else { return false }
                let rest = difference(older, alone(entry, "components", list, in: applinks), budget)
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
    private static func asPaths(_ components: JSONNode, keepsInclusions: Bool) -> JSONNode {
        let elements = (components.elements ?? []).compactMap { component -> JSONNode? in
            guard let members = component.members else { return component }
            let plain = members.filter { ["/", "exclude", "comment"].contains($0.name) }
            if plain.count == members.count { return component }
            let isExclusion = component["exclude"].map(LenientBoolean.read) ?? false
            return isExclusion || !keepsInclusions ? nil : JSONNode(value: .object(plain), range: component.range)
        }
        return JSONNode(value: .array(elements), range: components.range)
    }

    /// A file in which one app has one list of the entry.
    private static func alone(
        _ entry: AppLinks.Entry, _ key: String, _ list: JSONNode, in applinks: AppLinks
    ) -> AppLinks {
        func member(_ key: String, _ value: JSONNode) -> JSONMember {
            JSONMember(key: key, keyRange: entry.node.range, value: value)
        }
        func node(_ value: JSONValue) -> JSONNode { JSONNode(value: value, range: entry.node.range) }
        let defaults = (entry.node.members ?? []).filter { $0.key == "defaults" }
        let app = member("appID", node(.string("app")))
        let details = member("details", node(.array([node(.object(defaults + [member(key, list), app]))])))
        let context = (applinks.node.members ?? []).filter { ["defaults", "substitutionVariables"].contains($0.name) }
        return AppLinks(node(.object(context + [details])))
    }

    private static func words(_ behaviour: LinkBehaviour) -> String {
        switch behaviour {
        case .opens: "opened"
        case .blocked: "excluded"
        case .notMatched: "not matched"
        }
    }
}
