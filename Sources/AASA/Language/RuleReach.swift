// Which rules of an entry can ever decide, and which never do since earlier ones take all that they could match.

/// Whether one rule ever decides.
public struct RuleReach: Sendable {
    public let rule: URLRule
    public let verdict: Verdict

    public enum Verdict: Sendable {
        /// It decides about this URL, the shortest of all.
        case decides(example: String)
        /// Proven: each URL that it matches is decided by one of these, in their order.
        case shadowed(by: [URLRule])
        /// Proven: no URL matches it, whatever the other rules.
        case matchesNothing
        /// The budget did not suffice.
        case undecided
    }
}

extension AppLinks.Entry {
    /// One verdict for each rule, in their order.
    public func reach(budget: LanguageBudget = .lint) -> [RuleReach] {
        let meter = WorkMeter(budget)
        var numbering = RuleNumbering()
        var goal = ReachGoal(pending: [])
        var numbered: [RuleNumbering.NumberedRule]?
        var isProof = true
        do {
            let all = try numbering.numbered(rules, meter: meter)
            numbered = all
            let steps = numbering.steps(of: all)
            goal = ReachGoal(pending: Set(steps.map(\.index)))
            var search = try numbering.search([steps], states: budget.states, meter: meter)
            try search.run(&goal)
        } catch {
            isProof = false
        }
        let shadows = numbered.map {
            RuleShadows(rules: rules, numbered: $0, numbering: numbering, states: budget.states, meter: meter)
        }
        var check = ExampleCheck()
        var samplesLeft = 50
        return rules.indices.map { index in
            var verdict = RuleReach.Verdict.undecided
            if let example = goal.found[index] {
                if check.firstMatch(rules, example) == index { verdict = .decides(example: example) }
            } else if let shadows, isProof || !goal.pending.contains(index) {
                verdict = shadows.verdict(on: index)
            } else if samplesLeft > 0 {
                samplesLeft -= 1
                let sample = rules[index].examples(count: 3).first { check.firstMatch(rules, $0) == index }
                if let sample { verdict = .decides(example: sample) }
            }
            return RuleReach(rule: rules[index], verdict: verdict)
        }
    }
}

/// Looks for a URL for each rule about which it decides.
private struct ReachGoal: SearchGoal {
    /// The rules still without one.
    var pending: Set<Int>
    var found: [Int: String] = [:]

    init(pending: Set<Int>) { self.pending = pending }

    mutating func reduce(_ residuals: inout [Residual]) -> Bool {
        while let last = residuals[0].steps.last, !pending.contains(last.index) {
            residuals[0].steps.removeLast()
        }
        return !residuals[0].steps.isEmpty
    }

    mutating func reached(_ deciders: [ProgramStep?], url: () -> String) -> Bool {
        if let index = deciders[0]?.index, pending.remove(index) != nil { found[index] = ExampleURL.readable(url()) }
        return !pending.isEmpty
    }
}
