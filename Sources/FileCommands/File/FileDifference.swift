// What `diff` finds in two files.

import AASA
import Evidence

/// The result of `diff`; other files turn it into text.
struct FileDifference {
    let names: [String]
    let areSameBytes: Bool
    /// Which of the two sources devices ignore.
    let isNothing: [Bool]
    let changes: AssociationComparison
    let behaviour: BehaviourComparison
    /// What changes on a phone: each URL with the app that gains or loses it. An exclusion and no match are the same there.
    let openings: [BehaviourChange]
    /// How many more there are than are listed: a file may name thousands of apps.
    let moreOpenings: Int
    /// Whether the files name an app that is not in `openings`.
    let hasOtherApps: Bool
    let rules: ChangedRules
    /// Remarks on the URLs of `openings`.
    let remarks: [String: Remarks]
    let services: [ServiceChange]

    init(old: AssociationFile?, new: AssociationFile?, names: [String]) {
        self.names = names
        areSameBytes = false
        isNothing = [old == nil, new == nil]
        if let old, let new {
            changes = AssociationDiff.compare(old.document, new.document)
        } else {
            changes = AssociationComparison(changes: [], total: 0)
        }
        let meter = WorkMeter(.standard)
        behaviour = BehaviourDiff.compare(old?.applinks, new?.applinks, meter: meter)
        let known = behaviour.changes.filter(\.isSeenOnPhone)
        rules = ChangedRules(old?.applinks, new?.applinks, besides: known, meter: meter)
        let all = known + rules.changes
        openings = Array(all.prefix(Self.maximumOpenings))
        moreOpenings = all.count - openings.count
        let changed = Set(all.map(\.appID))
        hasOtherApps = [old, new].contains { file in
            file?.applinks?.appIDs.contains { !AppID.isTemplate($0) && !changed.contains($0) } ?? false
        }
        var remarks: [String: Remarks] = [:]
        for change in openings where remarks[change.example] == nil {
            remarks[change.example] = Remarks(on: change.example, old?.applinks, new?.applinks, meter)
        }
        self.remarks = remarks
        services = ServiceChange.all(from: old, to: new)
    }

    /// Two files with the same bytes, which need no parsing.
    init(ofEqualBytes names: [String]) {
        self.names = names
        areSameBytes = true
        isNothing = [false, false]
        changes = AssociationComparison(changes: [], total: 0)
        behaviour = .ofEqualFiles
        openings = []
        moreOpenings = 0
        hasOtherApps = false
        rules = .ofEqualFiles
        remarks = [:]
        services = []
    }

    private static let maximumOpenings = 1_000

    /// Whether the two mean the same.
    var isEmpty: Bool { changes.isEmpty && !isNothing.contains(true) }
}

extension FileDifference {
    /// What a reader must know about an example.
    struct Remarks {
        /// The points on which sources disagree.
        let contested: [ContestedPoint]
        /// What looks like a wildcard in the deciding rules but is not one: nobody visits such a URL.
        let literals: [String]
        /// The app that comes first; nil if no app opens it.
        let before: String?
        let after: String?

        init(on example: String, _ old: AppLinks?, _ new: AppLinks?, _ meter: WorkMeter) {
            guard let url = MatchableURL(example), !meter.isExhausted else {
                (contested, literals, before, after) = ([], [], nil, nil)
                return
            }
            let (was, now) = (old?.match(url, meter: meter), new?.match(url, meter: meter))
            let results = [was, now].compactMap(\.self)
            let points = results.flatMap { $0.contested(meter: meter) }
            contested = ContestedPoint.allCases.filter(points.contains)
            let parts = results.flatMap(\.attempts).filter { $0.mismatch == nil }.compactMap(\.rule.literalNotation)
            literals = Array(Set(parts.map(\.written))).sorted()
            before = was?.opens
            after = now?.opens
        }
    }
}

/// An app that only one of the two files names, for a service other than applinks.
struct ServiceChange: InOrder {
    let service: String
    let app: String
    /// Whether the newer file names it.
    let isOn: Bool

    static func all(from old: AssociationFile?, to new: AssociationFile?) -> [ServiceChange] {
        func apps(_ file: AssociationFile?) -> [String: [String]] {
            Dictionary(
                (file?.services ?? []).filter(\.isKnown).map { ($0.name, $0.appIDs.filter { !AppID.isTemplate($0) }) },
                uniquingKeysWith: { $1 })
        }
        let (olds, news) = (apps(old), apps(new))
        return Set(olds.keys).union(news.keys).subtracting(["applinks"]).sorted().flatMap { service in
            let (before, after) = (olds[service] ?? [], news[service] ?? [])
            return Set(after).subtracting(before).sorted().map { ServiceChange(service: service, app: $0, isOn: true) }
                + Set(before).subtracting(after).sorted().map { ServiceChange(service: service, app: $0, isOn: false) }
        }
    }

    var words: String {
        let app = app.displayable.shortened(to: 200)
        return switch service {
        case "appclips":
            isOn
                ? "links can open the App Clip \(app) now" : "links no longer open the App Clip \(app)"
        case "webcredentials":
            isOn
                ? "\(app) can use the site's passwords and passkeys now"
                : "\(app) can no longer use the site's passwords and passkeys"
        case "activitycontinuation":
            isOn ? "\(app) takes Handoff from the site now" : "\(app) no longer takes Handoff from the site"
        default: "service \(service): \(app) \(isOn ? "is associated now" : "is no longer associated")"
        }
    }
}
