// What differs in `applinks`. Rules are compared app by app, however the apps are spread over entries; apps that the same
// entries name are reported once.

struct ApplinksDiff {
    /// Bytes of entries looked at, counted once for each group of apps that they belong to: a hostile file may give thousands
    /// of apps thousands of rules each. The work is bounded, not the file.
    private static let maximumBytes = 8 << 20

    private let values: ValueDiff

    init(_ values: ValueDiff) { self.values = values }

    func add(from before: AppLinks, to after: AppLinks, into changes: inout ChangeList) {
        let (old, new) = (FileApps(before), FileApps(after))
        let isFormTold = before.form != after.form && before.form != .none && after.form != .none
        if isFormTold {
            changes.add(
                .changed, "applinks: \(Self.name(of: after.form)) instead of \(Self.name(of: before.form))",
                at: "/applinks")
        }
        let start = changes.count
        let renames = Renames(old, new)
        AssociationDiff.appChanges("applinks", from: old.apps, to: new.apps, into: &changes) { app in
            new.entries(of: app).first.map { new.entries[$0].pointer }
                ?? old.entries(of: app).first.map { old.entries[$0].pointer } ?? "/applinks"
        } detail: {
            renames.rules(of: $0)
        }
        let layout = EntryLayout(old, new)
        if old.apps == new.apps, let order = layout.order { changes.add(.moved, order, at: "/applinks/details") }
        let groups = FileApps.groups(of: new.apps.lazy.filter(old.names)) {
            [old.entries(of: $0), new.entries(of: $0)]
        }
        var budget = Self.maximumBytes
        var uncompared = 0
        var seen: Set<[Int]> = []
        for (claims, apps) in groups {
            budget -= claims[0].reduce(1) { $0 + old.entries[$1].node.range.count }
            budget -= claims[1].reduce(1) { $0 + new.entries[$1].node.range.count }
            guard budget >= 0 else {
                uncompared += apps.count
                continue
            }
            let olds = claims[0].map { old.entries[$0] }
            let news = claims[1].map { new.entries[$0] }
            let label = FileApps.list(apps)
            if let change = layout.change(from: claims[0], to: claims[1]) {
                changes.add(
                    .changed, "\(label): \(layout.words(change, of: apps, from: claims[0], to: claims[1]))",
                    at: news.first?.pointer ?? "/applinks")
            }
            ruleChanges(label, from: olds.flatMap(\.rules), to: news.flatMap(\.rules), into: &changes)
            // Where an entry has both lists, its paths are for iOS 12 alone. Without the other list they are compared above.
            if (olds + news).contains(where: \.hasOlderRules) {
                ruleChanges(
                    "\(label), for iOS 12", from: olds.flatMap(\.pathRules), to: news.flatMap(\.pathRules),
                    into: &changes)
            }
            for (left, right) in zip(claims[0], claims[1]) where seen.insert([left, right]).inserted {
                entryChanges(label, from: old.entries[left], to: new.entries[right], into: &changes)
            }
            let common = min(olds.count, news.count)
            for entry in olds.dropFirst(common) { otherMembers(from: entry, to: nil, into: &changes) }
            for entry in news.dropFirst(common) { otherMembers(from: nil, to: entry, into: &changes) }
        }
        if uncompared > 0 {
            changes.add(
                .changed, "applinks: \(uncompared) more apps, whose many rules were not compared", at: "/applinks")
        }
        // Entries that name no app, elements that are no entries, and IDs that stand twice.
        let (left, right) = (before.node["details"], after.node["details"])
        if changes.count == start, values.differ(left, right), !isFormTold {
            values.addFirst(from: left, to: right, at: "/applinks/details", into: &changes)
        }
        otherChanges(from: before, to: after, into: &changes)
    }

    private static func name(of form: AppLinks.Form) -> String {
        switch form {
        case .list: "a list of details"
        case .dictionary: "details by app"
        case .appsOnly: "apps without details"
        case .none: "no details"
        }
    }

    private func ruleChanges(
        _ label: String, from old: [URLRule], to new: [URLRule], into changes: inout ChangeList
    ) {
        let alignment = ListAlignment(
            from: old.map { ExactText($0.ownMeaning) }, to: new.map { ExactText($0.ownMeaning) })
        // A rule of the same path is the same rule, changed.
        var numbers = TextNumbers()
        let paths = ListAlignment(
            from: alignment.removed.map { old[$0].path.map { numbers.number(of: $0) } },
            to: alignment.added.map { new[$0].path.map { numbers.number(of: $0) } })
        // Removed first: a rule that was replaced reads as "this went, that came".
        for index in paths.removed.map({ alignment.removed[$0] }) {
            changes.add(.removed, "\(label): \(old[index].writtenInDiff)", at: old[index].pointer)
        }
        for index in paths.added.map({ alignment.added[$0] }) {
            changes.add(.added, "\(label): \(new[index].writtenInDiff)", at: new[index].pointer)
        }
        for pair in paths.pairs {
            let (left, right) = (alignment.removed[pair.old], alignment.added[pair.new])
            changes.add(
                .changed, "\(label): \(old[left].writtenInDiff) became \(new[right].writtenInDiff)",
                at: new[right].pointer)
            values.add(
                from: old[left].node["comment"], to: new[right].node["comment"],
                at: .text("\(new[right].pointer)/comment"),
                into: &changes)
        }
        for pair in alignment.moved {
            changes.add(
                .moved,
                "\(label): \(new[pair.new].writtenInDiff), from place \(pair.old + 1) to place \(pair.new + 1)",
                at: new[pair.new].pointer)
        }
        // Comments, and keys that nobody reads.
        for pair in alignment.pairs where old[pair.old].form == new[pair.new].form {
            let (left, right) = (old[pair.old], new[pair.new])
            // An entry without rules of its own stands in place of one; its keys are compared as the entry's.
            if left.form == .path || left.form == .wrongType && ValueDiff.text(left.node) == nil { continue }
            values.add(from: left.node, to: right.node, at: .text(right.pointer), into: &changes)
        }
    }

