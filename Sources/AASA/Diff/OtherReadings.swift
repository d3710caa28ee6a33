// What else devices may make of two files that were compared: iOS 12 and older read less of them, and some points are documented
// nowhere. A proof that no URL changes holds for one reading; here is where another one stands in its way.

/// A URL that changes only where a contested point is read in the other way.
package struct ContestedChange: Sendable, Hashable {
    package let point: ContestedPoint
    package let change: BehaviourChange
}

/// What two files change beside the reading of iOS 13 and later that is taken here.
package struct OtherReadings: Sendable, Hashable {
    /// At most one for each point and app, of apps for which the reading taken here finds no change.
    package let contested: [ContestedChange]
    /// On iOS 12 and older: URLs for which it is not the same change as on later systems. At most `maximumChanges`.
    package let olderSystems: [BehaviourChange]
    /// Whether iOS 12 and older take something from one of the files, or an `apps` list says that it is for them.
    package let concernsOlderSystems: Bool
    /// Whether it is proven what changes on iOS 12 and older.
    package let isCompleteForOlderSystems: Bool

    /// What is known of two equal files without a look at them.
    package static let ofEqualFiles = OtherReadings()

    static let maximumChanges = 20

    /// Less than for the main question: it is asked for each point that a file has.
    private static let budget = LanguageBudget(states: 5_000, steps: 3_000_000)

    private init() {
        (contested, olderSystems) = ([], [])
        (concernsOlderSystems, isCompleteForOlderSystems) = (false, true)
    }

    /// `known`: what the reading taken here found.
    package init(_ old: AppLinks?, _ new: AppLinks?, besides known: BehaviourComparison) {
        let changed = Set(known.changes.filter(\.isSeenOnPhone).map { ExactText($0.appID) })
        var contested: [ContestedChange] = []
        func add(_ point: ContestedPoint, _ changes: [BehaviourChange]) {
            for change in changes where change.isSeenOnPhone && !changed.contains(ExactText(change.appID)) {
                guard contested.count < Self.maximumChanges else { return }
                let isKnown = contested.contains { $0.point == point && $0.change.appID == change.appID }
                if !isKnown { contested.append(ContestedChange(point: point, change: change)) }
            }
        }
        add(.severalEntriesOfOneApp, Self.bySingleEntries(old, new))
        for point in ContestedPoint.allCases {
            let (before, after) = (old?.reading(point), new?.reading(point))
            guard before != nil || after != nil else { continue }
            add(point, BehaviourDiff.compare(before ?? old, after ?? new, budget: Self.budget).changes)
        }
        self.contested = contested
        let (before, after) = (old?.asReadByOlderSystems, new?.asReadByOlderSystems)
        let older = BehaviourDiff.compare(before, after, budget: Self.budget)
        let told = Set(known.changes.map { Told($0) })
        let seen = older.changes.filter(\.isSeenOnPhone)
        // Where an app changes on all systems, iOS 12 may still lose more than later ones.
        let more = seen.filter { told.contains(Told($0)) }.prefix(Self.maximumChanges).compactMap { change in
            Self.unlikeLaterSystems(change, old, new) { Self.others(like: change, before, after) }
        }
        olderSystems = Array((seen.filter { !told.contains(Told($0)) } + more).prefix(Self.maximumChanges))
        concernsOlderSystems = [old, new].contains { $0?.node["apps"] != nil }
        // Beside `details` the list must be empty, and what devices make of another one is not documented.
        let isFilled = [old, new].contains { $0?.form != .appsOnly && $0?.node["apps"]?.elements?.isEmpty == false }
        isCompleteForOlderSystems = older.isComplete && !isFilled
    }

    /// What an app gains or loses, whatever the example.
    private struct Told: Hashable {
        let app: ExactText
        let to: LinkBehaviour

        init(_ change: BehaviourChange) {
            app = ExactText(change.appID)
            to = change.to == .opens ? .opens : .notMatched
        }
    }

    /// A change of iOS 12 and older, by a URL for which later systems do not change in the same way; nil where none was found.
    private static func unlikeLaterSystems(
        _ change: BehaviourChange, _ old: AppLinks?, _ new: AppLinks?, others: () -> [BehaviourChange]
    ) -> BehaviourChange? {
        func isAlike(_ change: BehaviourChange) -> Bool {
            guard let url = MatchableURL(change.example) else { return true }
            func opens(_ links: AppLinks?) -> Bool { links?.behaviour(of: url, for: change.appID) == .opens }
            return opens(old) == (change.from == .opens) && opens(new) == (change.to == .opens)
        }
        return isAlike(change) ? others().first { !isAlike($0) } : change
    }

    /// The same change by other URLs, one for each rule that came or went.
    private static func others(
        like change: BehaviourChange, _ old: AppLinks?, _ new: AppLinks?
    ) -> [BehaviourChange] {
        func rules(_ links: AppLinks?) -> [URLRule] {
            (links?.entries ?? []).filter { $0.appIDs.containsExactly(change.appID) }.flatMap(\.rules)
        }
        var search = RuleChangeSearch(steps: 800_000, automata: 0)
        return search.changes(from: rules(old), to: rules(new), besides: []).filter {
            ($0.to == .opens) == (change.to == .opens)
        }.map { BehaviourChange(appID: change.appID, from: $0.from, to: $0.to, example: $0.example) }
    }

    /// Of apps that several entries name: what changes where their first entry alone counts, or their last.
    private static func bySingleEntries(_ old: AppLinks?, _ new: AppLinks?) -> [BehaviourChange] {
        let files = FilePair(ofRealApps: old, new)
        var comparing: ProgramComparing?
        var answers: [[[Int]]: ProgramComparing.Answer] = [:]
        var changes: [BehaviourChange] = []
        for app in files.new.apps where changes.count < maximumChanges {
            let claims = files.claims(of: app)
            guard claims.allSatisfy({ !$0.isEmpty }), claims.contains(where: { $0.count > 1 }) else { continue }
            var answer = answers[claims]
            if answer == nil {
                var own = comparing ?? ProgramComparing(files, budget)
                for entries in [claims.map { $0.prefix(1) }, claims.map { $0.suffix(1) }]
                where answer?.found.isEmpty ?? true {
                    answer = own.compare(entries.map { Array($0) })
                }
                comparing = own
                answers[claims] = answer
            }
            changes += answer?.changes(of: app) ?? []
        }
        return changes
    }
}

