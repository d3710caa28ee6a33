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
struct ExampleCheck {
    /// Elements of patterns that may still be tried.
    private var left: Int

    init(maximumElements: Int = 4_000_000) { left = maximumElements }

    var isExhausted: Bool { left <= 0 }

    /// The first rule of a list that matches.
    /// - Returns: nil where none does; also where the text is no URL, or the bound is reached.
    mutating func firstMatch(_ rules: [URLRule], _ text: String) -> Int? {
        firstMatch(rules, among: rules.indices, text)
    }

    /// The first of some rules, given by their places.
    mutating func firstMatch(_ rules: [URLRule], among places: some Sequence<Int>, _ text: String) -> Int? {
        guard let url = MatchableURL(text) else { return nil }
        let subject = MatchSubject(url)
        for place in places {
            guard spend(on: rules[place]) else { return nil }
            if rules[place].mismatch(subject) == nil { return place }
        }
        return nil
    }

    /// Counts a rule that is about to be tried.
    /// - Returns: false where the bound is reached.
    mutating func spend(on rule: URLRule) -> Bool { spend(rule.trialWeight) }

    mutating func spend(_ elements: Int) -> Bool {
        left -= elements
        return left > 0
    }

    /// What a list of rules makes of a URL.
    /// - Returns: nil where the bound is reached.
    mutating func behaviour(_ rules: [URLRule], _ text: String) -> LinkBehaviour? {
        let index = firstMatch(rules, text)
        if isExhausted { return nil }
        return index.map { rules[$0].isExclusion ? .blocked : .opens } ?? .notMatched
    }
}

extension URLRule {
    /// What it costs to look at the rule's patterns once.
    var weight: Int { sum(\.weight) }

    /// What it costs to try a URL.
    var trialWeight: Int { sum(\.trialWeight) }

    private func sum(_ weight: KeyPath<Pattern, Int>) -> Int {
        let sum = 8 + (path?[keyPath: weight] ?? 0) + (fragment?[keyPath: weight] ?? 0)
        return switch query {
        case .any: sum
        case .whole(let pattern): sum + pattern[keyPath: weight]
        case .items(let items): items.reduce(sum) { $0 + $1.key.count + $1.pattern[keyPath: weight] }
        }
    }
}
