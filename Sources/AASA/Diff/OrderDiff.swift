// Two files compared by the order of their apps: of several that open one URL the first in the file is asked first, so two
// files may make a phone do different things though no app gains or loses a URL.

/// A URL that several apps open in both files, in another order.
package struct OrderChange: Sendable, Hashable {
    /// A short URL path with query and fragment.
    package let example: String
    /// The apps that open it in both files, in the order of the older one.
    package let before: [String]
    /// The same apps in the order of the newer one.
    package let after: [String]

    /// The first place at which the two orders differ.
    package var turned: (place: Int, before: String, after: String) {
        let place = zip(before, after).prefix { $0 == $1 }.count
        return (place, before[place], after[place])
    }
}

/// Where two files ask apps in another order.
package struct OrderComparison: Sendable, Hashable {
    /// An example for each pair of apps, as far as another pair's example does not show it.
    package let changes: [OrderChange]
    /// Whether it is proven that the order of all other pairs stays for every URL that both open in both files. False also
    /// where `details` is an object, whose order is undefined.
    package let isComplete: Bool

    /// What is known of two equal files without a look at them.
    package static let ofEqualFiles = OrderComparison(changes: [], isComplete: true)
}

package enum OrderDiff {
    /// More examples than these are not looked for.
    static let maximumChanges = 20

    package static func compare(
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
    /// For each of the apps, its first and its last place in the older file and in the newer one.
    private let spans: [(old: ClosedRange<Int>, new: ClosedRange<Int>)]
    private let states: Int
    private let meter: WorkMeter
    private var numbering = RuleNumbering()
    private var changes: [OrderChange] = []
    private var isComplete = true
    private var searched: Set<Question> = []
    /// The places of apps in the orders of the changes found.
    private var shown: [(before: [ExactText: Int], after: [ExactText: Int])] = []
    /// The matcher's part.
    private let matching = WorkMeter(steps: 8_000_000)

    /// Pairs alike: the same entries, in the same order where they share some.
    private struct Question: Hashable {
        let entries: [[Int]]
        let isAhead: [Bool]
    }

    init(_ old: AppLinks, _ new: AppLinks, _ budget: LanguageBudget) {
        self.old = FileOrder(old)
        self.new = FileOrder(new)
        var apps: [String] = []
        var spans: [(old: ClosedRange<Int>, new: ClosedRange<Int>)] = []
        for app in self.new.claims.apps {
            guard let before = self.old.span(of: app), let after = self.new.span(of: app) else { continue }
            apps.append(app)
            spans.append((before, after))
        }
        self.apps = apps
        self.spans = spans
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
        for first in apps.indices {
            for second in apps.indices.dropFirst(first + 1) {
                try meter.spend(1)
                let (own, others) = (spans[first], spans[second])
                guard
                    own.old.mayStandAhead(of: others.old) && others.new.mayStandAhead(of: own.new)
                        || others.old.mayStandAhead(of: own.old) && own.new.mayStandAhead(of: others.new)
                else { continue }
                let (left, right) = (apps[first], apps[second])
                let entryCount = [old, new].reduce(0) {
                    $0 + $1.claims.entries(of: left).count + $1.claims.entries(of: right).count
                }
                try meter.spend(100 + 8 * entryCount)
                try meter.take(160 + 16 * entryCount)
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
        let entries = [old, new].flatMap { [$0.claims.entries(of: left), $0.claims.entries(of: right)] }
        let isAhead = [old, new].flatMap { file in
            file.claims.entries(of: left).compactMap { entry -> Bool? in
                guard let own = file.rank(of: left, in: entry), let other = file.rank(of: right, in: entry) else {
                    return nil
                }
                return own < other
            }
        }
        return Question(entries: entries, isAhead: isAhead)
    }

    private func isShown(_ left: String, _ right: String) -> Bool {
        shown.contains { orders in
            func isAhead(_ places: [ExactText: Int]) -> Bool? {
                guard let own = places[ExactText(left)], let other = places[ExactText(right)] else { return nil }
                return own < other
            }
            guard let before = isAhead(orders.before), let after = isAhead(orders.after) else { return false }
            return before != after
        }
    }

    private mutating func compare(_ left: String, _ right: String) throws(LanguageBudget.Exhausted) {
        let asked = [(old, left), (old, right), (new, left), (new, right)]
        try meter.spend(asked.reduce(1) { $0 + $1.0.ruleCount(of: $1.1) })
        let sides = asked.map { $0.side(of: $1, numbering) }
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
        guard let change = verified(found) else {
            isComplete = false
            return
        }
        changes.append(change)
        func places(_ list: [String]) -> [ExactText: Int] {
            Dictionary(zip(list.map(ExactText.init(_:)), list.indices), uniquingKeysWith: { first, _ in first })
        }
        shown.append((places(change.before), places(change.after)))
    }

    private func verified(_ example: String) -> OrderChange? {
        guard let url = MatchableURL(example) else { return nil }
        func opening(_ links: AppLinks) -> [String] {
            links.match(url, meter: matching).opening
        }
        let (before, after) = (opening(old.links), opening(new.links))
        guard !matching.isExhausted else { return nil }
        let both = Set(before.map(ExactText.init(_:))).intersection(after.map(ExactText.init(_:)))
        let change = OrderChange(
            example: example, before: before.filter { both.contains(ExactText($0)) },
            after: after.filter { both.contains(ExactText($0)) })
        return change.before.map(ExactText.init(_:)) == change.after.map(ExactText.init(_:)) ? nil : change
    }
}

/// The places of apps in one file.
private struct FileOrder {
    let links: AppLinks
    let claims: AppClaims
    private var rules: [[RuleNumbering.NumberedRule]] = []
    /// For each entry the rank of each of its apps.
    private let ranks: [[ExactText: Int]]
    /// The first and the last place of each app.
    private let spans: [ExactText: ClosedRange<Int>]

    /// An app's rules, and for each of them the app's place in the file.
    struct Side {
        let steps: [ProgramStep]
        let places: [Int]
    }

    init(_ links: AppLinks) {
        self.links = links
        let claims = AppClaims(ofRealApps: links)
        let ranks = links.entries.map { entry in
            Dictionary(
                zip(entry.appIDs.map(ExactText.init(_:)), entry.appIDs.indices), uniquingKeysWith: { first, _ in first }
            )
        }
        var spans: [ExactText: ClosedRange<Int>] = [:]
        for app in claims.apps.map(ExactText.init(_:)) {
            let places = claims.entries(of: app.text).compactMap { entry in
                ranks[entry][app].map { Self.place(entry, $0) }
            }
            if let first = places.first, let last = places.last { spans[app] = first...last }
        }
        self.claims = claims
        self.ranks = ranks
        self.spans = spans
    }

    /// Entries first, then the apps of one entry.
    private static func place(_ entry: Int, _ rank: Int) -> Int { entry << 32 | rank }

    func rank(of app: String, in entry: Int) -> Int? { ranks[entry][ExactText(app)] }

    func span(of app: String) -> ClosedRange<Int>? { spans[ExactText(app)] }

    func ruleCount(of app: String) -> Int { claims.entries(of: app).reduce(0) { $0 + rules[$1].count } }

    mutating func number(
        _ numbering: inout RuleNumbering, _ meter: WorkMeter
    ) throws(LanguageBudget.Exhausted) {
        for entry in links.entries { rules.append(try numbering.numbered(entry.rules, meter: meter)) }
    }

    func side(of app: String, _ numbering: RuleNumbering) -> Side {
        let entries = claims.entries(of: app)
        return Side(
            steps: numbering.steps(of: entries.flatMap { rules[$0] }),
            places: entries.flatMap { entry in
                rules[entry].map { _ in Self.place(entry, rank(of: app, in: entry) ?? 0) }
            })
    }
}

extension ClosedRange<Int> {
    /// Whether there can be a URL for which an app with these places is asked before one with those.
    fileprivate func mayStandAhead(of others: ClosedRange<Int>) -> Bool { lowerBound < others.upperBound }
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
