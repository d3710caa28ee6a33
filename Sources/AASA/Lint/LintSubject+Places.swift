// How a message names another place of the file: by line and column, since a line can be the whole file.

extension LintSubject {
    /// A rule as the file has it, with its place, such as `{"/": "/buy/*"} (7:9)`.
    func name(_ rule: URLRule) -> String {
        "\(Quoted.escaped(rule.written, limit: 60)) (\(position(of: rule.node.range.lowerBound)))"
    }

    /// Rules by their places, such as `the exclusion at 7:11` or `the rules at 7:11 and 8:11`.
    func places(of rules: [URLRule]) -> String {
        let places = rules.prefix(FindingSink.maximumRelated).map { "\(position(of: $0.node.range.lowerBound))" }
        let noun = rules.allSatisfy(\.isExclusion) ? "exclusion" : "rule"
        guard let last = places.last, rules.count > 1 else { return "the \(noun) at \(places.joined())" }
        let rest = rules.count - places.count
        return rest > 0
            ? "the \(noun)s at \(places.joined(separator: ", ")) and \(rest) more"
            : "the \(noun)s at \(places.dropLast().joined(separator: ", ")) and \(last)"
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
