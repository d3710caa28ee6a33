// A file prepared for the rules: everything that rules examine, with its position, collected in one walk.

struct LintSubject {
    let bytes: [UInt8]
    /// If true, everything else is empty.
    let isTooLarge: Bool
    /// Whether it is the file of another system: assetlinks.json.
    let isOtherFile: Bool
    /// nil if the text is not JSON; `syntaxError` then says why.
    let file: AssociationFile?
    let syntaxError: JSONSyntaxError?
    /// The members of the root, or none.
    let members: [JSONMember]
    /// Whether the file contains a service that devices use.
    let namesService: Bool
    let applinks: AppLinks?
    /// The entries of `details`; none if only `apps` names the apps.
    let entries: [AppLinks.Entry]
    /// Whether `details` is itself an entry; then `entries` is empty.
    let hasSingleEntry: Bool
    let appIDs: [AppIDSite]
    /// The keys that have no effect where they are.
    let keys: [KeySite]
    let patterns: [PatternSite]
    /// The conditions on single query items.
    let queryItems: [QueryItemSite]
    /// Each `defaults` object, the one of applinks first.
    let defaults: [DefaultsSite]
    /// What each entry's rules match, in the order of `entries`.
    let reaches: [[RuleReach]]
    /// Rules that never decide, with the rules that match their URLs first. Leaves out the page of a folder after the
    /// folder itself, such as `/` after `*`: both open the app, and people write both to be safe.
    let shadows: [Shadow]
    /// The exclusions that hide rules because a missing item, query or fragment counts as empty. Each is checked once:
    /// it may hide thousands of rules, and have thousands of keys.
    let takersOfMissing: Set<URLRule.Place>
    let catchAlls: [CatchAll]
    /// URLs that apps of two entries open, and whether the search was complete.
    let overlaps: (found: [AppOverlap], isComplete: Bool)
    /// Limits the work for the whole file.
    private let meter: WorkMeter
    let lines: LineTable

    struct Shadow {
        let rule: URLRule
        let by: [URLRule]
    }

    /// A place that names an app.
    struct AppIDSite: LintSite {
        /// nil if the value is not a string.
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

    init(_ bytes: [UInt8], _ meter: WorkMeter) {
        self.bytes = bytes
        self.meter = meter
        isTooLarge = bytes.count > AssociationFile.sizeLimit
        do {
            file = isTooLarge ? nil : try AssociationFile(parsing: bytes)
            syntaxError = nil
        } catch {
            file = nil
            syntaxError = error
        }
        isOtherFile = !isTooLarge && OtherFile.isOther(bytes, file?.document.root)
        members = file?.document.root.members ?? []
        namesService = members.contains { Association.isKnown($0.key) }
        applinks = file?.applinks
        hasSingleEntry = DetailsElementType.isEntry(applinks?.node["details"])
        entries = hasSingleEntry || applinks?.form == .appsOnly ? [] : applinks?.entries ?? []
        appIDs = Self.appIDs(applinks, entries, members)
        patterns = entries.flatMap(PatternSite.all)
        queryItems = entries.flatMap { $0.rules.flatMap(QueryItemSite.all) }
        let owners = (applinks.map { [($0.node, "/applinks")] } ?? []) + entries.map { ($0.node, $0.pointer) }
        defaults = owners.compactMap { node, pointer in
            node["defaults"].map { DefaultsSite(node: $0, pointer: pointer + "/defaults") }
        }
        keys = KeySite.all(members, applinks, entries, defaults)
        reaches = entries.map { $0.form == .everything ? [] : $0.reach(meter) }
        shadows = reaches.joined().compactMap { reach in
            if case .shadowed(let by) = reach.verdict, !reach.rule.isFolder(of: by) {
                Shadow(rule: reach.rule, by: by)
            } else {
                nil
            }
        }
        var hiders: [URLRule.Place: URLRule] = [:]
        for case .shadowed(let by) in reaches.joined().map(\.verdict) {
            for rule in by where rule.isExclusion { hiders[rule.place] = rule }
        }
        takersOfMissing = Set(hiders.values.filter(ExclusionTakesMissingItem.takesMissing).map(\.place))
        catchAlls = CatchAll.all(of: shadows)
        overlaps =
            entries.isEmpty
            ? ([], true)
            : applinks?.overlaps(meter) { app in
                // A text that cannot be an app ID does not count.
                switch AppIDFault(app) {
                case nil, .example, .storeNumber: true
                default: false
                }
            } ?? ([], true)
        lines = file?.document.lines ?? LineTable(bytes)
    }

