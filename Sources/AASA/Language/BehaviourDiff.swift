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
    public static func compare(
        _ old: AppLinks?, _ new: AppLinks?, budget: LanguageBudget = .standard
    ) -> BehaviourComparison {
        let oldClaims = AppClaims(ofRealApps: old)
        let newClaims = AppClaims(ofRealApps: new)
        var comparing = ProgramComparing(old?.entries ?? [], new?.entries ?? [], budget)
        var answers: [[[Int]]: ProgramComparing.Answer] = [:]
        var changes: [BehaviourChange] = []
        var incomplete: [String] = []
        for app in newClaims.apps + oldClaims.apps.filter({ newClaims.entries[$0] == nil }) {
            // Apps with the same entries in both files share the answer.
            let claims = [oldClaims.entries[app] ?? [], newClaims.entries[app] ?? []]
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
    private(set) var entries: [String: [Int]] = [:]

    init(_ links: AppLinks?) { self.init(links) { _ in true } }

    /// An ID that was never filled in is no app's: it opens nothing.
    init(ofRealApps links: AppLinks?) { self.init(links) { !AppID.isTemplate($0) } }

    private init(_ links: AppLinks?, where isCounted: (String) -> Bool) {
        for (index, entry) in (links?.entries ?? []).enumerated() {
            for app in entry.appIDs where entries[app]?.last != index && isCounted(app) {
                if entries[app] == nil { apps.append(app) }
                entries[app, default: []].append(index)
            }
        }
    }
}
