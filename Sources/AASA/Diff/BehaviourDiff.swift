// Compares what phones do with two files: for each app, whether any URL changes between opens, blocked and not matched.

/// A change of what URLs do for one app, with one of the URLs as an example.
public struct BehaviourChange: Codable, Sendable, Hashable {
    public let appID: String
    /// What the example does with the older file.
    public let from: LinkBehaviour
    /// What the example does with the newer file.
    public let to: LinkBehaviour
    /// A short URL that shows the change, as path with query and fragment, such as `/buy/a?x=1`.
    public let example: String

    /// Whether a phone behaves differently. Safari opens both blocked URLs and URLs that no rule matches.
    package var isSeenOnPhone: Bool { (from == .opens) != (to == .opens) }

    package init(appID: String, from: LinkBehaviour, to: LinkBehaviour, example: String) {
        self.appID = appID
        self.from = from
        self.to = to
        self.example = example
    }

    private enum CodingKeys: String, CodingKey {
        case appID = "app"
        case from, to, example
    }
}

/// The differences in what phones do with two files.
public struct BehaviourComparison: Sendable, Hashable {
    /// At most one for each app and pair of behaviours: first the newer file's apps in order, then the removed ones.
    public let changes: [BehaviourChange]
    /// Whether it is proven that no other kind of change exists. If false, samples of URLs were compared for some apps.
    public var isComplete: Bool { incompleteApps.isEmpty }
    /// The apps for which the work budget was too small for a proof.
    public let incompleteApps: [String]

    /// The result for two equal files, without a comparison.
    package static let ofEqualFiles = BehaviourComparison(changes: [], incompleteApps: [])
}

/// Compares which URLs open which apps. The search covers all URLs, within a work budget.
public enum BehaviourDiff {
    /// The changes from `old` to `new`. nil is a file without applinks, which matches nothing.
    public static func compare(_ old: AppLinks?, _ new: AppLinks?) -> BehaviourComparison {
        compare(old, new, meter: WorkMeter(.standard))
    }

    /// `meter`: the budget, which may be shared with other work.
    package static func compare(_ old: AppLinks?, _ new: AppLinks?, meter: WorkMeter) -> BehaviourComparison {
        let files = FilePair(ofRealApps: old, new)
        var comparing = ProgramComparing(files, meter)
        var answers: [[[Int]]: ProgramComparing.Answer] = [:]
        var changes: [BehaviourChange] = []
        var incomplete: [String] = []
        for app in files.apps {
            let claims = files.claims(of: app)
            let answer = answers[claims] ?? comparing.compare(claims)
            answers[claims] = answer
            changes += answer.changes(of: app)
            if !answer.isComplete { incomplete.append(app) }
        }
        return BehaviourComparison(changes: changes, incompleteApps: incomplete)
    }
}

/// Compares two lists of rules over all URLs: by a search, and by samples if the budget runs out.
struct ProgramComparing {
    struct Answer {
        var found: [(pair: BehaviourPair, example: String)] = []
        let isComplete: Bool

        func changes(of app: String) -> [BehaviourChange] {
            found.map { BehaviourChange(appID: app, from: $0.pair.from, to: $0.pair.to, example: $0.example) }
        }
    }

    private var files: FilePair
    private let search: ProgramSearch
    /// Whether the budget was enough to number all rules of the files.
    private let isNumbered: Bool
    private let meter: WorkMeter
    /// How many more rules may be sampled if there is no proof.
    private var samplesLeft = 200

    init(_ files: FilePair, _ meter: WorkMeter) {
        self.files = files
        self.meter = meter
        search = ProgramSearch(meter)
        isNumbered = (try? self.files.number(search)) != nil
    }

    /// Compares the rules for an app that these entries of the two files name.
    mutating func compare(_ claims: [[Int]]) -> Answer {
        var differences: [BehaviourPair: String] = [:]
        var isProof = true
        do {
            try search(claims, &differences)
        } catch {
            isProof = false
        }
        if differences.isEmpty, isProof { return Answer(isComplete: true) }
        guard meter.use(elements: 8 * files.ruleCount(of: claims)), samplesLeft > 0 || !differences.isEmpty else {
            return Answer(isComplete: false)
        }
        let (old, new) = (files.old.rules(of: claims[0]), files.new.rules(of: claims[1]))
        // The matcher confirms each example.
        var found: [BehaviourPair: String] = [:]
        for (pair, url) in differences {
            if behaviours(old, new, url) == pair { found[pair] = url } else { isProof = false }
        }
        if !isProof {
            for (pair, url) in samples(old, new) where found[pair] == nil { found[pair] = url }
        }
        return Answer(
            found: found.sorted { $0.key < $1.key }.map { (pair: $0.key, example: $0.value) }, isComplete: isProof)
    }

