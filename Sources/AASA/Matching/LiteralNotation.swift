// Rules written for a router or as regular expressions. Devices compare such a text as it stands, so that a URL that its
// author has in mind does not match.

/// A rule with a part that looks like a wildcard and is none.
public struct LiteralNotation: Sendable {
    public let rule: URLRule
    /// Such as `:id` or `[0-9]+`.
    public let part: String

    /// The part as the file has it.
    public var written: String { part.writtenAsJSON }
}

extension URLRule {
    /// The first part of the path or fragment that looks like a placeholder of a router or a regular expression.
    public var literalNotation: LiteralNotation? {
        for site in PatternSite.all(of: self) {
            if let part = RoutePlaceholder.placeholder(in: site) ?? RegularExpression.expression(in: site) {
                return LiteralNotation(rule: self, part: part)
            }
        }
        return nil
    }

    /// The rule with `*` for each segment that holds such a part.
    fileprivate func loosened(_ variables: SubstitutionVariables) -> URLRule {
        func loosened(_ pattern: Pattern, isPath: Bool) -> Pattern {
            let segments = pattern.text.split(separator: "/", omittingEmptySubsequences: false).map { segment in
                Self.isLiteral(segment) ? segment : "*"
            }
            return Pattern(segments.joined(separator: "/"), isPath: isPath, variables: variables)
        }
        return URLRule(
            form: form, isExclusion: isExclusion, path: path.map { loosened($0, isPath: true) }, query: query,
            fragment: fragment.map { loosened($0, isPath: false) }, isCaseSensitive: isCaseSensitive,
            isPercentEncoded: isPercentEncoded, pointer: pointer, node: node)
    }

    /// Whether a segment means itself.
    private static func isLiteral(_ segment: Substring) -> Bool {
        // The brackets of variables are none of a regular expression.
        let text = segment.replacing(/\$\([^()]*\)/, with: "")
        return text.first != ":" && text.last != "$" && !text.contains(".*") && !text.contains(".+")
            && !text.contains { "[](){}<>\\^|".contains($0) }
    }
}

extension MatchResult {
    /// The rules that did not match and would, were such a part of theirs a wildcard.
    public var literalNotations: [LiteralNotation] {
        attempts.compactMap { attempt in
            guard attempt.mismatch != nil, let notation = attempt.rule.literalNotation,
                attempt.rule.loosened(links.variables).matches(url)
            else { return nil }
            return notation
        }
    }
}