extension AppLinks {
    /// What iOS 12 and older make of it: they know `appID` and `paths`, and want an `apps` beside them.
    /// https://developer.apple.com/library/archive/documentation/General/Conceptual/AppSearch/UniversalLinks.html
    /// - Returns: nil where they take nothing from it.
    var asReadByOlderSystems: AppLinks? {
        guard node["apps"]?.elements != nil else { return nil }
        guard form != .appsOnly else { return self }
        return with(
            entries.compactMap { entry in
                let id = form == .dictionary ? entry.appIDs.first : entry.node["appID"]?.string
                let paths = entry.form == .paths ? entry.rules : entry.olderRules
                guard let id, !paths.isEmpty else { return nil }
                return Entry(
                    form: .paths, appIDs: [id], rules: paths, pointer: entry.pointer, node: entry.node, olderRules: [])
            })
    }

    /// The file in the other reading of a contested point; nil where it has no such point, or where the other reading is no
    /// other list of rules.
    fileprivate func reading(_ point: ContestedPoint) -> AppLinks? {
        switch point {
        case .appIDBesideAppIDs:
            guard entries.contains(where: \.hasOtherAppID) else { return nil }
            return with(
                entries.map { entry in
                    guard entry.hasOtherAppID, let other = entry.node["appID"]?.string else { return entry }
                    return entry.with(appIDs: entry.appIDs + [other], entry.rules)
                })
        case .duplicateKey: return byFirstKeys.map { AppLinks($0) }
        default:
            guard let reading = OtherReading(point, of: self) else { return nil }
            var isOther = false
            let others = entries.map { entry in
                guard let reread = reading.rereading(of: entry) else { return entry }
                let rules = entry.rules.map { rule in
                    guard let other = reread(rule) else { return rule }
                    isOther = true
                    return other
                }
                return entry.with(appIDs: entry.appIDs, rules)
            }
            return isOther ? with(others) : nil
        }
    }
}