    /// Searches for one URL for each change of behaviour. Equal rules need no search.
    private func search(
        _ claims: [[Int]], _ found: inout [BehaviourPair: String]
    ) throws(LanguageBudget.Exhausted) {
        guard isNumbered else { throw LanguageBudget.Exhausted() }
        try search.meter.spend(2 + files.ruleCount(of: claims))
        let rules = [files.old.numbered(claims[0]), files.new.numbered(claims[1])]
        if rules[0] == rules[1] { return }
        let programs = rules.map { search.steps(of: $0) }
        if programs[0].elementsEqual(programs[1], by: { $0.decidesLike($1) }) { return }
        try search.run(programs) { remainders in
            for index in remainders.indices { remainders[index].dropRedundantEnd() }
            let (old, new) = (remainders[0], remainders[1])
            if old.decidesLike(new) { return false }
            let (before, after) = (old.outcomes, new.outcomes)
            return before.contains { from in
                after.contains { to in from != to && found[BehaviourPair(from: from, to: to)] == nil }
            }
        } reached: { deciders, url in
            let pair = BehaviourPair(from: LinkBehaviour(deciders[0]), to: LinkBehaviour(deciders[1]))
            if pair.from != pair.to, found[pair] == nil { found[pair] = ExampleURL.readable(url()) }
            return found.count < 6
        }
    }

    private func behaviours(_ old: [URLRule], _ new: [URLRule], _ url: String) -> BehaviourPair? {
        guard let from = meter.behaviour(old, url), let to = meter.behaviour(new, url) else { return nil }
        return BehaviourPair(from: from, to: to)
    }

    private mutating func samples(_ old: [URLRule], _ new: [URLRule]) -> [(BehaviourPair, String)] {
        var result: [(BehaviourPair, String)] = []
        for index in 0..<max(old.count, new.count) {
            for rules in [new, old] where index < rules.count && samplesLeft > 0 {
                samplesLeft -= 1
                for url in rules[index].samples(count: 4, meter: meter) {
                    guard let pair = behaviours(old, new, url) else { return result }
                    if pair.from != pair.to { result.append((pair, url)) }
                }
            }
            if samplesLeft == 0 { break }
        }
        return result
    }
}

struct BehaviourPair: Hashable, Comparable {
    let from: LinkBehaviour
    let to: LinkBehaviour

    static func < (left: BehaviourPair, right: BehaviourPair) -> Bool {
        (left.from.rank, left.to.rank) < (right.from.rank, right.to.rank)
    }
}

extension Remainder {
    /// Whether the same steps decide in both, for every continuation.
    fileprivate func decidesLike(_ other: Remainder) -> Bool {
        guard isDecided == other.isDecided, steps.count == other.steps.count else { return false }
        // The last step of a decided program always matches, so its language does not matter.
        let compared = isDecided ? steps.count - 1 : steps.count
        return zip(steps, other.steps).prefix(compared).allSatisfy { $0.decidesLike($1) }
            && (!isDecided || steps.last?.isExclusion == other.steps.last?.isExclusion)
    }

    fileprivate var outcomes: [LinkBehaviour] {
        var outcomes: [LinkBehaviour] = isDecided ? [] : [.notMatched]
        if steps.contains(where: \.isExclusion) { outcomes.append(.blocked) }
        if steps.contains(where: { !$0.isExclusion }) { outcomes.append(.opens) }
        return outcomes
    }

    /// A step before the last one is redundant if the last one always matches and has the same effect.
    fileprivate mutating func dropRedundantEnd() {
        guard isDecided, let last = steps.last else { return }
        while steps.count > 1, steps[steps.count - 2].isExclusion == last.isExclusion {
            steps.remove(at: steps.count - 2)
        }
    }
}

extension ProgramStep {
    fileprivate func decidesLike(_ other: ProgramStep) -> Bool {
        language == other.language && isExclusion == other.isExclusion
    }
}

extension LinkBehaviour {
    fileprivate init(_ decider: ProgramStep?) {
        self = decider.map { $0.isExclusion ? .blocked : .opens } ?? .notMatched
    }

    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Whether a file opens any link.
extension AppLinks {
    /// The number of rules that are tried before the search over all URLs.
    private static let triedRules = 16

    /// Whether some URL opens an app. Usually a URL built from a rule's patterns answers this, at a hundredth of the
    /// cost of a search over all URLs. If the work budget of the search runs out, the answer is true: most apps in a
    /// file open something.
    public var opensLinks: Bool {
        let meter = WorkMeter(.standard)
        let including = entries.lazy.filter { !$0.appIDs.isEmpty }.flatMap(\.rules).filter { !$0.isExclusion }
        for rule in including.prefix(Self.triedRules) where rule.weight < URLRule.maximumExampleWeight {
            for filling in [URLRule.Filling.rare, .shortest] {
                guard let url = rule.example(filling: filling, meter: meter).flatMap(MatchableURL.init),
                    url.isInUniverse
                else { continue }
                if match(url, meter: meter).opens != nil { return true }
            }
        }
        let comparison = BehaviourDiff.compare(nil, self, meter: meter)
        return !comparison.incompleteApps.isEmpty || comparison.changes.contains { $0.to == .opens }
    }
}
