// URLs that apps of different entries both open: which app wins is then a matter of order and of what is installed.

/// Apps of two entries that open the same URL.
public struct AppOverlap: Sendable {
    /// The apps of the one side, then those of the other.
    public var appIDs: [String] { sides.flatMap { $0 } }
    /// Shared with other overlaps: there may be thousands of apps.
    let sides: [[String]]
    /// The shortest URL that both open, as path with query and fragment.
    public let example: String
    /// The rule of each side that opens it.
    public let rules: [URLRule]
}

extension AppLinks {
    /// At most one for each pair of entries. Apps of one entry share its URLs on purpose and are not reported. Pairs
    /// beyond the budget are left out.
    public func overlaps(budget: LanguageBudget = .lint) -> [AppOverlap] {
        overlaps(budget: budget) { !AppID.isTemplate($0) }.found
    }

    /// The same among some of the apps, and whether all pairs were compared.
    func overlaps(
        budget: LanguageBudget, where isCounted: (String) -> Bool
    ) -> (found: [AppOverlap], isComplete: Bool) {
        let claims = AppClaims(self)
        var groups: [[Int]: [String]] = [:]
        var order: [[Int]] = []
        for app in claims.apps where isCounted(app) {
            let entries = claims.entries(of: app)
            if groups[entries] == nil { order.append(entries) }
            groups[entries, default: []].append(app)
        }
        let meter = WorkMeter(budget)
        var numbering = RuleNumbering()
        var numbered: [[RuleNumbering.NumberedRule]] = []
        var overlaps: [AppOverlap] = []
        var reported: Set<[Int]> = []
        let check = ExampleCheck()
        var isComplete = true
        do {
            for entry in entries { numbered.append(try numbering.numbered(entry.rules, meter: meter)) }
            let sides = try order.map { (entries) throws(LanguageBudget.Exhausted) in
                let count = entries.reduce(1) { $0 + numbered[$1].count }
                try meter.spend(count)
                try meter.take(40 * count)
                let rules = entries.flatMap { numbered[$0] }
                return Side(
                    steps: numbering.steps(of: rules),
                    origins: entries.flatMap { entry in numbered[entry].indices.map { (entry, $0) } })
            }
            for (position, left) in sides.enumerated() {
                for (offset, right) in sides[(position + 1)...].enumerated() {
                    guard let shared = try shared(left, right, numbering, states: budget.states, meter, &isComplete),
                        reported.insert(shared.origins.map(\.entry).sorted()).inserted
                    else { continue }
                    let pair = [order[position], order[position + 1 + offset]]
                    let rules = shared.origins.map { entries[$0.entry].rules[$0.rule] }
                    // The matcher has the last word.
                    let isTrue = zip(pair, rules).allSatisfy { claimed, rule in
                        guard check.spend(claimed.reduce(0) { $0 + entries[$1].rules.count }) else { return false }
                        let all = claimed.flatMap { entries[$0].rules }
                        return check.firstMatch(all, shared.url).map { all[$0].place } == rule.place
                    }
                    guard isTrue else { continue }
                    overlaps.append(
                        AppOverlap(sides: pair.map { groups[$0] ?? [] }, example: shared.url, rules: rules))
                }
            }
        } catch {
            // What was found until then is still true.
            isComplete = false
        }
        return (overlaps, isComplete && !check.isExhausted)
    }

    /// The rules of apps that the same entries name.
    private struct Side {
        let steps: [ProgramStep]
        /// For each rule, its entry and its place there.
        let origins: [(entry: Int, rule: Int)]
    }

    private func shared(
        _ left: Side, _ right: Side, _ numbering: RuleNumbering, states: Int, _ meter: WorkMeter,
        _ isComplete: inout Bool
    ) throws(LanguageBudget.Exhausted) -> (url: String, origins: [(entry: Int, rule: Int)])? {
        try meter.spend(left.steps.count + right.steps.count + 1)
        var goal = OverlapGoal(entries: [left, right].map { $0.origins.map(\.entry) })
        var search = try numbering.search([left.steps, right.steps], states: states, meter: meter)
        do {
            try search.run(&goal)
        } catch  where !meter.isExhausted {
            // Too many states for this pair; others may have few.
            isComplete = false
            return nil
        }
        guard let found = goal.found else { return nil }
        return (found.url, zip([left, right], found.steps).map { side, step in side.origins[step.index] })
    }
}

/// Looks for a URL that both sides open, by rules of different entries.
private struct OverlapGoal: SearchGoal {
    /// For each side, the entry of each rule.
    let entries: [[Int]]
    var found: (url: String, steps: [ProgramStep])?

    init(entries: [[Int]]) { self.entries = entries }

    mutating func reduce(_ residuals: inout [Residual]) -> Bool {
        residuals.allSatisfy { $0.steps.contains { !$0.isExclusion } }
    }

    mutating func reached(_ deciders: [ProgramStep?], url: () -> String) -> Bool {
        guard let left = deciders[0], let right = deciders[1], !left.isExclusion, !right.isExclusion,
            entries[0][left.index] != entries[1][right.index]
        else { return true }
        found = (ExampleURL.readable(url()), [left, right])
        return false
    }
}
