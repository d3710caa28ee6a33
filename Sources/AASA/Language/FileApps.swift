// A file by its apps: which entries name which of them, and the rules of entries as searches ask for them.

struct FileApps {
    let links: AppLinks?
    /// Without repetition, in the order of the file.
    private(set) var apps: [String] = []
    /// By app, the entries that name it, in the order of the file.
    private var claims: [ExactText: [Int]] = [:]
    /// By entry; none until they are asked for.
    private var numbers: [[ProgramSearch.NumberedRule]] = []

    init(_ links: AppLinks?) { self.init(links) { _ in true } }

    /// An ID that was never filled in is no app's: it opens nothing.
    init(ofRealApps links: AppLinks?) { self.init(links) { !AppID.isTemplate($0) } }

    init(_ links: AppLinks?, where isCounted: (String) -> Bool) {
        self.links = links
        for (index, entry) in entries.enumerated() {
            for app in entry.appIDs where isCounted(app) {
                let last = claims[ExactText(app)]?.last
                if last == index { continue }
                if last == nil { apps.append(app) }
                claims[ExactText(app), default: []].append(index)
            }
        }
    }

    var entries: [AppLinks.Entry] { links?.entries ?? [] }

    /// In the order of the file; none where the app is not named.
    func entries(of app: String) -> [Int] { claims[ExactText(app)] ?? [] }

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
