// Two files compared by the order of their apps: of several that open one URL the first in the file is asked first, so two
// files may make a phone do different things though no app gains or loses a URL.

/// A URL that several apps open in both files, in another order.
public struct OrderChange: Sendable, Hashable {
    /// A short URL path with query and fragment.
    public let example: String
    /// The apps that open it in both files, in the order of the older one.
    public let before: [String]
    /// The same apps in the order of the newer one.
    public let after: [String]

    /// The first place at which the two orders differ.
    public var turned: (place: Int, before: String, after: String) {
        let place = zip(before, after).prefix { $0 == $1 }.count
        return (place, before[place], after[place])
    }
}

/// Where two files ask apps in another order.
public struct OrderComparison: Sendable, Hashable {
    /// An example for each pair of apps, as far as another pair's example does not show it.
    public let changes: [OrderChange]
    /// Whether it is proven that the order of all other pairs stays for every URL that both open in both files. False also
    /// where `details` is an object, whose order is undefined.
    public let isComplete: Bool

    /// What is known of two equal files without a look at them.
    public static let ofEqualFiles = OrderComparison(changes: [], isComplete: true)
}

public enum OrderDiff {
    /// More examples than these are not looked for.
    static let maximumChanges = 20

    public static func compare(
        _ old: AppLinks?, _ new: AppLinks?, budget: LanguageBudget = .standard
    ) -> OrderComparison {
        guard let old, let new else { return OrderComparison(changes: [], isComplete: true) }
        var comparing = OrderComparing(old, new, budget)
        return comparing.answer()
    }
}

private struct OrderComparing {
    private var old: FileOrder
    private var new: FileOrder
    private let apps: [String]
    private let states: Int
    private let meter: WorkMeter
    private var numbering = RuleNumbering()
    private var changes: [OrderChange] = []
    private var isComplete = true
    private var searched: Set<Question> = []

    /// Pairs alike: the same entries, in the same order where they share some.
    private struct Question: Hashable {
        let entries: [[Int]]
        let isAhead: [Bool]
    }

    init(_ old: AppLinks, _ new: AppLinks, _ budget: LanguageBudget) {
        self.old = FileOrder(old)
        self.new = FileOrder(new)
        let known = self.old.claims.entries
        apps = self.new.claims.apps.filter { known[$0] != nil }
        states = budget.states
        meter = WorkMeter(budget)
    }

    mutating func answer() -> OrderComparison {
        if apps.count > 1 {
            // The order of an object is none.
            isComplete = old.links.form != .dictionary && new.links.form != .dictionary
            do {
                if isComplete { try compareAll() }
            } catch {
                isComplete = false
            }
        }
        return OrderComparison(changes: changes, isComplete: isComplete)
    }

    private mutating func compareAll() throws(LanguageBudget.Exhausted) {
        var numbered = false
        for (index, left) in apps.enumerated() {
            for right in apps[(index + 1)...] {
                try meter.spend(4)
                guard
                    old.mayStandAhead(left, right) && new.mayStandAhead(right, left)
                        || old.mayStandAhead(right, left) && new.mayStandAhead(left, right)
                else { continue }
                try meter.spend(100)
                guard searched.insert(question(left, right)).inserted, !isShown(left, right) else { continue }
                guard changes.count < OrderDiff.maximumChanges else {
                    isComplete = false
                    return
                }
                if !numbered {
                    try old.number(&numbering, meter)
                    try new.number(&numbering, meter)
                    numbered = true
                }
                try compare(left, right)
            }
        }
    }

    private func question(_ left: String, _ right: String) -> Question {
        let entries = [old, new].flatMap { [$0.claims.entries[left] ?? [], $0.claims.entries[right] ?? []] }
        let isAhead = [old, new].flatMap { file in
            (file.claims.entries[left] ?? []).compactMap { entry -> Bool? in
                guard let own = file.rank(of: left, in: entry), let other = file.rank(of: right, in: entry) else {
                    return nil
                }
                return own < other
            }
        }
        return Question(entries: entries, isAhead: isAhead)
    }

    private func isShown(_ left: String, _ right: String) -> Bool {
        changes.contains { change in
            func isAhead(_ list: [String]) -> Bool? {
                guard let own = list.firstIndex(of: left), let other = list.firstIndex(of: right) else { return nil }
                return own < other
            }
            guard let before = isAhead(change.before), let after = isAhead(change.after) else { return false }
            return before != after
        }
    }

