// A file by its apps: which entries name an app, and the numbered rules of entries for searches.

struct FileApps {
    let links: AppLinks?
    /// Without repetition, in file order.
    private(set) var apps: [String] = []
    /// For each app, the entries that name it, in file order.
    private var claims: [ExactText: [Int]] = [:]
    /// The numbered rules of each entry; empty until `number` is called.
    private var numbers: [[ProgramSearch.NumberedRule]] = []

    init(_ links: AppLinks?) { self.init(links) { _ in true } }

    /// Ignores unfilled template IDs: they belong to no app.
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

    /// In file order; empty if the file does not name the app.
    func entries(of app: String) -> [Int] { claims[ExactText(app)] ?? [] }

    func names(_ app: String) -> Bool { claims[ExactText(app)] != nil }

    func rules(of entries: [Int]) -> [URLRule] { entries.flatMap { self.entries[$0].rules } }

    func ruleCount(of entries: [Int]) -> Int { entries.reduce(0) { $0 + self.entries[$1].rules.count } }

    /// Numbers all rules. Programs need the numbers.
    mutating func number(_ search: ProgramSearch) throws(LanguageBudget.Exhausted) {
        guard numbers.isEmpty else { return }
        var all: [[ProgramSearch.NumberedRule]] = []
        for entry in entries { all.append(try search.numbered(entry.rules)) }
        numbers = all
    }

    func numbered(_ entries: [Int]) -> [ProgramSearch.NumberedRule] { entries.flatMap { numbers[$0] } }

    /// Groups apps with equal keys, such as the entries that name them, in the order of each group's first app.
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

/// Two files, compared app by app.
struct FilePair {
    var old: FileApps
    var new: FileApps

    init(ofRealApps old: AppLinks?, _ new: AppLinks?) {
        (self.old, self.new) = (FileApps(ofRealApps: old), FileApps(ofRealApps: new))
    }

    /// The apps of the newer file, then those that only the older file names.
    var apps: [String] { new.apps + old.apps.filter { !new.names($0) } }

    /// The entries that name an app in the older and in the newer file. Apps with the same claims share all answers.
    func claims(of app: String) -> [[Int]] { [old.entries(of: app), new.entries(of: app)] }

    func ruleCount(of claims: [[Int]]) -> Int { old.ruleCount(of: claims[0]) + new.ruleCount(of: claims[1]) }

    mutating func number(_ search: ProgramSearch) throws(LanguageBudget.Exhausted) {
        try old.number(search)
        try new.number(search)
    }
}
