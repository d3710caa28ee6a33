// Two files compared by what phones do: for each app, whether any URL changes between opens, blocked and not matched.

/// URLs that do something else for an app than before, shown by one of them.
public struct BehaviourChange: Sendable, Hashable {
    public let appID: String
    public let from: LinkBehaviour
    public let to: LinkBehaviour
    /// A short URL path with query and fragment that shows the change, such as `/buy/a?x=1`.
    public let example: String

    /// Whether a phone does something else: Safari opens what is excluded and what no rule matches alike.
    public var isSeenOnPhone: Bool { (from == .opens) != (to == .opens) }
}

/// What two files make phones do differently.
public struct BehaviourComparison: Sendable, Hashable {
    /// At most one for each app and pair of behaviours, in the order of the newer file's apps, then of those that went.
    public let changes: [BehaviourChange]
    /// Whether it is proven that no other kind of change exists; where not, changes were looked for by samples.
    public var isComplete: Bool { incompleteApps.isEmpty }
    /// The apps for which the budget did not suffice for a proof.
    public let incompleteApps: [String]

    /// What is known of two equal files without a look at them.
    public static let ofEqualFiles = BehaviourComparison(changes: [], incompleteApps: [])
}

public enum BehaviourDiff {
    /// A file without applinks, nil, matches nothing.
    public static func compare(_ old: AppLinks?, _ new: AppLinks?) -> BehaviourComparison {
        compare(old, new, budget: .standard)
    }

    package static func compare(
        _ old: AppLinks?, _ new: AppLinks?, budget: LanguageBudget
    ) -> BehaviourComparison {
        let oldClaims = AppClaims(ofRealApps: old)
        let newClaims = AppClaims(ofRealApps: new)
        var comparing = ProgramComparing(old?.entries ?? [], new?.entries ?? [], budget)
        var answers: [[[Int]]: ProgramComparing.Answer] = [:]
        var changes: [BehaviourChange] = []
        var incomplete: [String] = []
        for app in newClaims.apps + oldClaims.apps.filter({ !newClaims.names($0) }) {
            // Apps with the same entries in both files share the answer.
            let claims = [oldClaims.entries(of: app), newClaims.entries(of: app)]
            let answer = answers[claims] ?? comparing.compare(claims[0], claims[1])
            answers[claims] = answer
            changes += answer.changes.map {
                BehaviourChange(appID: app, from: $0.pair.from, to: $0.pair.to, example: $0.example)
            }
            if !answer.isComplete { incomplete.append(app) }
        }
        return BehaviourComparison(changes: changes, incompleteApps: incomplete)
    }
}

/// Which entries name which app.
struct AppClaims {
    /// Without repetition, in the order of the file.
    private(set) var apps: [String] = []
    private var entries: [ExactText: [Int]] = [:]

    init(_ links: AppLinks?) { self.init(links) { _ in true } }

    /// An ID that was never filled in is no app's: it opens nothing.
    init(ofRealApps links: AppLinks?) { self.init(links) { !AppID.isTemplate($0) } }

    private init(_ links: AppLinks?, where isCounted: (String) -> Bool) {
        for (index, entry) in (links?.entries ?? []).enumerated() {
            for app in entry.appIDs where isCounted(app) {
                let key = ExactText(app)
                let last = entries[key]?.last
                if last == index { continue }
                if last == nil { apps.append(app) }
                entries[key, default: []].append(index)
            }
        }
    }

    /// In the order of the file; none where the app is not named.
    func entries(of app: String) -> [Int] { entries[ExactText(app)] ?? [] }

    func names(_ app: String) -> Bool { entries[ExactText(app)] != nil }

    /// Apps of which the same is known, such as the entries that name them, in the order of the first of each.
    static func groups<Key: Hashable>(
        of apps: some Sequence<String>, by key: (String) -> Key
    ) -> [(key: Key, apps: [String])] {
        var groups: [(key: Key, apps: [String])] = []
        var places: [Key: Int] = [:]
        for app in apps {
            let key = key(app)
            if let place = places[key] {
                groups[place].apps.append(app)
            } else {
                places[key] = groups.endIndex
                groups.append((key, [app]))
            }
        }
        return groups
    }