    func position(of offset: Int) -> SourcePosition { lines.position(of: offset) }

    /// The objects with conditions on URLs: components, and `defaults`.
    var conditions: [KeySite.Object] {
        entries.flatMap { $0.rules.filter { $0.form == .component }.map { .component($0) } }
            + defaults.map { .defaults($0) }
    }

    func patterns(of rule: URLRule) -> [PatternSite] { PatternSite.all(of: rule) }

    /// A URL that a rule matches, for a message; nil if examples have already cost too much work.
    func example(of rule: URLRule) -> String? { rule.example(meter: meter) }

    private static func appIDs(
        _ applinks: AppLinks?, _ entries: [AppLinks.Entry], _ members: [JSONMember]
    ) -> [AppIDSite] {
        var sites: [AppIDSite] = []
        func add(_ list: JSONNode?, _ pointer: @autoclosure () -> String) {
            for (index, element) in (list?.elements ?? []).enumerated() {
                sites.append(AppIDSite(element, "\(pointer())/\(index)"))
            }
        }
        // If `details` exists, devices do not read the list.
        if applinks?.form == .appsOnly { add(applinks?.node["apps"], "/applinks/apps") }
        if applinks?.form == .dictionary {
            let details = applinks?.node["details"]
            for member in details?.members ?? []
            where member.value.members != nil && !DetailsElementType.isEntry(details) {
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

/// Access to the members of an object, with their positions.
extension JSONNode {
    /// The member that counts for a key: the last one.
    func member(_ key: String) -> JSONMember? { members?.last { $0.key.isExactly(key) } }

    /// Only the opening bracket: if a whole object is wrong, marking all of its lines does not help.
    var opening: Range<Int> { range.lowerBound..<min(range.lowerBound + 1, range.upperBound) }

    /// Where findings point: an object or an array by its first bracket, anything else as a whole.
    var shown: Range<Int> { members == nil && elements == nil ? range : opening }
}

/// How a message refers to another place of the file: by line and column, because a line can be the whole file.
extension LintSubject {
    /// A rule as written, with its position, such as `{"/": "/buy/*"} (7:9)`.
    func name(_ rule: URLRule) -> String {
        "\(Quoted.escaped(rule.written(limit: 60), limit: 60)) (\(position(of: rule.node.range.lowerBound)))"
    }

    /// Positions of rules, such as `the exclusion at 7:11` or `the rules at 7:11 and 8:11`.
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
    /// Whether this rule opens the page or folder whose contents a single other rule opens, or the same page with or
    /// without its final slash.
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
    /// The list of its rules, in the form that counts.
    var list: JSONMember? { node.member(form == .paths ? "paths" : "components") }
}

/// A pattern in the file, with everything that decides how it is read.
struct PatternSite: LintSite {
    enum Part {
        case path
        case query
        case queryItem
        case fragment
    }

    let part: Part
    /// As compared: a path without its `NOT `.
    let text: String
    let node: JSONNode
    let pointer: String
    /// nil if Apple's reader drops the condition that the pattern belongs to.
    let pattern: Pattern?
    let rule: URLRule
    /// The part of a path that uses a notation other than Apple's.
    let notation: String?

    private init(
        _ part: Part, _ text: String, _ node: JSONNode, _ pointer: String, _ pattern: Pattern?, _ rule: URLRule
    ) {
        self.part = part
        self.text = text
        self.node = node
        self.pointer = pointer
        self.pattern = pattern
        self.rule = rule
        notation =
            part == .path && pattern != nil
            ? ForeignNotation.part(
                of: text, isExclusion: rule.isExclusion, isPercentEncoded: rule.isPercentEncoded) : nil
    }

    var range: Range<Int> { node.range }

    /// The prefix of `text` in the file.
    var not: String { rule.form == .path && rule.isExclusion ? "NOT " : "" }

    /// The text as compared, with "$" for each variable: the name within `$(...)` is not part of the pattern.
    var literal: String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        var result = ""
        var rest = text.unicodeScalars[...]
        // No variable ends after the last closing bracket.
        guard let last = rest.lastIndex(of: ")") else { return text }
        while let scalar = rest.popFirst() {
            result.unicodeScalars.append(scalar)
            guard scalar == "$", rest.first == "(", rest.startIndex < last, let close = rest.firstIndex(of: ")") else {
                continue
            }
            rest = rest[rest.index(after: close)...]
        }
        return result
    }

    /// All patterns of an entry's components and paths, including old `paths` next to `components`.
    static func all(of entry: AppLinks.Entry) -> [PatternSite] {
        (entry.rules + entry.olderRules).flatMap { all(of: $0) }
    }

    static func all(of rule: URLRule) -> [PatternSite] {
        if rule.form == .path, let path = rule.path {
            return [PatternSite(.path, path.text, rule.node, rule.pointer, path, rule)]
        }
        guard rule.form == .component else { return [] }
        var sites: [PatternSite] = []
        if let node = rule.node["/"], let text = node.string {
            sites.append(PatternSite(.path, text, node, rule.pointer + "/~1", rule.path, rule))
        }
        if let node = rule.node["?"] {
            if let text = node.string {
                let pattern: Pattern? = if case .whole(let pattern) = rule.query { pattern } else { nil }
                sites.append(PatternSite(.query, text, node, rule.pointer + "/?", pattern, rule))
            }
            let items: QueryItems? = if case .items(let items) = rule.query { items } else { nil }
            for (index, member) in (node.lastMembers ?? []).enumerated() {
                guard let text = member.value.string else { continue }
                let pattern = items.flatMap { index < $0.count ? $0[index].pattern : nil }
                sites.append(
                    PatternSite(
                        .queryItem, text, member.value, "\(rule.pointer)/?/\(member.key.escapedForPointer)", pattern,
                        rule))
            }
        }
        if let node = rule.node["#"], let text = node.string {
            sites.append(PatternSite(.fragment, text, node, rule.pointer + "/#", rule.fragment, rule))
        }
        return sites
    }
}

/// A condition on one query item, with the fault of the item's name.
struct QueryItemSite: LintSite {
    enum Fault: Equatable {
        /// A character that an encoded URL cannot contain.
        case notEncoded(Unicode.Scalar)
        /// A delimiter of items, or of names and values: no name contains it.
        case sign(Unicode.Scalar)
        /// A wildcard or a variable; in a name they are literal.
        case wildcard(String)
    }

    let member: JSONMember
    let pointer: String
    let pattern: Pattern
    let rule: URLRule

    var range: Range<Int> { member.keyRange }

    /// None if Apple's reader drops the whole condition.
    static func all(of rule: URLRule) -> [QueryItemSite] {
        guard case .items(let items) = rule.query, let members = rule.node["?"]?.lastMembers,
            members.count == items.count
        else { return [] }
        return zip(members, items).map { member, item in
            QueryItemSite(
                member: member, pointer: "\(rule.pointer)/?/\(member.key.escapedForPointer)", pattern: item.pattern,
                rule: rule)
        }
    }

    /// nil if an item can have the name.
    var fault: Fault? {
        let scalars = member.key.unicodeScalars
        if let first = scalars.first, first == "?" || first == "&" && rule.isPercentEncoded {
            return .sign(first)
        }
        // A decoded name may contain an escaped "&" or "#", such as R%26D; nobody escapes a "=".
        if scalars.contains("=") { return .sign("=") }
        if scalars.contains("*") { return .wildcard("*") }
        if let name = UnusedVariable.names(in: member.key).first { return .wildcard("$(\(name))") }
        guard rule.isPercentEncoded else { return nil }
        if scalars.contains("?") { return .wildcard("?") }
        if let sign = scalars.first(where: { $0 == "&" || $0 == "#" }) { return .sign(sign) }
        return scalars.first { $0.value <= 0x20 || $0.value >= 0x7F }.map { .notEncoded($0) }
    }

    /// Whether the condition holds for every URL: a missing item has the empty value, and the pattern matches
    /// everything.
    var takesAll: Bool { pattern.isUnconstrained }

    /// Whether `takesAll` is true for some item of the rule itself.
    static func hasOneThatTakesAll(_ rule: URLRule) -> Bool {
        guard case .items(let items) = rule.query, rule.node["?"]?.members != nil else { return false }
        return items.constrained.count < items.count
    }

    /// Whether the name is the fault. "*" accepts every value, under this name or the right one.
    var isMisnamed: Bool { fault != nil && (!takesAll || member.key.utf8.contains(UInt8(ascii: "="))) }

    /// What happens to the rule if no item has the name: the item counts as missing, and a missing item as empty.
    var consequence: String {
        guard pattern.elements != nil else { return "the rule never matches" }
        return pattern.matches([], isCaseSensitive: rule.isCaseSensitive)
            ? "the item counts as missing, and the condition holds for every URL"
            : "the item counts as missing, and the rule never matches"
    }
}
