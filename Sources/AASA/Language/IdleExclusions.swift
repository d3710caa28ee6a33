// Which exclusions of an entry keep no URL from the app: no later rule would open what they take.

extension AppLinks.Entry {
    /// The exclusions of which it is proven; none where the budget does not suffice. An entry of exclusions alone opens
    /// nothing anyway, and none of its rules is named.
    func idleExclusions(_ reaches: [RuleReach], states: Int, meter: WorkMeter) -> [URLRule] {
        guard reaches.count == rules.count, !rules.allSatisfy(\.isExclusion) else { return [] }
        var numbering = RuleNumbering()
        var numbered: [RuleNumbering.NumberedRule] = []
        var check = ExampleCheck(maximumElements: 500_000)
        var idle: [URLRule] = []
        for (index, rule) in rules.enumerated() where rule.isExclusion {
            guard case .decides(let example) = reaches[index].verdict else { continue }
            let later = Array(rules.indices.dropFirst(index + 1))
            guard later.contains(where: { !rules[$0].isExclusion }) else {
                idle.append(rule)
                continue
            }
            // A URL that shows the effect is found without automata most of the time.
            func showsEffect(_ url: String?) -> Bool {
                guard let url, check.firstMatch(rules, url) == index else { return false }
                return check.firstMatch(rules, among: later, url).map { !rules[$0].isExclusion } == true
            }
            if showsEffect(example)
                || later.prefix(64).contains(where: { showsEffect(rules[$0].example(filling: .shortest)) })
            {
                continue
            }
            if check.isExhausted { return idle }
            do {
                if numbered.isEmpty { numbered = try numbering.numbered(rules, meter: meter) }
                var goal = EffectGoal(index: index)
                var search = try numbering.search(
                    [
                        numbering.steps(of: Array(numbered[...index])),
                        numbering.steps(of: Array(numbered[(index + 1)...])),
                    ], states: states, meter: meter)
                try search.run(&goal)
                if !goal.hasEffect { idle.append(rule) }
            } catch {
                // Not known; nothing is said.
                if meter.isExhausted { return idle }
            }
        }
        return idle
    }
}

/// Looks for a URL about which one rule decides, and which a later rule would open.
private struct EffectGoal: SearchGoal {
    let index: Int
    var hasEffect = false

    init(index: Int) { self.index = index }

    mutating func reduce(_ residuals: inout [Residual]) -> Bool {
        residuals[0].steps.contains { $0.index == index } && residuals[1].steps.contains { !$0.isExclusion }
    }

    mutating func reached(_ deciders: [ProgramStep?], url: () -> String) -> Bool {
        if deciders[0]?.index == index, let later = deciders[1], !later.isExclusion { hasEffect = true }
        return !hasEffect
    }
}
