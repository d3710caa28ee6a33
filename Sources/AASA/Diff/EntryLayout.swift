// How apps and their rules are spread over the entries of `details`: one entry that became several, several that became one,
// entries in another order. Devices ask an app's entries in the order of the file, so most of it changes no URL; a reader of the
// file sees it all the same.

struct EntryLayout {
    private let old: FileApps
    private let new: FileApps
    /// Whether both files have a list of entries: an object has one for each app.
    private let areLists: Bool
    /// For each entry the apps that both files name, by number.
    private let oldApps: [[Int]]
    private let newApps: [[Int]]
    private let names: [String]
    private let numbers: [ExactText: Int]

    init(_ old: FileApps, _ new: FileApps) {
        let names = new.apps.filter(old.names)
        let numbers = Dictionary(
            zip(names.map(ExactText.init(_:)), names.indices), uniquingKeysWith: { first, _ in first })
        func apps(_ file: FileApps) -> [[Int]] {
            file.entries.map { entry in Set(entry.appIDs.compactMap { numbers[ExactText($0)] }).sorted() }
        }
        (self.old, self.new) = (old, new)
        (self.names, self.numbers) = (names, numbers)
        (oldApps, newApps) = (apps(old), apps(new))
        areLists = old.links?.form == .list && new.links?.form == .list
    }

    /// What became of the entries of some apps that the same ones name in both files.
    enum Change {
        /// There are more or fewer.
        case count
        /// The only one names other apps beside them.
        case company
        /// Rules went from one of them to another.
        case spread
        /// The same for several.
        case companies
    }

    /// nil where nothing did.
    func change(from before: [Int], to after: [Int]) -> Change? {
        guard areLists else { return nil }
        if before.count != after.count { return .count }
        let isSameCompany = before.map { oldApps[$0] } == after.map { newApps[$0] }
        if before.count == 1 { return isSameCompany ? nil : .company }
        return isSpreadOtherwise(before, after) ? .spread : isSameCompany ? nil : .companies
    }

    /// The change in words, with the rules of the apps as they are now.
    func words(_ change: Change, of apps: [String], from before: [Int], to after: [Int]) -> String {
        let pronoun = apps.count == 1 ? "its" : "their"
        let rules = Self.rules(after.map { new.entries[$0] })
        switch change {
        case .count:
            return
                "\(after.count) entr\(after.count == 1 ? "y" : "ies") of 'details' instead of \(before.count), with the rules "
                + rules
        case .company:
            let (was, now) = (others(oldApps[before[0]], than: apps), others(newApps[after[0]], than: apps))
            let (verb, own) =
                apps.count == 1 ? ("has", "an entry of its own") : ("have", "an entry of their own")
            let place =
                now.isEmpty
                ? "\(verb) \(own) now, shared with \(FileApps.list(was)) before"
                : "\(verb) one entry together with \(FileApps.list(now)) now, \(was.isEmpty ? own : "with \(FileApps.list(was))") before"
            let isSame = Self.meanings(old, before) == Self.meanings(new, after)
            return "\(place); \(pronoun) rules\(isSame ? ", as before" : " now"): \(rules)"
        case .spread:
            return
                "\(pronoun) rules are spread over the entries in another way: "
                + "\(Self.rules(before.map { old.entries[$0] })) became \(rules)"
        case .companies:
            func shown(_ entries: [[Int]]) -> String {
                entries.prefix(Self.maximumShown).map {
                    let names = others($0, than: apps)
                    return names.isEmpty ? "(nobody)" : "(\(FileApps.list(names)))"
                }.joined(separator: " ")
            }
            return
                "other apps stand beside \(apps.count == 1 ? "it" : "them") in the entries: "
                + "\(shown(before.map { oldApps[$0] })) became \(shown(after.map { newApps[$0] })); \(pronoun) rules: \(rules)"
        }
    }

    /// Entries that only changed places, where no app did.
    var order: String? {
        guard areLists, Set(oldApps) == Set(newApps), oldApps != newApps, oldApps.count == newApps.count,
            ListAlignment(from: oldApps, to: newApps).removed.isEmpty
        else { return nil }
        func shown(_ entries: [[Int]]) -> String {
            let texts = entries.prefix(Self.maximumShown).map { FileApps.list($0.map { names[$0] }) }
            return texts.joined(separator: "; ") + Self.more(entries.count)
        }
        return "applinks: the entries of 'details' are in another order: \(shown(oldApps)) became \(shown(newApps))"
    }

    /// Rules of some entries, each entry in brackets.
    static func rules(_ entries: [AppLinks.Entry]) -> String {
        entries.prefix(maximumShown).map { entry in
            let rules = entry.rules.prefix(maximumShown).map { $0.written(limit: 100) }
            return entry.form == .everything
                ? rules.joined() : "[\(rules.joined(separator: ", "))\(more(entry.rules.count))]"
        }.joined(separator: " and ") + more(entries.count)
    }

    static func meanings(_ file: FileApps, _ entries: [Int]) -> [ExactText] {
        file.rules(of: entries).map { ExactText($0.ownMeaning) }
    }

    private static let maximumShown = 6

    private static func more(_ count: Int) -> String { Quoted.more(count, beyond: maximumShown) }

    private func others(_ numbers: [Int], than apps: [String]) -> [String] {
        let own = Set(apps.compactMap { self.numbers[ExactText($0)] })
        return numbers.filter { !own.contains($0) }.map { names[$0] }
    }

    /// Whether a rule that stays is in another one of the app's entries.
    private func isSpreadOtherwise(_ before: [Int], _ after: [Int]) -> Bool {
        func places(_ file: FileApps, _ entries: [Int]) -> [Int] {
            entries.enumerated().flatMap { place, entry in file.entries[entry].rules.map { _ in place } }
        }
        let (olds, news) = (places(old, before), places(new, after))
        let alignment = ListAlignment(from: Self.meanings(old, before), to: Self.meanings(new, after))
        let moved = Set(alignment.moved.map(\.new))
        return alignment.pairs.contains { !moved.contains($0.new) && olds[$0.old] != news[$0.new] }
    }
}
