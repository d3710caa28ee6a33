// A file laid out for the rules: each kind of thing that rules look at, with its place, gathered in one walk.

struct LintSubject {
    let bytes: [UInt8]
    /// nil where the text is no JSON; then `syntaxError` says why.
    let file: AssociationFile?
    let syntaxError: JSONSyntaxError?
    /// The members of the root, or none.
    let members: [JSONMember]
    let applinks: AppLinks?
    /// The entries of `details`; none where `apps` alone names the apps.
    let entries: [AppLinks.Entry]
    /// Whether `details` is an entry itself; then there are none.
    let hasSingleEntry: Bool
    let appIDs: [AppIDSite]
    /// The keys that count for nothing where they stand.
    let keys: [KeySite]
    let patterns: [PatternSite]
    /// The conditions on single items of the query.
    let queryItems: [QueryItemSite]
    /// Variables of which no value can stand in an encoded URL.
    let unencodedVariables: Set<ExactText>
    /// The file's variables by their lower-case names: a placeholder may mean one.
    let variableNames: ForeignNotation.VariableNames
    /// The values of the file's own variables.
    let variableValues: [ExactText: [String]]
    /// Each `defaults` object, of applinks first.
    let defaults: [DefaultsSite]
    /// What the pattern language tells about each entry's rules, in the order of `entries`.
    let reaches: [[RuleReach]]
    /// Rules that never decide, with those that take their URLs. Without the page of a folder behind the folder itself, such
    /// as `/` behind `*`: both open the app, and people write both to be sure.
    let shadows: [Shadow]
    let catchAlls: [CatchAll]
    /// URLs that apps of two entries open.
    let overlaps: [AppOverlap]
    /// Whether all were looked for.
    let areOverlapsChecked: Bool
    /// Exclusions that keep no URL from the app.
    let idleExclusions: [URLRule]
    /// Whether all were looked for.
    let areExclusionsChecked: Bool
    /// Entries whose two lists open different URLs.
    let listDifferences: [ListDifference]
    /// Whether the lists of all entries were compared.
    let areListsChecked: Bool
    /// What the URLs that findings show may cost together.
    private let examples = WorkMeter(steps: 2_000_000)
    let lines: LineTable

    struct Shadow {
        let rule: URLRule
        let by: [URLRule]
    }

    /// A place where an app is named.
    struct AppIDSite: LintSite {
        /// nil where the value is no string.
        let text: String?
        let range: Range<Int>
        let pointer: String
        let fault: AppIDFault?

        init(_ text: String?, _ range: Range<Int>, _ pointer: String, kind: String = "") {
            (self.text, self.range, self.pointer) = (text, range, pointer)
            fault = text.map { AppIDFault($0) } ?? .notString(kind: kind)
        }

        init(_ node: JSONNode, _ pointer: String) {
            self.init(node.string, node.range, pointer, kind: Quoted.kind(node))
        }
    }

    /// A value of `defaults`.
    struct DefaultsSite: LintSite {
        let node: JSONNode
        let pointer: String

        var range: Range<Int> { node.range }
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let isTooLarge = Self.isTooLarge(bytes)
        do {
            file = isTooLarge ? nil : try AssociationFile(parsing: bytes)
            syntaxError = nil
        } catch {
            file = nil
            syntaxError = error
        }
        members = file?.document.root.members ?? []
        applinks = file?.applinks
        hasSingleEntry = DetailsSingleEntry.isEntry(applinks?.node["details"])
        entries = hasSingleEntry || applinks?.form == .appsOnly ? [] : applinks?.entries ?? []
        appIDs = Self.appIDs(applinks, entries, members)
        variableNames = Dictionary(
            (applinks?.variables.custom ?? []).map { (ExactText($0.name.lowercased()), $0.name) },
            uniquingKeysWith: { $1 })
        patterns = entries.flatMap { [variableNames] in PatternSite.all(of: $0, variableNames) }
        queryItems = entries.flatMap { $0.rules.flatMap(QueryItemSite.all) }
        var values: [ExactText: [String]] = [:]
        // Of a name that stands twice the last one counts.
        for variable in applinks?.variables.custom ?? [] { values[ExactText(variable.name)] = variable.values }
        variableValues = values
        unencodedVariables = Set(
            values.filter { !$0.value.isEmpty && $0.value.allSatisfy { PatternNotEncoded.offending($0) != nil } }.keys)
        var defaults: [DefaultsSite] = []
        if let node = applinks?.node["defaults"] {
            defaults.append(DefaultsSite(node: node, pointer: "/applinks/defaults"))
        }
        for entry in entries {
            if let node = entry.node["defaults"] {
                defaults.append(DefaultsSite(node: node, pointer: entry.pointer + "/defaults"))
            }
        }
        self.defaults = defaults
        keys = KeySite.all(members, applinks, entries, defaults)
        reaches = ReachBudget.reaches(of: entries)
        shadows = reaches.joined().compactMap { reach in
            if case .shadowed(let by) = reach.verdict, !reach.rule.isFolder(of: by) {
                Shadow(rule: reach.rule, by: by)
            } else {
                nil
            }
        }
        catchAlls = CatchAll.all(of: shadows)
        (overlaps, areOverlapsChecked) = applinks.map(ReachBudget.overlaps(of:)) ?? ([], true)
        (idleExclusions, areExclusionsChecked) = ReachBudget.idleExclusions(of: entries, reaches)
        (listDifferences, areListsChecked) = applinks.map { ListDifference.all(of: $0) } ?? ([], true)
        lines = file?.document.lines ?? LineTable(bytes)
    }

