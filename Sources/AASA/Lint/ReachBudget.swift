// How much of the pattern language's work one file may cost the linter. Real files lie far below; what a hostile file has
// beyond it is not judged by these questions.

enum ReachBudget {
    /// Weight of the rules of one file that are compared with each other; a usual rule weighs one.
    static let maximumWeight = 2000
    /// Entries of one file that are compared with each other.
    static let maximumEntries = 200
    /// Elementary steps over all entries, of one kind of question.
    private static let steps = 1_500_000

    /// One answer for each entry, in order; empty where it was not asked.
    static func reaches(of entries: [AppLinks.Entry]) -> [[RuleReach]] {
        let asked = entries.count { !$0.rules.isEmpty && $0.form != .everything }
        guard asked > 0 else { return entries.map { _ in [] } }
        let budget = LanguageBudget(states: LanguageBudget.lint.states, steps: max(2_000, steps / asked))
        var left = maximumWeight
        return entries.map { entry in
            guard entry.form != .everything, !entry.rules.isEmpty else { return [] }
            let weight = weight(of: entry.rules)
            guard weight <= left else { return [] }
            left -= weight
            return entry.plainReach(budget: budget)
        }
    }

    /// Whether the entries of a file are few enough to be compared with each other.
    static func coversOverlaps(of applinks: AppLinks) -> Bool {
        applinks.entries.count <= maximumEntries
            && applinks.entries.reduce(0) { $0 + weight(of: $1.rules) } <= maximumWeight
    }

    /// URLs that apps of two entries open; what can be no app's ID does not count.
    static func overlaps(of applinks: AppLinks) -> [AppOverlap] {
        guard applinks.form == .list || applinks.form == .dictionary, coversOverlaps(of: applinks) else { return [] }
        let budget = LanguageBudget(states: LanguageBudget.lint.states, steps: steps)
        return applinks.overlaps(budget: budget) { app in
            switch AppIDFault(app) {
            case nil, .example, .storeNumber: true
            default: false
            }
        }
    }

    /// The exclusions of each entry that keep no URL from the app.
    static func idleExclusions(of entries: [AppLinks.Entry], _ reaches: [[RuleReach]]) -> [URLRule] {
        // Most answers need no automata; the others may not make the linter slow.
        let budget = LanguageBudget(states: LanguageBudget.lint.states, steps: 600_000)
        let meter = WorkMeter(budget)
        return zip(entries, reaches).flatMap { entry, reaches in
            meter.isExhausted ? [] : entry.idleExclusions(reaches, states: budget.states, meter: meter)
        }
    }

    /// Patterns of many wildcards lead to many states: they weigh by the square of their number.
    static func weight(of rules: [URLRule]) -> Int {
        // A list longer than what may be asked about need not be weighed.
        guard rules.count <= maximumWeight else { return rules.count }
        return rules.reduce(0) { $0 + weight(of: $1) }
    }

    private static func weight(of rule: URLRule) -> Int {
        var wildcards = wildcards(in: rule.path) + wildcards(in: rule.fragment)
        switch rule.query {
        case .any: break
        case .whole(let pattern): wildcards += Self.wildcards(in: pattern)
        case .items(let items): wildcards += items.reduce(0) { $0 + 1 + Self.wildcards(in: $1.pattern) }
        }
        let fours = wildcards / 4
        return 1 + fours * fours
    }

    /// Variables with very many values count as several.
    private static func wildcards(in pattern: Pattern?) -> Int {
        (pattern?.elements ?? []).reduce(0) { sum, element in
            switch element {
            case .scalar: sum
            case .anyRun, .anyScalar, .scalarClass: sum + 1
            case .oneOf(let values): sum + 1 + values.count / 600
            }
        }
    }
}
