// Keys that devices do not read where they stand: what each of them is, decided once, so that no two rules speak about one.

/// A key that counts for nothing at its place.
struct KeySite: LintSite {
    /// The objects whose keys count.
    enum Object {
        case root
        /// One other than applinks.
        case service(String)
        case applinks
        case entry(AppLinks.Entry)
        case component(URLRule)
        case defaults(LintSubject.DefaultsSite)
    }

    enum Verdict {
        /// A known key was probably meant.
        case misspelt(String)
        /// "exclude" was meant, in a component that has none.
        case misspeltExclude
        /// "exclude" in applinks or in an entry.
        case exclude
        /// Where it belongs, in words.
        case misplaced(String)
        /// A service inside of applinks.
        case service
        case unknown
    }

    let member: JSONMember
    let object: Object
    let verdict: Verdict

    var range: Range<Int> { member.keyRange }
    /// Made on demand: keys of the file in it may be long.
    var pointer: String { object.pointer + "/" + member.key.escapedForPointer }

    /// All of a file.
    static func all(
        _ members: [JSONMember], _ applinks: AppLinks?, _ entries: [AppLinks.Entry],
        _ defaults: [LintSubject.DefaultsSite]
    ) -> [KeySite] {
        var sites: [KeySite] = []
        func look(at members: [JSONMember]?, _ object: Object) {
            guard let members else { return }
            let known = object.known
            for member in members where !known.keys.contains(member.name) {
                guard let verdict = verdict(on: member, in: object, known, besides: members) else { continue }
                sites.append(KeySite(member: member, object: object, verdict: verdict))
            }
        }
        look(at: members, .root)
        for member in members where Association.isKnown(member.key) && member.name != "applinks" {
            look(at: member.value.members, .service(member.key))
        }
        if let applinks { look(at: applinks.node.members, .applinks) }
        for entry in entries {
            look(at: entry.node.members, .entry(entry))
            for rule in entry.rules where rule.form == .component { look(at: rule.node.members, .component(rule)) }
        }
        for site in defaults { look(at: site.node.members, .defaults(site)) }
        return sites
    }

    /// nil for what is no fault.
    private static func verdict(
        on member: JSONMember, in object: Object, _ known: KeySuggestion.Candidates, besides members: [JSONMember]
    ) -> Verdict? {
        if case .applinks = object, Association.isKnown(member.key) { return .service }
        if member.name == "exclude" {
            switch object {
            case .applinks, .entry: return .exclude
            case .root: return .unknown
            case .service, .component, .defaults: return nil
            }
        }
        // In a component "paths" is a misspelt "/".
        let isMisspelling = member.name == "paths" && known.keys.contains("/")
        if !isMisspelling, let home = homes[member.name] { return .misplaced(home) }
        let meant = KeySuggestion.nearest(to: member.key, among: known)
        switch object {
        case .component:
            if meant == "exclude", !members.contains(where: { $0.name == "exclude" }) { return .misspeltExclude }
        case .service, .applinks, .entry:
            // Remarks, since JSON has no comments.
            if meant == nil, ["comment", "comments", "_comment", "//"].contains(member.name) { return nil }
        case .root, .defaults: break
        }
        return meant.map { .misspelt($0) } ?? .unknown
    }

    /// Where keys belong, in words.
    private static let homes: [ExactText: String] = {
        var homes: [ExactText: String] = [:]
        for key: ExactText in ["details", "substitutionVariables"] { homes[key] = "in \"applinks\"" }
        for key: ExactText in ["appID", "appIDs", "components", "paths"] { homes[key] = "in an entry of \"details\"" }
        for key: ExactText in ["/", "?", "#", "caseSensitive", "percentEncoded"] { homes[key] = "in a component" }
        homes["defaults"] = "in \"applinks\" or in an entry of \"details\""
        homes["apps"] = "in a service other than \"applinks\""
        return homes
    }()
}

extension KeySite.Object {
    /// The keys that devices read in it.
    fileprivate var known: KeySuggestion.Candidates {
        switch self {
        case .root: KeySuggestion.services
        case .service: KeySuggestion.ofService
        case .applinks: KeySuggestion.ofApplinks
        case .entry: KeySuggestion.ofEntry
        case .component, .defaults: KeySuggestion.ofComponent
        }
    }