    private mutating func compare(_ left: String, _ right: String) throws(LanguageBudget.Exhausted) {
        let sides = [(old, left), (old, right), (new, left), (new, right)].map { $0.side(of: $1, numbering) }
        try meter.spend(sides.reduce(1) { $0 + $1.steps.count })
        var goal = TurnGoal(places: sides.map(\.places))
        do {
            var search = try numbering.search(sides.map(\.steps), states: states, meter: meter)
            try search.run(&goal)
        } catch  where !meter.isExhausted {
            // Too many states for this pair; others may have few.
            isComplete = false
        }
        guard let found = goal.found else { return }
        // The matcher has the last word.
        if let change = verified(found) { changes.append(change) } else { isComplete = false }
    }

    private func verified(_ example: String) -> OrderChange? {
        guard let url = MatchableURL(example) else { return nil }
        func opening(_ links: AppLinks) -> [String] {
            let result = links.match(url)
            return (result.opens.map { [$0] } ?? []) + result.alsoOpenedBy
        }
        let (before, after) = (opening(old.links), opening(new.links))
        let both = Set(before).intersection(after)
        let change = OrderChange(
            example: example, before: before.filter(both.contains), after: after.filter(both.contains))
        return change.before == change.after ? nil : change
    }
}

/// The places of apps in one file.
private struct FileOrder {
    let links: AppLinks
    let claims: AppClaims
    private var rules: [[RuleNumbering.NumberedRule]] = []
    /// For each entry the rank of each of its apps.
    private let ranks: [[String: Int]]
    /// The first and the last place of each app.
    private let span: [String: ClosedRange<Int>]

    /// An app's rules, and for each of them the app's place in the file.
    struct Side {
        let steps: [ProgramStep]
        let places: [Int]
    }

    init(_ links: AppLinks) {
        self.links = links
        let claims = AppClaims(ofRealApps: links)
        let ranks = links.entries.map { entry in
            Dictionary(zip(entry.appIDs, entry.appIDs.indices), uniquingKeysWith: { first, _ in first })
        }
        var span: [String: ClosedRange<Int>] = [:]
        for (app, entries) in claims.entries {
            let places = entries.compactMap { entry in ranks[entry][app].map { Self.place(entry, $0) } }
            if let first = places.first, let last = places.last { span[app] = first...last }
        }
        self.claims = claims
        self.ranks = ranks
        self.span = span
    }

    /// Entries first, then the apps of one entry.
    private static func place(_ entry: Int, _ rank: Int) -> Int { entry << 32 | rank }

    func rank(of app: String, in entry: Int) -> Int? { ranks[entry][app] }

    /// Whether there can be a URL for which the one app is asked before the other.
    func mayStandAhead(_ app: String, _ other: String) -> Bool {
        guard let own = span[app], let others = span[other] else { return false }
        return own.lowerBound < others.upperBound
    }

    mutating func number(
        _ numbering: inout RuleNumbering, _ meter: WorkMeter
    ) throws(LanguageBudget.Exhausted) {
        for entry in links.entries { rules.append(try numbering.numbered(entry.rules, meter: meter)) }
    }

    func side(of app: String, _ numbering: RuleNumbering) -> Side {
        let entries = claims.entries[app] ?? []
        return Side(
            steps: numbering.steps(of: entries.flatMap { rules[$0] }),
            places: entries.flatMap { entry in
                rules[entry].map { _ in Self.place(entry, ranks[entry][app] ?? 0) }
            })
    }
}

/// Looks for a URL that two apps open in both files, and whose order turned: the older file's two programs, then the
/// newer one's.
private struct TurnGoal: SearchGoal {
    /// For each program, the app's place by the rule that decides.
    let places: [[Int]]
    var found: String?

    init(places: [[Int]]) { self.places = places }

    mutating func reduce(_ residuals: inout [Residual]) -> Bool {
        residuals.allSatisfy { $0.steps.contains { !$0.isExclusion } }
    }

    mutating func reached(_ deciders: [ProgramStep?], url: () -> String) -> Bool {
        var decided: [Int] = []
        for (program, step) in deciders.enumerated() {
            guard let step, !step.isExclusion else { return true }
            decided.append(places[program][step.index])
        }
        guard (decided[0] < decided[1]) != (decided[2] < decided[3]) else { return true }
        found = ExampleURL.readable(url())
        return false
    }
}
