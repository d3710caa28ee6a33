// Which app opens a URL, which rule decided, and why the earlier rules did not match, in Apple's order of evaluation.
// https://developer.apple.com/documentation/bundleresources/applinks/details/components

/// The part of a URL that a rule did not match.
public enum MismatchedPart: Sendable, Hashable {
    case path
    case query
    /// A single query item, by name.
    case queryItem(String)
    case fragment
}

/// One rule that was tried on a URL, in its entry.
public struct RuleAttempt: Sendable {
    /// The entry that contains the rule.
    public let entry: AppLinks.Entry
    /// The first part that did not match; nil: the rule matched, so it decided for this entry.
    public let mismatch: MismatchedPart?
    // An index: a match can try a thousand rules without copying any.
    let index: Int

    public var rule: URLRule { entry.rules[index] }
}

/// What a URL does for one app. A URL that does not open the app opens in the browser.
public enum LinkBehaviour: String, Codable, Sendable, Hashable, CaseIterable {
    case opens
    /// An exclusion matched first.
    case blocked
    /// No rule of the app matched.
    case notMatched = "not_matched"
}

/// The result of matching one URL against a file.
public struct MatchResult: Sendable {
    /// The app that opens the URL: the first one in file order, as Apple documents; nil if no app opens it. On iOS 15,
    /// the last one was once reported to win; `alsoOpenedBy` lists the others.
    public let opens: String?
    /// The other apps that open the URL, in file order. A device asks only the apps that are installed.
    public let alsoOpenedBy: [String]
    /// The rule that opens the URL; if there is none, the first exclusion that decided for an app; otherwise nil.
    public let deciding: RuleAttempt?
    /// All rules that were tried, in order.
    public let attempts: [RuleAttempt]
    /// Whether all relevant rules were tried. False if the file is so expensive to match that the work budget ran out.
    /// The result then ignores the remaining rules.
    public let isComplete: Bool
    let links: AppLinks
    let url: MatchableURL

    /// All apps that open the URL, in file order.
    var opening: [String] { (opens.map { [$0] } ?? []) + alsoOpenedBy }
}

extension AppLinks {
    /// Finds the apps that open a URL. In each entry, the first rule that matches decides. The host is ignored.
    public func match(_ url: MatchableURL) -> MatchResult { match(url, meter: WorkMeter(.match)) }

    /// The same, with a budget that several URLs share.
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
                // Apple does not document how several entries of one app combine. We use the first one that decides.
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

    /// What a URL does for one app. Rules beyond the work budget count as not matching; see `MatchResult.isComplete`.
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
    /// What the rule does with the URLs that it decides.
    var behaviour: LinkBehaviour { isExclusion ? .blocked : .opens }

    public func matches(_ url: MatchableURL) -> Bool { mismatch(MatchSubject(url, meter: WorkMeter(.match))) == nil }

    /// The first part that does not match, in the order path, query, fragment; nil if the rule matches.
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
                // A repeated item must match each time. A missing item counts as empty.
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

/// A rule with a part that looks like a wildcard but is not, as in routers or regular expressions. Devices compare such
/// a part literally, so the rule does not match the URLs that its author has in mind.
package struct LiteralNotation: Sendable {
    package let rule: URLRule
    /// Such as `:id` or `[0-9]+`.
    package let part: String

    /// The part as a JSON string.
    package var written: String { part.writtenAsJSON }
}

extension URLRule {
    /// The first part of the path that looks like a router placeholder or a regular expression.
    package var literalNotation: LiteralNotation? {
        PatternSite.all(of: self).lazy.compactMap(\.notation).first.map { LiteralNotation(rule: self, part: $0) }
    }

    /// The rule with `*` in place of each segment that contains such a part.
    fileprivate func withAnyVariable(_ variables: SubstitutionVariables) -> URLRule {
        func withAnyVariable(_ pattern: Pattern) -> Pattern {
            let segments = pattern.text.split(separator: "/", omittingEmptySubsequences: false).map { segment in
                Self.isLiteral(segment) ? segment : "*"
            }
            return Pattern(segments.joined(separator: "/"), isPath: true, variables: variables)
        }
        return URLRule(
            form: form, isExclusion: isExclusion, path: path.map(withAnyVariable), query: query,
            fragment: fragment, isCaseSensitive: isCaseSensitive,
            isPercentEncoded: isPercentEncoded, place: place, node: node)
    }

    /// Whether a segment contains no such notation.
    private static func isLiteral(_ segment: Substring) -> Bool {
        // Ignore variables: their parentheses are not part of a regular expression.
        let text = segment.replacing(/\$\([^()]*\)/, with: "")
        return text.first != ":" && text.last != "$" && !text.contains(".*") && !text.contains(".+")
            && !text.contains { "[](){}<>\\^|".contains($0) }
    }
}

extension MatchResult {
    /// A few are enough to show the problem.
    private static let maximumNotations = 10

    /// The first rules that did not match, but would if their literal notation were a wildcard.
    package func literalNotations(meter: WorkMeter) -> [LiteralNotation] {
        var notations: [LiteralNotation] = []
        let subject = MatchSubject(url, meter: meter)
        for attempt in attempts where attempt.mismatch != nil {
            guard let notation = attempt.rule.literalNotation, subject.meter.use(2_000 + 4 * notation.rule.weight),
                attempt.rule.withAnyVariable(links.variables).mismatch(subject) == nil
            else { continue }
            notations.append(notation)
            if notations.count == Self.maximumNotations || subject.meter.isExhausted { break }
        }
        return notations
    }
}