    /// `a, b and 3 more`.
    static func list(_ apps: [String]) -> String {
        apps.prefix(2).joined(separator: ", ") + (apps.count > 2 ? " and \(apps.count - 2) more" : "")
    }
}

/// Two lists of rules compared over all URLs: the search behind the behavioural diff, and the samples that take its place
/// where the budget ends.
struct ProgramComparing {
    struct Answer {
        let changes: [(pair: BehaviourPair, example: String)]
        let isComplete: Bool
    }

    private let old: [AppLinks.Entry]
    private let new: [AppLinks.Entry]
    private let states: Int
    private let meter: WorkMeter
    private var numbering = RuleNumbering()
    /// By entry; nil where the budget did not last for all rules of the files.
    private var numbered: (old: [[RuleNumbering.NumberedRule]], new: [[RuleNumbering.NumberedRule]])?
    private let check = ExampleCheck()
    /// Rules whose URLs may still be tried where there is no proof, and the work for them.
    private var samplesLeft = 200
    private let sampling: WorkMeter

    init(_ old: [AppLinks.Entry], _ new: [AppLinks.Entry], _ budget: LanguageBudget) {
        self.old = old
        self.new = new
        states = budget.states
        meter = WorkMeter(budget)
        sampling = WorkMeter(LanguageBudget(states: budget.states, steps: min(budget.steps, 2_000_000)))
        do {
            let sides = (try numbering.numbered(old, meter: meter), try numbering.numbered(new, meter: meter))
            numbered = sides
        } catch {
            numbered = nil
        }
    }

    /// Compares an app that these entries name.
    mutating func compare(_ oldEntries: [Int], _ newEntries: [Int]) -> Answer {
        var goal = DifferenceGoal()
        var isProof = true
        do {
            if try areEqualPrograms(oldEntries, newEntries, &goal) { return Answer(changes: [], isComplete: true) }
        } catch {
            isProof = false
        }
        if goal.found.isEmpty, isProof { return Answer(changes: [], isComplete: true) }
        let ruleCount =
            oldEntries.reduce(0) { $0 + old[$1].rules.count } + newEntries.reduce(0) { $0 + new[$1].rules.count }
        guard check.spend(8 * ruleCount), samplesLeft > 0 || !goal.found.isEmpty else {
            return Answer(changes: [], isComplete: false)
        }
        let oldRules = oldEntries.flatMap { old[$0].rules }
        let newRules = newEntries.flatMap { new[$0].rules }
        // The matcher has the last word on each example.
        var found: [BehaviourPair: String] = [:]
        for (pair, url) in goal.found {
            if behaviours(oldRules, newRules, url) == pair { found[pair] = url } else { isProof = false }
        }
        if !isProof {
            for (pair, url) in samples(oldRules, newRules) where found[pair] == nil { found[pair] = url }
        }
        let changes = found.sorted { $0.key < $1.key }.map { (pair: $0.key, example: $0.value) }
        return Answer(changes: changes, isComplete: isProof)
    }

    /// Whether the rules are the same; where not, the goal has searched.
    private func areEqualPrograms(
        _ oldEntries: [Int], _ newEntries: [Int], _ goal: inout DifferenceGoal
    ) throws(LanguageBudget.Exhausted) -> Bool {
        guard let numbered else { throw LanguageBudget.Exhausted() }
        try meter.spend(
            oldEntries.reduce(1) { $0 + numbered.old[$1].count } + newEntries.reduce(1) { $0 + numbered.new[$1].count })
        let before = oldEntries.flatMap { numbered.old[$0] }
        let after = newEntries.flatMap { numbered.new[$0] }
        if before == after { return true }
        let programs = [numbering.steps(of: before), numbering.steps(of: after)]
        if programs[0].elementsEqual(programs[1], by: { $0.decidesLike($1) }) { return true }
        var search = try numbering.search(programs, states: states, meter: meter)
        try search.run(&goal)
        return false
    }

    private mutating func behaviours(_ old: [URLRule], _ new: [URLRule], _ url: String) -> BehaviourPair? {
        guard let from = check.behaviour(old, url), let to = check.behaviour(new, url) else { return nil }
        return BehaviourPair(from: from, to: to)
    }

