// Short URLs that a rule matches, for messages and samples.

extension URLRule {
    /// Different URLs that match, shortest first, as path with query and fragment; fewer if the rule matches fewer.
    /// Without the parts that the rule does not constrain.
    func examples(count: Int, meter: WorkMeter) -> [String] {
        guard count > 0, weight < Self.maximumExampleWeight else { return [] }
        var found: [String] = []
        do {
            let search = ProgramSearch(meter)
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
        let examples = found.filter { text in
            MatchableURL(text).map { mismatch(MatchSubject($0, meter: meter)) == nil } ?? false
        }
        return examples.isEmpty
            ? example(filling: .shortest, meter: meter).map { [ExampleURL.readable($0)] } ?? [] : examples
    }

    /// Heavier rules, values of variables included, are hostile: an example is not worth its cost.
    static let maximumExampleWeight = 20_000

    /// Some URLs that match: built from the patterns, or found by the automaton if that fails.
    func samples(count: Int, meter: WorkMeter) -> [String] {
        guard weight < Self.maximumExampleWeight else { return [] }
        let plain = [Filling.shortest, .rare, .plain].compactMap {
            example(filling: $0, meter: meter).map(ExampleURL.readable)
        }
        return plain.isEmpty && meter.allowsProof ? examples(count: count, meter: meter) : plain.uniqued
    }

    /// A URL for a message. A URL built from the patterns is as good as the shortest one, and costs almost nothing.
    func example(meter: WorkMeter) -> String? {
        guard !meter.isExhausted, weight < Self.maximumExampleWeight else { return nil }
        for filling in [Filling.shortest, .plain] {
            meter.use(2 * trialWeight)
            if let example = example(filling: filling, meter: meter) { return ExampleURL.readable(example) }
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

    /// A URL built from the patterns.
    /// - Returns: nil if this URL does not match, although another one may; also if the budget runs out.
    func example(filling: Filling, meter: WorkMeter) -> String? {
        var text = path.map(filling.text) ?? "/"
        if !text.hasPrefix("/") { text = "/" + text }
        switch query {
        case .any: break
        case .whole(let pattern): text += "?" + filling.text(pattern)
        case .items(let items):
            text += "?" + items.map { "\($0.name)=\(filling.text($0.pattern))" }.joined(separator: "&")
        }
        if let fragment { text += "#" + filling.text(fragment) }
        guard let url = MatchableURL(text), mismatch(MatchSubject(url, meter: meter)) == nil, !meter.isExhausted
        else { return nil }
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
