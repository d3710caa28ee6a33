// Which app opens a URL, which rule decided, and why each earlier rule did not: in Apple's order of evaluation.
// https://developer.apple.com/documentation/bundleresources/applinks/details/components

/// The part of a URL that kept a rule from matching.
public enum MismatchedPart: Sendable, Hashable {
    case path
    case query
    /// A single item of the query, by its name.
    case queryItem(String)
    case fragment
}

/// One rule that was tried on a URL.
public struct RuleAttempt: Sendable {
    public let entry: AppLinks.Entry
    /// nil: the rule matched, and decided.
    public let mismatch: MismatchedPart?
    // The entry stands for the rule: a match of a thousand rules copies none.
    let index: Int

    public var rule: URLRule { entry.rules[index] }
}

/// What a URL does for one app.
public enum LinkBehaviour: String, Codable, Sendable, Hashable, CaseIterable {
    case opens
    /// An exclusion decided.
    case blocked
    case notMatched = "not_matched"
}

/// What a file says about one URL.
public struct MatchResult: Sendable {
    /// The app that opens it: the first in the order of the file, as documented. Apple's own order was once reported to be
    /// the reverse (iOS 15); `alsoOpenedBy` tells where that would matter.
    public let opens: String?
    public let alsoOpenedBy: [String]
    /// The rule that opens the URL; where none does, the first exclusion that matched.
    public let deciding: RuleAttempt?
    /// All that were tried, in order.
    public let attempts: [RuleAttempt]
    /// Whether all rules that count were tried. Where the file is made so that trying them costs too much, the rest is left
    /// out, and what it would have decided is not known.
    public let isComplete: Bool
    let links: AppLinks
    let url: MatchableURL

    /// All apps that open the URL, in order.
    var opening: [String] { (opens.map { [$0] } ?? []) + alsoOpenedBy }
}

extension AppLinks {
    public func match(_ url: MatchableURL) -> MatchResult { match(url, meter: WorkMeter(.match)) }

    /// The same for work that several URLs share.
    package func match(_ url: MatchableURL, meter: WorkMeter) -> MatchResult {
        let subject = MatchSubject(url, meter: meter)
        var attempts: [RuleAttempt] = []
        var decided: Set<ExactText> = []
        var opening: [String] = []
        var deciding: RuleAttempt?
        search: for entry in entries {
            attempts.reserveCapacity(min(attempts.count + entry.rules.count, 4096))
            for index in entry.rules.indices {
                let attempt = RuleAttempt(entry: entry, mismatch: entry.rules[index].mismatch(subject), index: index)
                if meter.isExhausted { break search }
                attempts.append(attempt)
                guard attempt.mismatch == nil else { continue }
                let isExclusion = entry.rules[index].isExclusion
                // How several entries of one app play together is not documented: the first that decides is taken.
                let apps = entry.appIDs.filter { !AppID.isTemplate($0) && decided.insert(ExactText($0)).inserted }
                if isExclusion {
                    if deciding == nil, !apps.isEmpty { deciding = attempt }
                } else if !apps.isEmpty {
                    if opening.isEmpty { deciding = attempt }
                    opening += apps
                }
                break
            }
        }
        return MatchResult(
            opens: opening.first, alsoOpenedBy: Array(opening.dropFirst()), deciding: deciding, attempts: attempts,
            isComplete: !meter.isExhausted, links: self, url: url)
    }

    /// What a URL does for one app. Rules that `match` does not come to count as if they did not match.
    public func behaviour(of url: MatchableURL, for appID: String) -> LinkBehaviour {
        if AppID.isTemplate(appID) { return .notMatched }
        let subject = MatchSubject(url, meter: WorkMeter(.match))
        for entry in entries where entry.appIDs.containsExactly(appID) {
            let behaviour = entry.behaviour(of: subject)
            if behaviour != .notMatched { return behaviour }
        }
        return .notMatched
    }
}

extension AppLinks.Entry {
    func behaviour(of subject: MatchSubject) -> LinkBehaviour {
        for index in rules.indices {
            let isMatch = rules[index].mismatch(subject) == nil
            if subject.meter.isExhausted { break }
            if isMatch { return rules[index].behaviour }
        }
        return .notMatched
    }
}

extension URLRule {
    /// What it makes of the URLs that it decides about.
    var behaviour: LinkBehaviour { isExclusion ? .blocked : .opens }

    public func matches(_ url: MatchableURL) -> Bool { mismatch(MatchSubject(url, meter: WorkMeter(.match))) == nil }

    /// The first part that does not match, in the order path, query, fragment; nil where the rule matches.
    func mismatch(_ subject: MatchSubject) -> MismatchedPart? {
        let parts = isPercentEncoded ? subject.encoded : subject.decoded
        let meter = subject.meter
        meter.use(1)
        if let path, !path.matches(parts.path, isCaseSensitive: isCaseSensitive, meter) { return .path }
        switch query {
        case .any: break
        case .whole(let pattern):
            guard pattern.matches(parts.query, isCaseSensitive: isCaseSensitive, meter) else { return .query }
        case .items(let items):
            for item in items.constrained {
                // An item that repeats must match each time; one that is missing is empty.
                meter.use(1 + item.key.count / 8)
                guard
                    parts.values(of: item).allSatisfy({
                        item.pattern.matches($0, isCaseSensitive: isCaseSensitive, meter)
                    })
                else { return .queryItem(item.name) }
            }
        }
        if let fragment, !fragment.matches(parts.fragment, isCaseSensitive: isCaseSensitive, meter) { return .fragment }
        return nil
    }
}

/// A rule with a part that looks like a wildcard and is none: written for a router or as a regular expression. Devices
/// compare such a text as it stands, so that a URL that its author has in mind does not match.
package struct LiteralNotation: Sendable {
    package let rule: URLRule
    /// Such as `:id` or `[0-9]+`.
    package let part: String

    /// The part as the file has it.
    package var written: String { part.writtenAsJSON }
}

extension URLRule {
    /// The first part of the path that looks like a placeholder of a router or a regular expression.
    package var literalNotation: LiteralNotation? {
        PatternSite.all(of: self).lazy.compactMap(\.notation).first.map { LiteralNotation(rule: self, part: $0) }
    }

    /// The rule with `*` for each segment that holds such a part.
    fileprivate func loosened(_ variables: SubstitutionVariables) -> URLRule {
        func loosened(_ pattern: Pattern) -> Pattern {
            let segments = pattern.text.split(separator: "/", omittingEmptySubsequences: false).map { segment in
                Self.isLiteral(segment) ? segment : "*"
            }
            return Pattern(segments.joined(separator: "/"), isPath: true, variables: variables)
        }
        return URLRule(
            form: form, isExclusion: isExclusion, path: path.map(loosened), query: query,
            fragment: fragment, isCaseSensitive: isCaseSensitive,
            isPercentEncoded: isPercentEncoded, place: place, node: node)
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
    /// More are not looked for: the first ones tell what is wrong.
    private static let maximumNotations = 10

    /// The first rules that did not match and would, were such a part of theirs a wildcard.
    package func literalNotations(meter: WorkMeter) -> [LiteralNotation] {
        var notations: [LiteralNotation] = []
        let subject = MatchSubject(url, meter: meter)
        for attempt in attempts where attempt.mismatch != nil {
            guard let notation = attempt.rule.literalNotation, subject.meter.use(2_000 + 4 * notation.rule.weight),
                attempt.rule.loosened(links.variables).mismatch(subject) == nil
            else { continue }
            notations.append(notation)
            if notations.count == Self.maximumNotations || subject.meter.isExhausted { break }
        }
        return notations
    }
}