    fileprivate var pointer: String {
        switch self {
        case .root: ""
        case .service(let name): "/\(name)"
        case .applinks: "/applinks"
        case .entry(let entry): entry.pointer
        case .component(let rule): rule.pointer
        case .defaults(let site): site.pointer
        }
    }

    var isRoot: Bool { if case .root = self { true } else { false } }
}

/// Which key was probably meant. Known misspellings first, then the nearest by edit distance.
enum KeySuggestion {
    /// The keys that count at one place.
    struct Candidates {
        let keys: Set<ExactText>
        let plain: [(key: String, form: [UInt8])]

        init(_ keys: [String]) {
            self.keys = Set(keys.map(ExactText.init(_:)))
            plain = keys.map { ($0, KeySuggestion.plainForm($0)) }
        }
    }

    static let services = Candidates(Association.knownServices.sorted())
    static let ofService = Candidates(["apps"])
    static let ofApplinks = Candidates(["apps", "defaults", "details", "substitutionVariables"])
    static let ofEntry = Candidates(["appID", "appIDs", "components", "defaults", "paths"])
    static let ofComponent = Candidates(["#", "/", "?", "caseSensitive", "comment", "exclude", "percentEncoded"])

    /// What people write, and what they mean, where the edit distance alone would not tell.
    private static let known: [String: String] = [
        "path": "paths", "url": "/", "pattern": "/", "query": "?", "queryitems": "?", "querystring": "?", "params": "?",
        "fragment": "#", "hash": "#", "excludes": "exclude", "excluded": "exclude", "not": "exclude",
        "ignorecase": "caseSensitive", "casesensitivity": "caseSensitive", "encoded": "percentEncoded",
        "urlencoded": "percentEncoded", "description": "comment", "applicationid": "appID", "applicationids": "appIDs",
        "bundleid": "appID", "bundleids": "appIDs", "app": "apps", "component": "components", "detail": "details",
        "default": "defaults", "variables": "substitutionVariables", "substitutions": "substitutionVariables",
        "universallinks": "applinks", "links": "applinks", "deeplinks": "applinks", "credentials": "webcredentials",
        "passkeys": "webcredentials", "handoff": "activitycontinuation", "clips": "appclips",
    ]

    /// - Returns: nil where none is near, or where the key is one of them.
    static func nearest(to key: String, among candidates: Candidates) -> String? {
        guard key.utf8.count <= 40, !candidates.keys.contains(ExactText(key)) else { return nil }
        let plain = plainForm(key)
        guard !plain.isEmpty else { return nil }
        if let same = candidates.plain.first(where: { $0.form == plain }) { return same.key }
        let word = String(decoding: plain, as: UTF8.self)
        // In a component `path` is the pattern's own key, elsewhere it is the list.
        if candidates.keys.contains("/"), word == "path" || word == "paths" { return "/" }
        if let meant = known[word], candidates.keys.contains(ExactText(meant)) { return meant }
        let allowed = plain.count >= 8 ? 2 : plain.count >= 4 ? 1 : 0
        var best: (key: String, distance: Int)?
        for candidate in candidates.plain
        where candidate.form.count > 1 && abs(candidate.form.count - plain.count) <= allowed {
            let distance = distance(plain, candidate.form)
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate.key, distance) }
        }
        return best?.key
    }

    /// Without case, separators and stray characters: `App-Links` and `applinks` are one.
    private static func plainForm(_ key: String) -> [UInt8] {
        var form: [UInt8] = []
        for byte in key.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): form.append(byte + 32)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): form.append(byte)
            default: continue
            }
        }
        return form.isEmpty ? Array(key.trimmingBlanks.utf8) : form
    }

    /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
    static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var rows = [Array(0...other.count)]
        for (index, byte) in one.enumerated() {
            var row = [index + 1]
            for (column, against) in other.enumerated() {
                var best = min(rows[index][column] + (byte == against ? 0 : 1), rows[index][column + 1] + 1)
                best = min(best, row[column] + 1)
                if index > 0, column > 0, byte == other[column - 1], one[index - 1] == against {
                    best = min(best, rows[index - 1][column - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
