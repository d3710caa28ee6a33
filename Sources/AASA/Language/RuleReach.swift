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
    public func reach(budget: LanguageBudget = .lint) -> [RuleReach] { reach(budget, isShortest: true) }

    /// The same verdicts for less work: an example is some URL that the rule decides about, not the shortest one.
    func plainReach(budget: LanguageBudget) -> [RuleReach] { reach(budget, isShortest: false) }

    private func reach(_ budget: LanguageBudget, isShortest: Bool) -> [RuleReach] {
        let meter = WorkMeter(budget)
        var numbering = RuleNumbering()
        var goal = ReachGoal(pending: [])
        var shadows: RuleShadows?
        var verdicts: [RuleReach.Verdict?] = rules.map { _ in nil }
        var isProof = true
        do {
            let numbered = try numbering.numbered(rules, meter: meter)
            let ends = PathEnds(numbered.map { rule in rule.language.map { numbering.keys[Int($0)] } })
            let judge = RuleShadows(
                rules: rules, numbered: numbered, numbering: numbering, ends: ends, states: budget.states, meter: meter)
            shadows = judge
            if !isShortest {
                var check = ExampleCheck(maximumElements: 2_000_000)
                for index in rules.indices { verdicts[index] = judge.plainVerdict(on: index, &check) }
            }
            let steps = numbering.steps(of: numbered)
            goal = ReachGoal(pending: Set(steps.map(\.index).filter { verdicts[$0] == nil }))
            // A rule that shares no URL with one that is asked about says nothing about it.
            let meeting = goal.pending.reduce(0) { $0 + ends.count(meeting: $1) }
            // Where most meet most, looking for the others costs more than it saves.
            let asked =
                meeting > 64 * rules.count
                ? Set(rules.indices) : goal.pending.union(goal.pending.flatMap(ends.rules))
            if !asked.isEmpty {
                var search = try numbering.search(
                    [steps.filter { asked.contains($0.index) }], states: budget.states, meter: meter)
                try search.run(&goal)
            }
        } catch {
            isProof = false
        }
        var check = ExampleCheck()
        var samplesLeft = 50
        // Where there is no proof, a sample that a rule decides about shows as much; the proof's work is not done twice.
        let sampling = WorkMeter(LanguageBudget(states: budget.states, steps: min(budget.steps, 600_000)))
        return rules.indices.map { index in
            var verdict = verdicts[index] ?? .undecided
            if verdicts[index] != nil {
                // Told already.
            } else if let example = goal.found[index] {
                if check.firstMatch(rules, example) == index { verdict = .decides(example: example) }
            } else if let shadows, isProof || !goal.pending.contains(index) {
                verdict = shadows.verdict(on: index)
            } else if samplesLeft > 0, !sampling.isExhausted {
                samplesLeft -= 1
                let sample = rules[index].examples(count: 3, meter: sampling).first {
                    check.firstMatch(rules, $0) == index
                }
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