    private func entryChanges(
        _ label: String, from old: AppLinks.Entry, to new: AppLinks.Entry, into changes: inout ChangeList
    ) {
        if let change = Self.listChange(from: old, to: new) {
            changes.add(change.kind, "\(label): \(change.words)", at: new.pointer)
        }
        if let change = Self.nameChange(from: old, to: new) {
            changes.add(change.kind, "\(label): \(change.words)", at: "\(new.pointer)/\(change.key)")
        }
        otherMembers(from: old, to: new, into: &changes)
    }

    /// What an entry has beside its apps and rules. One that stands for the whole of `apps` has nothing of its own.
    private func otherMembers(from old: AppLinks.Entry?, to new: AppLinks.Entry?, into changes: inout ChangeList) {
        for member in values.members(old?.node, new?.node)
        where !["appIDs", "appID", "components", "paths"].contains(member.name) {
            let pointer = new?.pointer ?? old?.pointer ?? "/applinks"
            values.add(
                from: member.old, to: member.new, at: .text("\(pointer)/\(member.key.escapedForPointer)"),
                into: &changes)
        }
    }

    private static func listChange(
        from old: AppLinks.Entry, to new: AppLinks.Entry
    ) -> (kind: AssociationChange.Kind, words: String)? {
        switch (old.form, old.hasOlderRules, new.form, new.hasOlderRules) {
        case (.paths, _, .components, true):
            (.added, "'components' beside 'paths': later systems read them, iOS 12 and older read 'paths' as before")
        case (.components, true, .paths, _):
            (.removed, "'components': all systems read 'paths' now, as iOS 12 and older did before")
        case (.components, true, .components, false):
            (.removed, "'paths' beside 'components': iOS 12 and older read nothing else")
        case (.components, false, .components, true):
            (.added, "'paths' beside 'components', for iOS 12 and older; later systems do not read them")
        default:
            old.form == new.form ? nil : (.changed, "\(name(of: new.form)) instead of \(name(of: old.form))")
        }
    }

    private static func nameChange(
        from old: AppLinks.Entry, to new: AppLinks.Entry
    ) -> (kind: AssociationChange.Kind, words: String, key: String)? {
        let (oldID, newID) = (old.node["appID"], new.node["appID"])
        switch (old.node["appIDs"] != nil, oldID, new.node["appIDs"] != nil, newID) {
        case (false, .some, true, .some):
            return (
                .added, "'appIDs' beside 'appID': later systems read it, iOS 12 and older read 'appID' as before",
                "appIDs"
            )
        case (true, .some, false, .some):
            return (.removed, "'appIDs': all systems read 'appID' now, as iOS 12 and older did before", "appIDs")
        case (true, let id?, true, nil):
            return (
                .removed, "'appID' \(id.written(limit: 200)) beside 'appIDs': iOS 12 and older read nothing else",
                "appID"
            )
        case (true, nil, true, let id?):
            return (.added, "'appID' \(id.written(limit: 200)) beside 'appIDs', for iOS 12 and older", "appID")
        case (true, let before?, true, let after?):
            if before.string.map(ExactText.init(_:)) == after.string.map(ExactText.init(_:)) { return nil }
            return (
                .changed,
                "'appID' beside 'appIDs', for iOS 12 and older: \(before.written(limit: 200)) became "
                    + after.written(limit: 200), "appID"
            )
        case (false, .some, true, nil):
            return (.changed, "'appIDs' instead of 'appID', which iOS 12 and older read alone", "appIDs")
        case (true, nil, false, .some):
            return (.changed, "'appID' instead of 'appIDs': iOS 12 and older read it too", "appID")
        default: return nil
        }
    }

    private static func name(of form: AppLinks.Entry.Form) -> String {
        switch form {
        case .components: "components"
        case .paths: "paths"
        case .everything: "every URL"
        }
    }

