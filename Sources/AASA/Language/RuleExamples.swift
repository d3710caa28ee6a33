// Short URLs that a rule matches, for messages and for samples.

extension URLRule {
    /// Different URLs that match, shortest first, as path with query and fragment; fewer where the rule matches no more.
    /// Parts that the rule does not look at are left out.
    public func examples(count: Int) -> [String] { examples(count: count, meter: WorkMeter(.example)) }

    /// The same for work that several rules share.
    func examples(count: Int, meter: WorkMeter) -> [String] {
        guard count > 0, let key = RuleKey(self), key.weight < Self.maximumExampleWeight else { return [] }
        var goal = ExampleGoal(count: count)
        let step = ProgramStep(language: 0, isExclusion: false, index: 0)
        do {
            var search = JointSearch(
                [try RuleLanguage(key, meter: meter)], programs: [[step]], states: LanguageBudget.example.states,
                visits: count, meter: meter)
            try search.run(&goal)
        } catch {
            // What was found until then are still examples.
        }
        let examples = goal.found.filter { text in MatchableURL(text).map(plainlyMatches) ?? false }
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
    static let maximumExampleWeight = 20_000

    /// A URL put together from the patterns, for rules whose automaton is too large: each wildcard as short as it may be.
    var simpleExample: String? { example(filling: .shortest).map { ExampleURL.readable($0) } }

    /// Some URLs that match: those that are put together, then those of the automaton, as far as the work lasts.
    func samples(count: Int, meter: WorkMeter) -> [String] {
        guard weight < Self.maximumExampleWeight else { return [] }
        let plain = [Filling.shortest, .rare, .plain].compactMap { example(filling: $0).map(ExampleURL.readable) }
        let found = plain + (meter.isExhausted ? [] : examples(count: count, meter: meter))
        var seen: Set<String> = []
        return found.filter { seen.insert($0).inserted }
    }

    /// Whether the rule matches, as far as a moment tells: an example that takes long is none.
    fileprivate func plainlyMatches(_ url: MatchableURL) -> Bool {
        mismatch(MatchSubject(url, meter: WorkMeter(steps: 200_000))) == nil
    }

    /// A URL for a message. One that is put together is as good as the shortest, and costs next to nothing.
    func example(meter: WorkMeter) -> String? {
        guard !meter.isExhausted, weight < Self.maximumExampleWeight else { return nil }
        for filling in [Filling.shortest, .plain] {
            meter.use(2 * trialWeight)
            if let example = example(filling: filling) { return ExampleURL.readable(example) }
        }
        return examples(count: 1, meter: meter).first
    }

    /// What stands for the wildcards of a URL that is put together.
    struct Filling {
        let run: String
        let scalar: String

        static let shortest = Filling(run: "", scalar: "a")
        /// A text that hardly another rule names.
        static let rare = Filling(run: "zq", scalar: "q")
        static let plain = Filling(run: "a", scalar: "a")
    }

    /// - Returns: nil where the URL that comes out does not match; another one may.
    func example(filling: Filling) -> String? {
        var text = path.map(filling.text) ?? "/"
        if !text.hasPrefix("/") { text = "/" + text }
        switch query {
        case .any: break
        case .whole(let pattern): text += "?" + filling.text(pattern)
        case .items(let items):
            text += "?" + items.map { "\($0.name)=\(filling.text($0.pattern))" }.joined(separator: "&")
        }
        if let fragment { text += "#" + filling.text(fragment) }
        guard let url = MatchableURL(text), plainlyMatches(url) else { return nil }
        return url.path + (url.query.isEmpty ? "" : "?" + url.query)
            + (url.fragment.isEmpty ? "" : "#" + url.fragment)
    }
}

extension URLRule.Filling {
    fileprivate func text(_ pattern: Pattern) -> String {
        var text = String.UnicodeScalarView()
        append(pattern.elements ?? [], to: &text)
        return String(text)
    }

    private func append(_ elements: [PatternElement], to text: inout String.UnicodeScalarView) {
        for element in elements {
            switch element {
            case .scalar(let scalar): text.append(scalar)
            case .anyScalar: text.append(contentsOf: scalar.unicodeScalars)
            case .anyRun: text.append(contentsOf: run.unicodeScalars)
            case .scalarClass(let scalarClass):
                if let scalar = "aA1".unicodeScalars.first(where: scalarClass.contains) { text.append(scalar) }
            case .choice(let choice): append(choice.values.first ?? [], to: &text)
            }
        }
    }
}

/// A URL of an automaton in the form that is shown.
enum ExampleURL {
    /// Without the final slash of its path, where that says the same.
    static func readable(_ text: String) -> String {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        guard path.count > 1, path.last == "/", let url = MatchableURL(text) else { return text }
        let shorter = String(path.dropLast() + text[path.endIndex...])
        return MatchableURL(shorter)?.path == url.path ? shorter : text
    }
}

/// The matcher's word on examples, for as many rules as time allows.
final class ExampleCheck {
    /// Elements of patterns that may still be tried.
    private var left: Int

    init(maximumElements: Int = 4_000_000) { left = maximumElements }

    var isExhausted: Bool { left <= 0 }

    /// The first rule of a list that matches.
    /// - Returns: nil where none does; also where the text is no URL, or the bound is reached.
    func firstMatch(_ rules: [URLRule], _ text: String) -> Int? {
        firstMatch(rules, among: rules.indices, text)
    }

    /// The first of some rules, given by their places.
    func firstMatch(_ rules: [URLRule], among places: some Sequence<Int>, _ text: String) -> Int? {
        guard spend(text.utf8.count / 8), let url = MatchableURL(text) else { return nil }
        let meter = WorkMeter(steps: Self.stepsOfElement * left)
        let subject = MatchSubject(url, meter: meter)
        for place in places {
            // Most rules are told from the text at its first characters; what more they cost, the matcher counts.
            guard spend(1) else { return nil }
            let before = meter.left
            let isMatch = rules[place].mismatch(subject) == nil
            // A long text costs more than the pattern tells.
            guard spend((before - meter.left) / Self.stepsOfElement), !meter.isExhausted else {
                left = 0
                return nil
            }
            if isMatch { return place }
        }
        return nil
    }

    /// What the matcher does in the time that an element of a pattern is counted with.
    private static let stepsOfElement = 4

    /// Counts a rule that is about to be tried.
    /// - Returns: false where the bound is reached.
    func spend(on rule: URLRule) -> Bool { spend(rule.trialWeight) }

    func spend(_ elements: Int) -> Bool {
        left -= elements
        return left > 0
    }

    /// What a list of rules makes of a URL.
    /// - Returns: nil where the bound is reached.
    func behaviour(_ rules: [URLRule], _ text: String) -> LinkBehaviour? {
        let index = firstMatch(rules, text)
        if isExhausted { return nil }
        return index.map { rules[$0].isExclusion ? .blocked : .opens } ?? .notMatched
    }
}
