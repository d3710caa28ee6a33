// How a message names another place of the file: by its text and by line and column, since a line can be the whole file.

extension LintSubject {
    /// A rule with its place, such as `'/buy/*' (7:9)`.
    func name(_ rule: URLRule) -> String {
        "\(Quoted.text(RuleText.describe(rule), limit: 50)) (\(position(of: rule.node.range.lowerBound)))"
    }

    /// A few rules with their places, as the subject of a sentence without its verb.
    func names(_ rules: [URLRule]) -> String {
        guard rules.count > 1 else { return "the rule " + rules.map(name).joined() }
        let shown = rules.prefix(FindingSink.maximumRelated).map(name)
        let rest = rules.count - shown.count
        guard rest == 0 else { return "the rules \(shown.joined(separator: ", ")) and \(rest) more" }
        return "the rules \(shown.dropLast().joined(separator: ", ")) and \(shown[shown.count - 1])"
    }
}

extension FindingSink.Related {
    init(_ rule: URLRule, _ message: String) {
        self.init(range: rule.range, pointer: rule.pointer, message: message)
    }
}

extension URLRule {
    /// Where findings point: an object by its first bracket, a string as a whole.
    var range: Range<Int> { node.members == nil && node.elements == nil ? node.range : node.opening }
}
