// Whether a file opens any link at all.

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
