// Short URLs that a rule matches, for messages and for samples.

extension URLRule {
    /// Different URLs that match, shortest first, as path with query and fragment; fewer where the rule matches no more.
    /// Parts that the rule does not look at are left out.
    public func examples(count: Int) -> [String] {
        guard count > 0, let key = RuleKey(self), key.weight < Self.maximumExampleWeight else { return [] }
        let budget = LanguageBudget.example
        var goal = ExampleGoal(count: count)
        let step = ProgramStep(language: 0, isExclusion: false, index: 0)
        do {
            var search = try JointSearch(
                [key], programs: [[step]], states: budget.states, visits: count, meter: WorkMeter(budget))
            try search.run(&goal)
        } catch {
            // What was found until then are examples all the same.
        }
        let examples = goal.found.filter { text in MatchableURL(text).map(matches) ?? false }
        return examples.isEmpty ? simpleExample.map { [$0] } ?? [] : examples
    }
}

extension LanguageBudget {
    fileprivate static let example = LanguageBudget(states: 2_000, steps: 200_000)
}

private struct ExampleGoal: SearchGoal {
    let count: Int
    var found: [String] = []

    mutating func reduce(_ residuals: inout [Residual]) -> Bool { !residuals[0].steps.isEmpty }

    mutating func reached(_ deciders: [ProgramStep?], url: () -> String) -> Bool {
        if deciders[0] != nil {
            let example = ExampleURL.readable(url())
            if !found.contains(example) { found.append(example) }
        }
        return found.count < count
    }
}

extension URLRule {
    /// Rules with more elements, values of variables included, are hostile: no example is worth their cost.
    private static let maximumExampleWeight = 20_000

    /// A URL put together from the patterns, for rules whose automaton is too large: each wildcard as short as it may be.
    var simpleExample: String? {
        var text = path.map(simpleText) ?? "/"
        if !text.hasPrefix("/") { text = "/" + text }
        switch query {
        case .any: break
        case .whole(let pattern): text += "?" + simpleText(pattern)
        case .items(let items):
            text += "?" + items.map { "\($0.name)=\(simpleText($0.pattern))" }.joined(separator: "&")
        }
        if let fragment { text += "#" + simpleText(fragment) }
        guard let url = MatchableURL(text), matches(url) else { return nil }
        return ExampleURL.readable(
            url.path + (url.query.isEmpty ? "" : "?" + url.query)
                + (url.fragment.isEmpty ? "" : "#" + url.fragment))
    }

    private func simpleText(_ pattern: Pattern) -> String { Self.simpleText(pattern.elements ?? []) }

    private static func simpleText(_ elements: [PatternElement]) -> String {
        elements.map { element in
            switch element {
            case .scalar(let scalar): String(scalar)
            case .anyScalar: "a"
            case .anyRun: ""
            case .scalarClass(let scalarClass):
                "aA1".unicodeScalars.first(where: scalarClass.contains).map { String($0) } ?? ""
            case .oneOf(let values): simpleText(values.first ?? [])
            }
        }.joined()
    }
}
