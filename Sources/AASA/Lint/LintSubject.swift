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
    let appIDs: [AppIDSite]
    let patterns: [PatternSite]
    /// The conditions on single items of the query.
    let queryItems: [QueryItemSite]
    /// Variables without any value.
    let emptyVariables: Set<String>
    /// Variables of which no value can stand in an encoded URL.
    let unencodedVariables: Set<String>
    /// Each `defaults` object, of applinks first.
    let defaults: [DefaultsSite]
    /// What the pattern language tells about each entry's rules, in the order of `entries`.
    let reaches: [[RuleReach]]
    /// Rules that never decide, with those that take their URLs.
    let shadows: [Shadow]
    let catchAlls: [CatchAll]
    /// URLs that apps of two entries open.
    let overlaps: [AppOverlap]
    /// Whether they were looked for.
    let areOverlapsChecked: Bool
    /// Exclusions that keep no URL from the app.
    let idleExclusions: [URLRule]
    /// Entries whose two lists open different URLs.
    let listDifferences: [ListDifference]
    private let lines: LineTable

    struct Shadow {
        let rule: URLRule
        let by: [URLRule]
    }

    /// A place where an app is named.
    struct AppIDSite {
        /// nil where the value is no string.
        let text: String?
        let node: JSONNode?
        let range: Range<Int>
        let pointer: String
        let service: String
        let fault: AppIDFault?

        init(text: String?, node: JSONNode?, range: Range<Int>, pointer: String, service: String) {
            self.text = text
            self.node = node
            self.range = range
            self.pointer = pointer
            self.service = service
            fault = AppIDFault(text)
        }
    }

    /// A value of `defaults`.
    struct DefaultsSite {
        let node: JSONNode
        let pointer: String
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        do {
            file = try AssociationFile(parsing: bytes)
            syntaxError = nil
        } catch {
            file = nil
            syntaxError = error
        }
        members = file?.document.root.members ?? []
        applinks = file?.applinks
        entries = applinks.map { $0.form == .appsOnly ? [] : $0.entries } ?? []
        appIDs = Self.appIDs(applinks, entries, members)
        patterns = entries.flatMap(PatternSite.all)
        queryItems = entries.flatMap { $0.rules.flatMap(QueryItemSite.all) }
        var values: [String: [String]] = [:]
        // Of a name that stands twice the last one counts.
        for variable in applinks?.variables.custom ?? [] { values[variable.name] = variable.values }
        emptyVariables = Set(values.filter(\.value.isEmpty).keys)
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
        reaches = ReachBudget.reaches(of: entries)
        shadows = reaches.joined().compactMap { reach in
            if case .shadowed(let by) = reach.verdict { Shadow(rule: reach.rule, by: by) } else { nil }
        }
        catchAlls = CatchAll.all(of: shadows)
        overlaps = applinks.map(ReachBudget.overlaps(of:)) ?? []
        areOverlapsChecked = applinks.map(ReachBudget.coversOverlaps(of:)) ?? true
        idleExclusions = ReachBudget.idleExclusions(of: entries, reaches)
        listDifferences = applinks.map { ListDifference.all(of: $0) } ?? []
        lines = file?.document.lines ?? LineTable(bytes)
    }

    func position(of offset: Int) -> SourcePosition { lines.position(of: offset) }

    private static func appIDs(_ applinks: AppLinks?, _ entries: [AppLinks.Entry], _ members: [JSONMember])
        -> [AppIDSite]
    {
        var sites: [AppIDSite] = []
        func add(_ list: JSONNode, _ pointer: String, _ service: String) {
            for (index, element) in (list.elements ?? []).enumerated() {
                sites.append(
                    AppIDSite(
                        text: element.string, node: element, range: element.range, pointer: "\(pointer)/\(index)",
                        service: service))
            }
        }
        if let applinks {
            // Beside `details` the list is not read.
            if applinks.form == .appsOnly, let apps = applinks.node["apps"] { add(apps, "/applinks/apps", "applinks") }
            if applinks.form == .dictionary {
                for member in applinks.node["details"]?.members ?? [] where member.value.members != nil {
                    sites.append(
                        AppIDSite(
                            text: member.key, node: nil, range: member.keyRange,
                            pointer: "/applinks/details/\(member.key.escapedForPointer)", service: "applinks"))
                }
            } else {
                for entry in entries {
                    if let list = entry.node["appIDs"] { add(list, entry.pointer + "/appIDs", "applinks") }
                    if let single = entry.node["appID"] {
                        sites.append(
                            AppIDSite(
                                text: single.string, node: single, range: single.range,
                                pointer: entry.pointer + "/appID", service: "applinks"))
                    }
                }
            }
        }
        for member in members where member.key != "applinks" && Association.knownServices.contains(member.key) {
            guard let apps = member.value["apps"] else { continue }
            add(apps, "/\(member.key.escapedForPointer)/apps", member.key)
        }
        return sites
    }
}

/// The members of an object by their keys, for those who need the place of a key.
extension JSONNode {
    /// The member that counts for a key: the last.
    func member(_ key: String) -> JSONMember? { members?.last { $0.key == key } }

    /// The opening bracket alone: where a whole object is at fault, marking all of its lines helps nobody.
    var opening: Range<Int> { range.lowerBound..<min(range.lowerBound + 1, range.upperBound) }
}
