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
    /// Elements of patterns that may still be tried, values of variables included.
    private var left: Int

    init(maximumElements: Int = 4_000_000) { left = maximumElements }

    var isExhausted: Bool { left <= 0 }

    /// The first rule of a list that matches.
    /// - Returns: nil where none does; also where the text is no URL, or the bound is reached.
    mutating func firstMatch(_ rules: [URLRule], _ text: String) -> Int? {
        guard let url = MatchableURL(text) else { return nil }
        let subject = MatchSubject(url)
        for (index, rule) in rules.enumerated() {
            left -= RuleKey(rule)?.weight ?? 1
            guard left > 0 else { return nil }
            if rule.mismatch(subject) == nil { return index }
        }
        return nil
    }

    /// What a list of rules makes of a URL.
    /// - Returns: nil where the bound is reached.
    mutating func behaviour(_ rules: [URLRule], _ text: String) -> LinkBehaviour? {
        let index = firstMatch(rules, text)
        if isExhausted { return nil }
        return index.map { rules[$0].isExclusion ? .blocked : .opens } ?? .notMatched
    }
}
