// Who takes the URLs of a rule that never decides.

struct RuleShadows {
    private let rules: [URLRule]
    private let numbered: [RuleNumbering.NumberedRule]
    private let numbering: RuleNumbering
    private let ends: PathEnds
    private let states: Int
    private let meter: WorkMeter
    /// The first rule of each language, and the first that takes every URL.
    private let first: [Int32: Int]
    private let catchAll: Int?

    init(
        rules: [URLRule], numbered: [RuleNumbering.NumberedRule], numbering: RuleNumbering, ends: PathEnds, states: Int,
        meter: WorkMeter
    ) {
        self.rules = rules
        self.numbered = numbered
        self.numbering = numbering
        self.ends = ends
        self.states = states
        self.meter = meter
        let languages = numbered.enumerated().compactMap { rule in rule.element.language.map { ($0, rule.offset) } }
        first = Dictionary(languages, uniquingKeysWith: { $1 < $0 ? $1 : $0 })
        catchAll = languages.first { numbering.keys[Int($0.0)].isUnconstrained }?.1
    }

    /// About a rule that was proven never to decide.
    func verdict(on index: Int) -> RuleReach.Verdict {
        guard let language = numbered[index].language else { return .matchesNothing }
        let sole = sole(before: index, language)
        do {
            if let sole {
                return try isContained(language, in: nil) ? .matchesNothing : .shadowed(by: [rules[sole]])
            }
            let takers = try takers(of: language, before: index)
            guard !takers.isEmpty else { return .matchesNothing }
            if takers.count > 1 {
                for taker in takers where try isContained(language, in: numbered[taker].language) {
                    return .shadowed(by: [rules[taker]])
                }
            }
            return .shadowed(by: takers.map { rules[$0] })
        } catch {
            return sole.map { .shadowed(by: [rules[$0]]) } ?? .undecided
        }
    }

    /// The verdict where one URL of a rule is all that it takes. `isFree` tells where a URL may be tried.
    /// - Returns: nil where the automata are needed.
    func plainVerdict(on index: Int, _ check: inout ExampleCheck) -> RuleReach.Verdict? {
        guard let language = numbered[index].language,
            rules[index].weight < URLRule.maximumExampleWeight || numbering.keys[Int(language)].isLiteral
        else { return nil }
        guard check.spend(ends.count(meeting: index)) else { return nil }
        let sole = sole(before: index, language)
        let earlier = sole == nil ? ends.rules(meeting: index) : []
        var tried: Set<String> = []
        for filling in [URLRule.Filling.rare, .shortest, .plain] {
            guard check.spend(on: rules[index]), let url = rules[index].example(filling: filling),
                tried.insert(url).inserted, MatchableURL(url)?.isInUniverse ?? false
            else { continue }
            if let sole { return .shadowed(by: [rules[sole]]) }
            guard let taker = check.firstMatch(rules, among: earlier + [index], url) else { return nil }
            if taker == index { return .decides(example: ExampleURL.readable(url)) }
            // The rule that takes this URL takes all others, unless one before it does.
            if let other = numbered[taker].language,
                numbering.keys[Int(other)].plainlyCovers(numbering.keys[Int(language)])
            {
                return .shadowed(by: [rules[taker]])
            }
        }
        return nil
    }

    /// An equal rule, or one that takes all, is reason enough.
    private func sole(before index: Int, _ language: Int32) -> Int? {
        [first[language], catchAll].compactMap { $0 }.filter { $0 < index }.min()
    }

    /// The rules that decide about the URLs of a language, in order.
    private func takers(of language: Int32, before index: Int) throws(LanguageBudget.Exhausted) -> [Int] {
        try meter.spend(index + 1)
        let meeting = Set(ends.rules(meeting: index))
        let earlier = numbering.steps(of: Array(numbered[..<index])).filter { meeting.contains($0.index) }
        var goal = TakerGoal()
        try search(earlier, language, &goal)
        return goal.takers.sorted()
    }

    /// Whether every URL of a language is also one of the other; of nothing at all where there is no other.
    private func isContained(_ language: Int32, in other: Int32?) throws(LanguageBudget.Exhausted) -> Bool {
        var goal = ContainmentGoal()
        try search(other.map { [ProgramStep(language: $0, isExclusion: false, index: 0)] } ?? [], language, &goal)
        return goal.holds
    }

    private func search<Goal: SearchGoal>(
        _ others: [ProgramStep], _ language: Int32, _ goal: inout Goal
    ) throws(LanguageBudget.Exhausted) {
        let own = ProgramStep(language: language, isExclusion: false, index: 0)
        var search = try numbering.search([others, [own]], states: states, meter: meter)
        try search.run(&goal)
    }
}

private struct TakerGoal: SearchGoal {
    var takers: Set<Int> = []

    mutating func reduce(_ residuals: inout [Residual]) -> Bool {
        !residuals[1].steps.isEmpty && residuals[0].steps.contains { !takers.contains($0.index) }
    }

    mutating func reached(_ deciders: [ProgramStep?], url: () -> String) -> Bool {
        if deciders[1] != nil, let taker = deciders[0] { takers.insert(taker.index) }
        return true
    }
}

private struct ContainmentGoal: SearchGoal {
    var holds = true

    mutating func reduce(_ residuals: inout [Residual]) -> Bool {
        !residuals[1].steps.isEmpty && !residuals[0].isDecided
    }

    mutating func reached(_ deciders: [ProgramStep?], url: () -> String) -> Bool {
        if deciders[1] != nil, deciders[0] == nil { holds = false }
        return holds
    }
}
