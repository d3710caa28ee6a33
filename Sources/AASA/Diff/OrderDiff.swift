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
        guard let old, let new else { return .ofEqualFiles }
        var comparing = OrderComparing(old, new, budget)
        return comparing.answer()
    }
}

private struct OrderComparing {
    private let old: AppLinks
    private let new: AppLinks
    private var files: FilePair
    /// The apps that both files name, with their first and last place in each.
    private let apps: [(name: String, old: ClosedRange<Int>, new: ClosedRange<Int>)]
    private let search: ProgramSearch
    private var changes: [OrderChange] = []
    private var isComplete = true
    private var searched: Set<Question> = []
    /// The places of apps in the orders of the changes found.
    private var shown: [(before: [ExactText: Int], after: [ExactText: Int])] = []
    private let matching = WorkMeter(steps: 8_000_000)

    /// Pairs alike: the same entries, in the same order where they share some.
    private struct Question: Hashable {
        let entries: [[Int]]
        let isAhead: [Bool]
    }

    init(_ old: AppLinks, _ new: AppLinks, _ budget: LanguageBudget) {
        (self.old, self.new) = (old, new)
        let files = FilePair(ofRealApps: old, new)
        func span(_ app: String, _ file: FileApps) -> ClosedRange<Int>? {
            let places = file.places(of: app).map(\.place)
            guard let first = places.first, let last = places.last else { return nil }
            return first...last
        }
        apps = files.new.apps.compactMap { app in
            guard let before = span(app, files.old), let after = span(app, files.new) else { return nil }
            return (app, before, after)
        }
        self.files = files
        search = ProgramSearch(budget)
    }

    mutating func answer() -> OrderComparison {
        if apps.count > 1 {
            // The order of an object is none.
            isComplete = old.form != .dictionary && new.form != .dictionary
            do {
                if isComplete { try compareAll() }
            } catch {
                isComplete = false
            }
        }
        return OrderComparison(changes: changes, isComplete: isComplete)
    }

    private mutating func compareAll() throws(LanguageBudget.Exhausted) {
        for (number, left) in apps.enumerated() {
            for right in apps[(number + 1)...] {
                try search.meter.spend(1)
                guard
                    left.old.mayStandAhead(of: right.old) && right.new.mayStandAhead(of: left.new)
                        || right.old.mayStandAhead(of: left.old) && left.new.mayStandAhead(of: right.new)
                else { continue }
                let entries = [files.old, files.new].flatMap {
                    [$0.entries(of: left.name), $0.entries(of: right.name)]
                }
                let entryCount = entries.reduce(0) { $0 + $1.count }
                try search.meter.spend(100 + 8 * entryCount)
                try search.meter.take(160 + 16 * entryCount)
                let question = Question(
                    entries: entries,
                    isAhead: [files.old, files.new].flatMap { Self.isAhead(left.name, of: right.name, in: $0) })
                guard searched.insert(question).inserted, !isShown(left.name, right.name) else { continue }
                guard changes.count < OrderDiff.maximumChanges else {
                    isComplete = false
                    return
                }
                try files.number(search)
                try compare([left.name, right.name])
            }
        }
    }

    /// For each entry that names both apps, whether it names the one first.
    private static func isAhead(_ left: String, of right: String, in file: FileApps) -> [Bool] {
        let others = Dictionary(
            file.places(of: right).map { ($0.entry, $0.place) }, uniquingKeysWith: { first, _ in first })
        return file.places(of: left).compactMap { own in others[own.entry].map { own.place < $0 } }
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

    /// Looks for a URL that two apps open in both files, and whose order turned: by the older file's two programs, then the
    /// newer one's.
    private mutating func compare(_ pair: [String]) throws(LanguageBudget.Exhausted) {
        let asked = [files.old, files.new].flatMap { file in pair.map { (file: file, app: $0) } }
        try search.meter.spend(asked.reduce(1) { $0 + $1.file.ruleCount(of: $1.file.entries(of: $1.app)) })
        let programs = asked.map { search.steps(of: $0.file.numbered($0.file.entries(of: $0.app))) }
        let places = asked.map { $0.file.placesByRule(of: [$0.app]) }
        var found: String?
        do {
            try search.run(programs) { residuals in
                residuals.allSatisfy { $0.steps.contains { !$0.isExclusion } }
            } reached: { deciders, url in
                var decided: [Int] = []
                for (step, places) in zip(deciders, places) {
                    guard let step, !step.isExclusion else { return true }
                    decided.append(places[step.index].place)
                }
                guard (decided[0] < decided[1]) != (decided[2] < decided[3]) else { return true }
                found = ExampleURL.readable(url())
                return false
            }
        } catch  where !search.meter.isExhausted {
            // Too many states for this pair; others may have few.
            isComplete = false
        }
        guard let found else { return }
        // The matcher has the last word.
        guard let change = verified(found) else {
            isComplete = false
            return
        }
        changes.append(change)
        func numbered(_ list: [String]) -> [ExactText: Int] {
            Dictionary(zip(list.map(ExactText.init(_:)), list.indices), uniquingKeysWith: { first, _ in first })
        }
        shown.append((numbered(change.before), numbered(change.after)))
    }

    private func verified(_ example: String) -> OrderChange? {
        guard let url = MatchableURL(example) else { return nil }
        let (before, after) = (old.match(url, meter: matching).opening, new.match(url, meter: matching).opening)
        guard !matching.isExhausted else { return nil }
        let both = Set(before.map(ExactText.init(_:))).intersection(after.map(ExactText.init(_:)))
        let change = OrderChange(
            example: example, before: before.filter { both.contains(ExactText($0)) },
            after: after.filter { both.contains(ExactText($0)) })
        return change.before.map(ExactText.init(_:)) == change.after.map(ExactText.init(_:)) ? nil : change
    }
}

extension ClosedRange<Int> {
    /// Whether there can be a URL for which an app with these places is asked before one with those.
    fileprivate func mayStandAhead(of others: ClosedRange<Int>) -> Bool { lowerBound < others.upperBound }
}
