// A file by its apps: which entries name which of them, where each is asked, and the rules of entries as searches ask for them.

struct FileApps {
    let links: AppLinks?
    /// Without repetition, in the order of the file.
    private(set) var apps: [String] = []
    private var claims: [ExactText: Claim] = [:]
    /// By entry; none until they are asked for.
    private var numbers: [[ProgramSearch.NumberedRule]] = []

    /// The entries that name an app, in the order of the file.
    private struct Claim {
        var entries: [Int] = []
        /// The app's place among those of each entry.
        var ranks: [Int] = []
    }

    init(_ links: AppLinks?) { self.init(links) { _ in true } }

    /// An ID that was never filled in is no app's: it opens nothing.
    init(ofRealApps links: AppLinks?) { self.init(links) { !AppID.isTemplate($0) } }

    init(_ links: AppLinks?, where isCounted: (String) -> Bool) {
        self.links = links
        for (index, entry) in entries.enumerated() {
            for (rank, app) in entry.appIDs.enumerated() where isCounted(app) {
                let last = claims[ExactText(app)]?.entries.last
                if last == index { continue }
                if last == nil { apps.append(app) }
                claims[ExactText(app), default: Claim()].entries.append(index)
                claims[ExactText(app), default: Claim()].ranks.append(rank)
            }
        }
    }

    var entries: [AppLinks.Entry] { links?.entries ?? [] }

    /// In the order of the file; none where the app is not named.
    func entries(of app: String) -> [Int] { claims[ExactText(app)]?.entries ?? [] }

    func names(_ app: String) -> Bool { claims[ExactText(app)] != nil }

    func rules(of entries: [Int]) -> [URLRule] { entries.flatMap { self.entries[$0].rules } }

    func ruleCount(of entries: [Int]) -> Int { entries.reduce(0) { $0 + self.entries[$1].rules.count } }

    /// Numbers all rules; before that there are no programs.
    mutating func number(_ search: ProgramSearch) throws(LanguageBudget.Exhausted) {
        guard numbers.isEmpty else { return }
        var all: [[ProgramSearch.NumberedRule]] = []
        for entry in entries { all.append(try search.numbered(entry.rules)) }
        numbers = all
    }

    func numbered(_ entries: [Int]) -> [ProgramSearch.NumberedRule] { entries.flatMap { numbers[$0] } }

    /// An app and its place in the file, by the rule that decides; the smaller is asked first.
    struct Place {
        let app: String
        let entry: Int
        let rank: Int

        var place: Int { entry << 32 | rank }
    }

    /// Where an app is asked, rising: by the number of the entry, then by its rank there.
    func places(of app: String) -> [Place] {
        guard let claim = claims[ExactText(app)] else { return [] }
        return zip(claim.entries, claim.ranks).map { Place(app: app, entry: $0, rank: $1) }
    }

    /// For each rule of the entries that name all of these apps, which of them is asked first.
    func placesByRule(of apps: [String]) -> [Place] {
        let all = apps.map { places(of: $0) }
        guard let first = apps.first else { return [] }
        return entries(of: first).enumerated().flatMap { index, entry in
            let first = all.map { $0[index] }.min { $0.place < $1.place }
            return repeatElement(first, count: entries[entry].rules.count).compactMap { $0 }
        }
    }

    /// Apps of which the same is known, such as the entries that name them, in the order of the first of each.
    static func groups<Key: Hashable>(
        of apps: some Sequence<String>, by key: (String) -> Key
    ) -> [(key: Key, apps: [String])] {
        var groups: [(key: Key, apps: [String])] = []
        var places: [Key: Int] = [:]
        for app in apps {
            let key = key(app)
            if let place = places[key] {
                groups[place].apps.append(app)
            } else {
                places[key] = groups.endIndex
                groups.append((key, [app]))
            }
        }
        return groups
    }

    /// `a, b and 3 more`.
    static func list(_ apps: [String]) -> String {
        apps.prefix(2).joined(separator: ", ") + Quoted.more(apps.count, beyond: 2)
    }
}

/// Two files, app by app.
struct FilePair {
    var old: FileApps
    var new: FileApps

    init(ofRealApps old: AppLinks?, _ new: AppLinks?) {
        (self.old, self.new) = (FileApps(ofRealApps: old), FileApps(ofRealApps: new))
    }

    /// Those of the newer file, then those that went.
    var apps: [String] { new.apps + old.apps.filter { !new.names($0) } }

    /// The entries that name an app in the older file and in the newer one: apps with the same ones share all answers.
    func claims(of app: String) -> [[Int]] { [old.entries(of: app), new.entries(of: app)] }

    func ruleCount(of claims: [[Int]]) -> Int { old.ruleCount(of: claims[0]) + new.ruleCount(of: claims[1]) }

    mutating func number(_ search: ProgramSearch) throws(LanguageBudget.Exhausted) {
        try old.number(search)
        try new.number(search)
    }
}