    /// Variables, defaults, and whatever else stands beside `details`.
    private func otherChanges(from old: AppLinks, to new: AppLinks, into changes: inout ChangeList) {
        for member in values.members(old.node, new.node) {
            let place = "/applinks/\(member.key.escapedForPointer)"
            switch member.name {
            case "details": continue
            case "apps" where old.form == .appsOnly || new.form == .appsOnly: continue
            case "apps":
                let kind: AssociationChange.Kind =
                    member.old == nil ? .added : member.new == nil ? .removed : .changed
                changes.add(kind, Self.appsWords(from: member.old, to: member.new), at: place)
            case "substitutionVariables": variableChanges(member, place, into: &changes)
            default: values.add(from: member.old, to: member.new, at: .text(place), into: &changes)
            }
        }
    }

    /// `apps` beside `details`, or without anything.
    private static func appsWords(from old: JSONNode?, to new: JSONNode?) -> String {
        func written(_ node: JSONNode) -> String { node.written(limit: 200) }
        let older = "later systems do not read it"
        return switch (old, new) {
        case (nil, let came?) where came.elements == []:
            "applinks: \"apps\": [], which iOS 12 and older need; \(older)"
        case (nil, let came?): "applinks: \"apps\": \(written(came)) beside 'details', where it must be empty; \(older)"
        case (let went?, nil):
            "applinks: \"apps\": \(written(went)), without which iOS 12 and older open no link by the file; \(older)"
        case (let before?, let after?):
            "applinks: \"apps\": \(written(before)) became \(written(after)); beside 'details' it must be empty for iOS 12 and "
                + "older, and \(older)"
        case (nil, nil): ""
        }
    }

    private func variableChanges(_ member: ValueDiff.Member, _ place: String, into changes: inout ChangeList) {
        for variable in values.members(member.old, member.new) {
            let pointer = "\(place)/\(variable.key.escapedForPointer)"
            switch (variable.old, variable.new) {
            case (nil, let came?):
                changes.add(.added, "applinks: variable \(variable.key): \(came.written(limit: 200))", at: pointer)
            case (let went?, nil):
                changes.add(.removed, "applinks: variable \(variable.key): \(went.written(limit: 200))", at: pointer)
            case (let left?, let right?):
                let alignment = ListAlignment(
                    from: (left.strings ?? []).map(ExactText.init(_:)),
                    to: (right.strings ?? []).map(ExactText.init(_:)))
                let came = alignment.added.prefix(5).map { "\((right.strings ?? [])[$0].writtenAsJSON) came" }
                let went = alignment.removed.prefix(5).map { "\((left.strings ?? [])[$0].writtenAsJSON) went" }
                let values = (went + came).joined(separator: ", ")
                let words =
                    values.isEmpty ? "\(left.written(limit: 200)) became \(right.written(limit: 200))" : values
                changes.add(.changed, "applinks: variable \(variable.key): \(words)", at: pointer)
            case (nil, nil): break
            }
        }
    }
}

/// The rules of apps that only one of two files names: where an app came with the rules of one that went, it may be the same
/// app under another ID.
private struct Renames {
    private let old: FileApps
    private let new: FileApps
    /// By their rules; none where many apps went.
    private let gone: [[ExactText]: [String]]

    /// Larger sets of apps that went are not looked through.
    private static let maximumApps = 20

    init(_ old: FileApps, _ new: FileApps) {
        (self.old, self.new) = (old, new)
        let apps = old.apps.lazy.filter { !new.names($0) }.prefix(Self.maximumApps + 1)
        gone =
            apps.count > Self.maximumApps
            ? [:] : Dictionary(grouping: apps) { EntryLayout.meanings(old, old.entries(of: $0)) }
    }

    func rules(of app: String) -> String {
        let file = new.names(app) ? new : old
        let entries = file.entries(of: app)
        let same = gone.isEmpty || !new.names(app) ? [] : gone[EntryLayout.meanings(new, entries)] ?? []
        return same.count == 1
            ? ", with the rules that \(same[0]) had"
            : ", with the rules \(EntryLayout.rules(entries.map { file.entries[$0] }))"
    }
}

extension URLRule {
    /// What is no rule by its type opens every URL, whatever it looks like.
    fileprivate var writtenInDiff: String {
        let text = written(limit: 1_000)
        let isPlain = form != .wrongType || node.members != nil || node.elements != nil
        return isPlain ? text : "\(text) (no \(place.list == .paths ? "string" : "object"): every URL)"
    }
}

extension AppLinks.Entry {
    /// Whether it has `paths` beside `components`, be they empty.
    fileprivate var hasOlderRules: Bool { form == .components && node["paths"]?.elements != nil }

    /// The rules of `paths`: all that iOS 12 and older read.
    fileprivate var pathRules: [URLRule] { form == .paths ? rules : olderRules }
}

/// Numbers the texts of patterns, each looked at once: thousands of rules may share a long one.
private struct TextNumbers {
    private var byPattern: [ObjectIdentifier: Int] = [:]
    private var byText: [ExactText: Int] = [:]

    mutating func number(of pattern: Pattern) -> Int {
        if let known = byPattern[ObjectIdentifier(pattern)] { return known }
        let text = ExactText(pattern.text)
        let number = byText[text] ?? byText.count
        byText[text] = number
        byPattern[ObjectIdentifier(pattern)] = number
        return number
    }
}

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
