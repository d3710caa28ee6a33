// Points on which sources contradict each other or say nothing: how this library reads them, and the alternative.

/// A point on which sources disagree and that decides which app opens a URL.
public enum ContestedPoint: String, Sendable, Hashable, CaseIterable {
    /// Several apps open the URL.
    case orderBetweenApps = "order-between-apps"
    /// Several entries name the same app, and they disagree about the URL.
    case severalEntriesOfOneApp = "several-entries-of-one-app"
    /// A key occurs more than once in one object.
    case duplicateKey = "duplicate-key"

    /// What sources disagree about and which reading this library takes, in one or two sentences.
    public var explanation: String {
        switch self {
        case .orderBetweenApps:
            "several apps open this URL: Apple documents that the first one in the file wins, but one report says that "
                + "on iOS 15 the last one wins; only installed apps count"
        case .severalEntriesOfOneApp:
            "entries that name the same app disagree about this URL, and Apple does not document how they combine: "
                + "this program uses the first one that decides; put all rules of an app into one entry"
        case .duplicateKey:
            "an object has a duplicate key, and it is undefined which one devices read: this program uses the last "
                + "one, but with the first one the answer differs; keep one of them ('aasa-monitor lint' shows where)"
        }
    }
}

extension MatchResult {
    /// The points on which sources disagree and that matter for this URL and file: another reading would let another
    /// app or no app open the URL. Computed on each access.
    public var contested: [ContestedPoint] { contested(meter: WorkMeter(.match)) }

    /// The same, with a budget that several URLs share; empty if the budget runs out.
    package func contested(meter: WorkMeter) -> [ContestedPoint] {
        let subject = MatchSubject(url, meter: meter)
        var behaviours: [ExactText: Set<LinkBehaviour>] = [:]
        for entry in links.entries {
            let behaviour = entry.behaviour(of: subject)
            for app in entry.appIDs where !AppID.isTemplate(app) {
                behaviours[ExactText(app), default: []].insert(behaviour)
            }
        }
        if meter.isExhausted { return [] }
        var points: [ContestedPoint] = []
        if behaviours.values.count(where: { $0.contains(.opens) }) > 1 { points.append(.orderBetweenApps) }
        if behaviours.values.contains(where: { $0.count > 1 }) { points.append(.severalEntriesOfOneApp) }
        if let other = links.byFirstKeys {
            let (taken, contrary) = (links.match(url, meter: meter), AppLinks(other).match(url, meter: meter))
            if !meter.isExhausted, taken.opening.map(ExactText.init(_:)) != contrary.opening.map(ExactText.init(_:)) {
                points.append(.duplicateKey)
            }
        }
        return points
    }
}