    func position(of offset: Int) -> SourcePosition { lines.position(of: offset) }

    /// Whether it looks like the file and is too large to be read here. What looks like something else is told by its first
    /// bytes.
    static func isTooLarge(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > Linter.sizeLimit else { return false }
        let first = bytes.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// The objects that hold conditions on URLs: components, and `defaults`.
    var conditions: [KeySite.Object] {
        entries.flatMap { $0.rules.filter { $0.form == .component }.map { .component($0) } }
            + defaults.map { .defaults($0) }
    }

    /// The patterns of one rule.
    func patterns(of rule: URLRule) -> [PatternSite] { PatternSite.all(of: rule, variableNames) }

    /// Whether the file names a service that devices ask for.
    var namesService: Bool { members.contains { Association.isKnown($0.key) } }

    /// A URL that a rule matches, for a message; none once they have cost enough.
    func example(of rule: URLRule) -> String? { rule.example(meter: examples) }

    private static func appIDs(
        _ applinks: AppLinks?, _ entries: [AppLinks.Entry], _ members: [JSONMember]
    ) -> [AppIDSite] {
        var sites: [AppIDSite] = []
        func add(_ list: JSONNode?, _ pointer: @autoclosure () -> String) {
            for (index, element) in (list?.elements ?? []).enumerated() {
                sites.append(AppIDSite(element, "\(pointer())/\(index)"))
            }
        }
        // Beside `details` the list is not read.
        if applinks?.form == .appsOnly { add(applinks?.node["apps"], "/applinks/apps") }
        if applinks?.form == .dictionary {
            let details = applinks?.node["details"]
            for member in details?.members ?? []
            where member.value.members != nil && !DetailsSingleEntry.isEntry(details) {
                sites.append(
                    AppIDSite(member.key, member.keyRange, "/applinks/details/\(member.key.escapedForPointer)"))
            }
        } else {
            for entry in entries {
                add(entry.node["appIDs"], entry.pointer + "/appIDs")
                if let single = entry.node["appID"] { sites.append(AppIDSite(single, entry.pointer + "/appID")) }
            }
        }
        for member in members where member.name != "applinks" && Association.isKnown(member.key) {
            add(member.value["apps"], "/\(member.key)/apps")
        }
        return sites
    }
}

/// The members of an object by their keys, for those who need the place of a key.
extension JSONNode {
    /// The member that counts for a key: the last.
    func member(_ key: String) -> JSONMember? { members?.last { $0.key.isExactly(key) } }

    /// The opening bracket alone: where a whole object is at fault, marking all of its lines helps nobody.
    var opening: Range<Int> { range.lowerBound..<min(range.lowerBound + 1, range.upperBound) }

    /// Where findings point: an object or an array by its first bracket, all else as a whole.
    var shown: Range<Int> { members == nil && elements == nil ? range : opening }
}

/// How a message names another place of the file: by line and column, since a line can be the whole file.
extension LintSubject {
    /// A rule as the file has it, with its place, such as `{"/": "/buy/*"} (7:9)`.
    func name(_ rule: URLRule) -> String {
        "\(Quoted.escaped(rule.written(limit: 60), limit: 60)) (\(position(of: rule.node.range.lowerBound)))"
    }

