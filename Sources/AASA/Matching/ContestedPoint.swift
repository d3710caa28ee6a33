// Where sources contradict each other, or say nothing: which of the readings is taken here, and who says otherwise.

/// A point on which sources do not agree and that decides about a URL.
public enum ContestedPoint: String, Sendable, Hashable, CaseIterable {
    /// Several apps open the URL.
    case orderBetweenApps = "order-between-apps"
    /// Entries that name the same app say different things about the URL.
    case severalEntriesOfOneApp = "several-entries-of-one-app"
    /// A duplicate key in one object.
    case duplicateKey = "duplicate-key"

    /// What is contested and what is done here: one or two sentences.
    public var explanation: String {
        switch self {
        case .orderBetweenApps:
            "several apps open this URL: Apple documents that the first in the file is asked first, on iOS 15 the last was "
                + "once reported to win; on a device only the apps that are installed count"
        case .severalEntriesOfOneApp:
            "entries that name the same app disagree about this URL, and how they play together is documented nowhere: the "
                + "first that decides is taken here; put all rules of an app into one entry"
        case .duplicateKey:
            "a key stands twice in one object, and which of the two a device reads is undefined: the last is taken here, "
                + "with the first the answer is another; keep one of them ('aasa-monitor lint' shows where)"
        }
    }
}

extension MatchResult {
    /// The points on which sources do not agree and that make a difference for this URL and file: another reading would
    /// give another answer, or another app. Worked out when asked for.
    public var contested: [ContestedPoint] { contested(meter: WorkMeter(.match)) }

    /// The same for work that several URLs share; none where it ends before the answer.
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