    private mutating func samples(_ old: [URLRule], _ new: [URLRule]) -> [(BehaviourPair, String)] {
        var result: [(BehaviourPair, String)] = []
        for index in 0..<max(old.count, new.count) {
            for rules in [new, old] where index < rules.count && samplesLeft > 0 {
                samplesLeft -= 1
                for url in rules[index].samples(count: 4, meter: sampling) {
                    guard let pair = behaviours(old, new, url) else { return result }
                    if pair.from != pair.to { result.append((pair, url)) }
                }
            }
            if samplesLeft == 0 { break }
        }
        return result
    }
}

/// What a URL does before and after.
struct BehaviourPair: Hashable, Comparable {
    let from: LinkBehaviour
    let to: LinkBehaviour

    static func < (left: BehaviourPair, right: BehaviourPair) -> Bool {
        (left.from.rank, left.to.rank) < (right.from.rank, right.to.rank)
    }
}

/// Looks for one URL for each change of behaviour.
private struct DifferenceGoal: SearchGoal {
    var found: [BehaviourPair: String] = [:]

    mutating func reduce(_ residuals: inout [Residual]) -> Bool {
        for index in residuals.indices { residuals[index].dropRedundantEnd() }
        let (old, new) = (residuals[0], residuals[1])
        if old.isDecided == new.isDecided, old.steps.count == new.steps.count {
            // The last of a decided program decides whatever its language is.
            let compared = old.isDecided ? old.steps.count - 1 : old.steps.count
            let isSame =
                zip(old.steps, new.steps).prefix(compared).allSatisfy { $0.decidesLike($1) }
                && (!old.isDecided || old.steps.last?.isExclusion == new.steps.last?.isExclusion)
            if isSame { return false }
        }
        let (before, after) = (old.outcomes, new.outcomes)
        return before.contains { from in
            after.contains { to in from != to && found[BehaviourPair(from: from, to: to)] == nil }
        }
    }

    mutating func reached(_ deciders: [ProgramStep?], url: () -> String) -> Bool {
        let pair = BehaviourPair(from: LinkBehaviour(deciders[0]), to: LinkBehaviour(deciders[1]))
        if pair.from != pair.to, found[pair] == nil { found[pair] = ExampleURL.readable(url()) }
        return found.count < 6
    }
}

extension Residual {
    /// The behaviours that may still come out.
    var outcomes: [LinkBehaviour] {
        var outcomes: [LinkBehaviour] = isDecided ? [] : [.notMatched]
        if steps.contains(where: \.isExclusion) { outcomes.append(.blocked) }
        if steps.contains(where: { !$0.isExclusion }) { outcomes.append(.opens) }
        return outcomes
    }

    /// A rule right before one that decides the same whatever comes says nothing.
    mutating func dropRedundantEnd() {
        guard isDecided, let last = steps.last else { return }
        while steps.count > 1, steps[steps.count - 2].isExclusion == last.isExclusion {
            steps.remove(at: steps.count - 2)
        }
    }
}

extension ProgramStep {
    func decidesLike(_ other: ProgramStep) -> Bool {
        language == other.language && isExclusion == other.isExclusion
    }
}

extension LinkBehaviour {
    init(_ decider: ProgramStep?) {
        self = decider.map { $0.isExclusion ? .blocked : .opens } ?? .notMatched
    }

    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Whether a file opens any link at all.
extension AppLinks {
    /// Rules that are tried before all URLs are searched.
    private static let triedRules = 16

    /// Whether some URL opens an app. Mostly a URL that is put together from the patterns of a rule answers that, at a hundredth
    /// of the cost of a search through all URLs. Beyond the budget of the search the answer is true: nothing is proven, and an
    /// app that is named is there to open something.
    public var opensLinks: Bool {
        let including = entries.lazy.filter { !$0.appIDs.isEmpty }.flatMap(\.rules).filter { !$0.isExclusion }
        for rule in including.prefix(Self.triedRules) where rule.weight < URLRule.maximumExampleWeight {
            for filling in [URLRule.Filling.rare, .shortest] {
                guard let url = rule.example(filling: filling).flatMap(MatchableURL.init), url.isInUniverse else {
                    continue
                }
                if match(url).opens != nil { return true }
            }
        }
        let comparison = BehaviourDiff.compare(nil, self)
        return !comparison.incompleteApps.isEmpty || comparison.changes.contains { $0.to == .opens }
    }
}