    /// Rules by their places, such as `the exclusion at 7:11` or `the rules at 7:11 and 8:11`.
    func places(of rules: [URLRule]) -> String {
        let limit = FindingSink.maximumRelated
        let places = rules.prefix(limit).map { "\(position(of: $0.node.range.lowerBound))" }
        let noun = rules.allSatisfy(\.isExclusion) ? "exclusion" : "rule"
        guard let last = places.last, rules.count > 1 else { return "the \(noun) at \(places.joined())" }
        return rules.count > limit
            ? "the \(noun)s at \(places.joined(separator: ", "))\(Quoted.more(rules.count, beyond: limit))"
            : "the \(noun)s at \(places.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension FindingSink.Related {
    init(_ rule: URLRule, _ message: String) {
        self.init(range: rule.range, pointer: rule.pointer, message: message)
    }
}

extension URLRule {
    /// Whether this rule opens the page, or the folder, that one other rule opens with all below it; or the same page,
    /// written with or without its last slash.
    fileprivate func isFolder(of others: [URLRule]) -> Bool {
        guard let other = others.first, others.count == 1, !isExclusion, !other.isExclusion, query == .any,
            fragment == nil, other.query == .any, other.fragment == nil, let own = path?.text,
            let broad = other.path?.text
        else { return false }
        let text = PathNormalization.normalize(own)
        guard broad.utf8.last == UInt8(ascii: "*") else {
            return !own.isExactly(broad) && text.isExactly(PathNormalization.normalize(broad))
        }
        let folder = PathNormalization.normalize(broad).dropLast()
        let isBelow =
            other.isUnconstrained
            ? ["/", "/*", "*"].contains(text) : ["", "/", "/*"].contains { text.isExactly(folder + $0) }
        return isBelow && !text.isExactly(PathNormalization.normalize(broad))
    }

}

extension URLRule: LintSite {
    var range: Range<Int> { node.shown }
}

extension AppLinks.Entry {
    /// The list of its rules, by the form that counts.
    var list: JSONMember? { node.member(form == .paths ? "paths" : "components") }
}

/// How much of the pattern language's work one file may cost the linter. Real files lie far below; what a hostile file has
/// beyond it is not judged by these questions.
enum ReachBudget {
    /// Weight of the rules of one file that are compared with each other; a usual rule weighs one.
    static let maximumWeight = 2000
    /// Entries of one file that are compared with each other.
    static let maximumEntries = 200
    /// Elementary steps over all entries, of one kind of question.
    private static let steps = 1_500_000

    /// One answer for each entry, in order; empty where it was not asked.
    static func reaches(of entries: [AppLinks.Entry]) -> [[RuleReach]] {
        let asked = entries.count { !$0.rules.isEmpty && $0.form != .everything }
        guard asked > 0 else { return entries.map { _ in [] } }
        let budget = LanguageBudget(states: LanguageBudget.lint.states, steps: max(2_000, steps / asked))
        let checks = ReachChecks()
        var left = maximumWeight
        return entries.map { entry in
            guard entry.form != .everything, !entry.rules.isEmpty else { return [] }
            let weight = weight(of: entry.rules)
            guard weight <= left else { return [] }
            left -= weight
            return entry.plainReach(budget: budget, checks)
        }
    }

    /// Whether the entries of a file are few enough to be compared with each other.
    private static func coversOverlaps(of applinks: AppLinks) -> Bool {
        applinks.entries.count <= maximumEntries
            && applinks.entries.reduce(0) { $0 + weight(of: $1.rules) } <= maximumWeight
    }

    /// URLs that apps of two entries open, and whether all were looked for; what can be no app's ID does not count.
    static func overlaps(of applinks: AppLinks) -> (found: [AppOverlap], isComplete: Bool) {
        guard coversOverlaps(of: applinks) else { return ([], false) }
        guard applinks.form == .list || applinks.form == .dictionary else { return ([], true) }
        let budget = LanguageBudget(states: LanguageBudget.lint.states, steps: steps)
        return applinks.overlaps(budget: budget) { app in
            switch AppIDFault(app) {
            case nil, .example, .storeNumber: true
            default: false
            }
        }
    }

    /// The exclusions of each entry that keep no URL from the app, and whether all were looked for.
    static func idleExclusions(
        of entries: [AppLinks.Entry], _ reaches: [[RuleReach]]
    ) -> (found: [URLRule], isComplete: Bool) {
        // Most answers need no automata; the others may not make the linter slow.
        let search = ProgramSearch(LanguageBudget(states: LanguageBudget.lint.states, steps: 600_000))
        let check = WorkMeter(steps: 4_000_000)
        var (found, isComplete): ([URLRule], Bool) = ([], true)
        for (entry, reaches) in zip(entries, reaches)
        where isComplete || !search.meter.isExhausted && !check.isExhausted {
            let answer = entry.idleExclusions(reaches, search, check)
            found += answer.found
            isComplete = isComplete && answer.isComplete
        }
        return (found, isComplete)
    }

    /// Patterns of many wildcards lead to many states: they weigh by the square of their number.
    static func weight(of rules: [URLRule]) -> Int {
        // A list longer than what may be asked about need not be weighed.
        guard rules.count <= maximumWeight else { return rules.count }
        return rules.reduce(0) { $0 + weight(of: $1) }
    }

    private static func weight(of rule: URLRule) -> Int {
        let fours = rule.cost.wildcards / 4
        return 1 + fours * fours
    }
}
