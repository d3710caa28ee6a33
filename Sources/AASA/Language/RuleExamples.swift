// Short URLs that a rule matches, for messages and samples.

extension URLRule {
    /// Different URLs that the rule matches, shortest first, as path with query and fragment. Fewer than `count` if the
    /// rule matches fewer. Omits parts that the rule does not constrain.
    package func examples(count: Int) -> [String] { examples(count: count, meter: WorkMeter(steps: 200_000)) }

    /// The same, with a budget that several rules share.
    func examples(count: Int, meter: WorkMeter) -> [String] {
        guard count > 0, weight < Self.maximumExampleWeight else { return [] }
        var found: [String] = []
        do {
            let search = ProgramSearch(meter, states: 2_000)
            let steps = search.steps(of: try search.numbered([self]))
            try search.run([steps], visits: count) {
                !$0[0].steps.isEmpty
            } reached: { deciders, url in
                if deciders[0] != nil {
                    let example = ExampleURL.readable(url())
                    if !found.contains(example) { found.append(example) }
                }
                return found.count < count
            }
        } catch {
            // The URLs found so far are still examples.
        }
        let examples = found.filter { text in MatchableURL(text).map(plainlyMatches) ?? false }
        return examples.isEmpty ? simpleExample.map { [$0] } ?? [] : examples
    }

    /// Heavier rules, values of variables included, are hostile: an example is not worth its cost.
    static let maximumExampleWeight = 20_000

    /// A URL built from the patterns, with each wildcard as short as possible, for rules whose automaton is too large.
    var simpleExample: String? { example(filling: .shortest).map { ExampleURL.readable($0) } }

    /// Some URLs that match: first those built from the patterns, then those of the automaton, while the budget lasts.
    func samples(count: Int, meter: WorkMeter) -> [String] {
        guard weight < Self.maximumExampleWeight else { return [] }
        let plain = [Filling.shortest, .rare, .plain].compactMap { example(filling: $0).map(ExampleURL.readable) }
        return (plain + (meter.isExhausted ? [] : examples(count: count, meter: meter))).uniqued
    }

    /// Whether the rule matches within a small budget. An example that takes longer is not used.
    fileprivate func plainlyMatches(_ url: MatchableURL) -> Bool {
        mismatch(MatchSubject(url, meter: WorkMeter(steps: 200_000))) == nil
    }

    /// A URL for a message. A URL built from the patterns is as good as the shortest one, and costs almost nothing.
    func example(meter: WorkMeter) -> String? {
        guard !meter.isExhausted, weight < Self.maximumExampleWeight else { return nil }
        for filling in [Filling.shortest, .plain] {
            meter.use(2 * trialWeight)
            if let example = example(filling: filling) { return ExampleURL.readable(example) }
        }
        return examples(count: 1, meter: meter).first
    }

    /// The replacements for wildcards in a URL that is built from the patterns.
    struct Filling {
        let run: String
        let scalar: String

        static let shortest = Filling(run: "", scalar: "a")
        /// A text that other rules rarely contain.
        static let rare = Filling(run: "zq", scalar: "q")
        static let plain = Filling(run: "a", scalar: "a")
    }

    /// - Returns: nil if the built URL does not match; another filling may succeed.
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

/// A URL from an automaton, in the form that messages show.
enum ExampleURL {
    /// Drops the final slash of the path if the URL stays equivalent.
    static func readable(_ text: String) -> String {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        guard path.count > 1, path.last == "/", let url = MatchableURL(text) else { return text }
        let shorter = String(path.dropLast() + text[path.endIndex...])
        return MatchableURL(shorter)?.path == url.path ? shorter : text
    }
}

/// Checks examples with the matcher, for as many rules as the budget allows.
extension WorkMeter {
    /// Charges for pattern elements, at the matcher's cost for each.
    /// - Returns: false if the budget runs out.
    @discardableResult
    func use(elements: Int) -> Bool { use(4 * elements) }

    /// The first rule that matches, among the rules at some places of a list.
    /// - Returns: nil if none matches, if the text is not a URL, or if the budget runs out.
    func firstMatch(_ rules: [URLRule], among places: some Sequence<Int>, _ text: String) -> Int? {
        guard use(elements: text.utf8.count / 8), let url = MatchableURL(text) else { return nil }
        let subject = MatchSubject(url, meter: self)
        for place in places {
            // Most rules fail at the first characters of the text. The matcher charges for more.
            guard use(elements: 1) else { return nil }
            let isMatch = rules[place].mismatch(subject) == nil
            if isExhausted { return nil }
            if isMatch { return place }
        }
        return nil
    }

    func firstMatch(_ rules: [URLRule], _ text: String) -> Int? { firstMatch(rules, among: rules.indices, text) }

    /// What a list of rules does with a URL.
    /// - Returns: nil if the budget runs out.
    func behaviour(_ rules: [URLRule], _ text: String) -> LinkBehaviour? {
        let index = firstMatch(rules, text)
        return isExhausted ? nil : index.map { rules[$0].behaviour } ?? .notMatched
    }
}
