// Who opens the URLs of a rule where its app ceases to: an app behind it, for all of them or for some, or the website. One URL
// shows what happens to it alone; here the question is put for all URLs.

/// What becomes of the URLs that an app opened first by one rule, and that it no longer opens.
package struct Successors: Sendable, Hashable {
    package struct Share: Sendable, Hashable {
        /// The app that is asked first now; nil where none opens the URL.
        package let app: String?
        package let example: String
    }

    /// The rule as the older file has it.
    package let rule: String
    /// Whether the newer file names the app no more: all URLs of the rule are meant then, else those that it loses.
    package let isAppGone: Bool
    /// One for each app that opens some of the URLs now, and one for those that no app opens.
    package let shares: [Share]
}

/// Answers for the changes of two files, within one budget.
package struct SuccessorSearch {
    private var files: FilePair
    private let search = ProgramSearch(LanguageBudget(states: 5_000, steps: 6_000_000))
    private let check = WorkMeter(steps: 4_000_000)
    private let matching = WorkMeter(steps: 2_000_000)

    /// Of apps with the same entries; more than these are not put to one search.
    private static let maximumGroups = 12

    package init?(_ old: AppLinks?, _ new: AppLinks?) {
        // The order of an object is none.
        guard let old, let new, old.form != .dictionary, new.form != .dictionary else { return nil }
        files = FilePair(ofRealApps: old, new)
    }

    /// - Returns: nil where another app was asked before, and where the budget ends before the answer.
    package mutating func successors(of change: BehaviourChange) -> Successors? {
        guard change.from == .opens, change.to != .opens else { return nil }
        let own = files.old.rules(of: files.old.entries(of: change.appID))
        guard let index = check.firstMatch(own, change.example), !own[index].isExclusion,
            let found = try? examples(change.appID, rule: index)
        else { return nil }
        var shares: [Successors.Share] = []
        for (app, example) in found {
            // The matcher has the last word.
            guard let url = MatchableURL(example), files.new.links?.match(url, meter: matching).opens == app,
                !matching.isExhausted
            else { return nil }
            shares.append(.init(app: app, example: example))
        }
        guard !shares.isEmpty else { return nil }
        return Successors(
            rule: own[index].written(limit: 200), isAppGone: !files.new.names(change.appID),
            shares: shares.sorted { ($0.app == nil ? 1 : 0, $0.example) < ($1.app == nil ? 1 : 0, $1.example) })
    }

    /// Looks at the URLs that one rule of an app decides about in the older file and that the app does not open in the newer
    /// one: for each app that opens some of them, and for none, the first.
    private mutating func examples(
        _ app: String, rule: Int
    ) throws(LanguageBudget.Exhausted) -> [String?: String] {
        let rivals = [files.old, files.new].map { file in
            FileApps.groups(of: file.apps.lazy.filter { !$0.isExactly(app) }, by: file.entries(of:)).map(\.apps)
        }
        guard rivals.allSatisfy({ $0.count <= Self.maximumGroups }) else { throw LanguageBudget.Exhausted() }
        try files.number(search)
        func program(_ app: String, _ file: FileApps) -> [ProgramStep] {
            search.steps(of: file.numbered(file.entries(of: app)))
        }
        // The app's in both files, those of other apps in the older file, and in the newer one.
        let programs =
            [program(app, files.old), program(app, files.new)] + rivals[0].map { program($0[0], files.old) }
            + rivals[1].map { program($0[0], files.new) }
        try search.meter.spend(programs.reduce(1) { $0 + $1.count })
        let place = files.old.placesByRule(of: [app])[rule].place
        let before = rivals[0].map { files.old.placesByRule(of: $0) }
        let after = rivals[1].map { files.new.placesByRule(of: $0) }
        var found: [String?: String] = [:]
        try search.run(programs) { residuals in
            guard residuals[0].steps.contains(where: { $0.index == rule }), residuals[1].outcomes != [.opens] else {
                return false
            }
            if found[nil] == nil { return true }
            return zip(residuals.dropFirst(2 + before.count), after).contains { residual, places in
                residual.steps.contains { !$0.isExclusion && found[places[$0.index].app] == nil }
            }
        } reached: { deciders, url in
            guard let own = deciders[0], own.index == rule, LinkBehaviour(deciders[1]) != .opens else { return true }
            let wasSecond = zip(deciders.dropFirst(2), before).contains { step, places in
                step.map { !$0.isExclusion && places[$0.index].place < place } ?? false
            }
            if wasSecond { return true }
            let first = zip(deciders.dropFirst(2 + before.count), after).compactMap { step, places in
                step.flatMap { $0.isExclusion ? nil : places[$0.index] }
            }.min { $0.place < $1.place }
            if found[first?.app] == nil { found[first?.app] = ExampleURL.readable(url()) }
            return true
        }
        return found
    }
}
