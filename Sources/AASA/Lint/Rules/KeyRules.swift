// Keys that devices do not read, and the keys that were probably meant.

enum JSONDuplicateKey: LintRule {
    static let description = LintRuleDescription(
        id: "json-duplicate-key", severity: .warning, title: "a duplicate key in an object",
        why: """
            It is undefined which of the two counts (RFC 8259, 4), and Apple does not document it. A device may use \
            the first or the last one, and silently ignores the other one. This program uses the last one. Most \
            often somebody added an app with a second "details" or "applinks".
            """,
        example: LintExample.components(#"{"/": "/buy/*", "/": "/sell/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#, #"{"/": "/sell/*"}"#),
        fix: "keep one of the two", reference: LintReference.json + "#section-4",
        seen: "documented: RFC 8259, 4, names within an object")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let duplicates = subject.file?.document.duplicates else { return }
        for duplicate in duplicates.listed {
            let first = duplicate.first
            findings.add(
                duplicate.second, duplicate.pointer,
                "duplicate key \(Quoted.json(duplicate.key)), first used at \(subject.position(of: first.lowerBound)); "
                    + "it is undefined which one devices read; this check uses the last one",
                remedy: .tidy(subject.file?.document.root.removal(ofDuplicate: duplicate)),
                related: [.init(range: first, pointer: duplicate.pointer, message: "the first of the two")])
        }
        for _ in duplicates.listed.count..<duplicates.count { findings.count() }
    }
}

extension JSONNode {
    /// Removes the later one if all members with the key have the same value; otherwise nil: a person must choose.
    fileprivate func removal(ofDuplicate duplicate: JSONDocument.Duplicate) -> [LintEdit]? {
        guard range.lowerBound <= duplicate.first.lowerBound, duplicate.second.upperBound <= range.upperBound else {
            return nil
        }
        guard let members else {
            return elements?.lazy.compactMap { $0.removal(ofDuplicate: duplicate) }.first
        }
        guard let index = members.firstIndex(where: { $0.keyRange == duplicate.second }), index > 0 else {
            return members.lazy.compactMap { $0.value.removal(ofDuplicate: duplicate) }.first
        }
        let meanings = members.filter { $0.key.isExactly(duplicate.key) }.map(\.value.canonicalForm)
        guard Set(meanings).count == 1 else { return nil }
        return LintEdit.removal(of: members[index].value.range, after: members[index - 1].value.range)
    }
}

enum MisspeltKey: LintRule {
    static let description = LintRuleDescription(
        id: "misspelt-key", severity: .warning, title: "a key that looks like a misspelling",
        why: """
            Devices ignore keys that they do not know, and keys are case-sensitive. If "/" is misspelt, its \
            component matches every path.
            """,
        example: LintExample.components(#"{"path": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "correct the key", reference: LintReference.applinks,
        seen: "corpus: 2 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            // `NoService` reports a file without any service.
            guard case .misspelt(let meant) = key.verdict, !key.object.isRoot || subject.namesService else { continue }
            findings.add(
                key,
                "devices do not know the key \(Quoted.json(key.member.key)) and ignore it; did you mean \"\(meant)\"?",
                fix: "write \"\(meant)\"", remedy: .repair(key.renaming))
        }
    }
}

enum ExcludeNotRead: LintRule {
    static let description = LintRuleDescription(
        id: "exclude-not-read", severity: .error, title: "an \"exclude\" that devices do not read",
        why: """
            Devices ignore keys that they do not know, and read "exclude" only in a component. If it is misspelt, or \
            next to "paths", it excludes nothing: pages that should stay in the browser open the app.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exlude": true}"#, #"{"/": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/help/*", "exclude": true}"#, #"{"/": "/buy/*"}"#),
        fix: "write \"exclude\": true in a component", reference: LintReference.components,
        seen: "documented: applinks, components, \"exclude\"; unknown keys are ignored: observed in Apple's binaries")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            switch key.verdict {
            case .misspeltExclude:
                findings.add(
                    key, "devices ignore the key \(Quoted.json(key.member.key)): this component excludes nothing",
                    fix: "write \"exclude\"", remedy: .repair(key.renaming))
            case .exclude:
                let usesPaths = if case .entry(let entry) = key.object { entry.form == .paths } else { false }
                findings.add(
                    key,
                    "devices do not read \"exclude\" here: it excludes nothing"
                        + (usesPaths ? "; \"paths\" has NOT instead" : ""),
                    fix: usesPaths
                        ? "write \"NOT /path\" in \"paths\", before the broader path"
                        : "write {\"/\": \"/path\", \"exclude\": true} in \"components\"")
            case .misspelt, .misplaced, .service, .unknown: continue
            }
        }
    }
}

enum MisplacedKey: LintRule {
    static let description = LintRuleDescription(
        id: "misplaced-key", severity: .warning, title: "a known key in a place where devices do not read it",
        why: """
            Each key has its place: "details" in applinks, "appIDs" and "components" in an entry of "details", "/" \
            in a component, "apps" in the other services. Elsewhere devices ignore it.
            """,
        example:
            #"{"webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"], "appIDs": ["D7KQ4ZW2MX.com.acme.staff"]}}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.staff""#),
        fix: "move it to where it belongs", reference: LintReference.details,
        seen: "documented: applinks, where each key belongs")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            guard case .misplaced(let home) = key.verdict else { continue }
            if case .defaults = key.object { continue }
            let isOfApplinks = ["appID", "appIDs", "details", "paths", "components"].contains(key.member.name)
            let service: String? = if isOfApplinks, case .service(let name) = key.object { name } else { nil }
            findings.add(
                key,
                "devices do not read \(Quoted.json(key.member.key)) here; it belongs \(home)"
                    + (service.map { "; \(Quoted.json($0)) has only \"apps\", a list of app IDs" } ?? ""),
                fix: service == nil ? "move it \(home)" : "move the app IDs to \"apps\"")
        }
    }
}

enum UnknownComponentKey: LintRule {
    static let description = LintRuleDescription(
        id: "unknown-component-key", severity: .warning, title: "a key in a component that devices ignore",
        why: """
            A component has "/", "?", "#", "exclude", "comment", "caseSensitive" and "percentEncoded". Devices \
            ignore everything else, so a condition under another name has no effect: the component matches more than \
            intended.
            """,
        example: LintExample.components(#"{"/": "/buy/*", "method": "GET"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*", "comment": "GET only, says the server"}"#),
        fix: "put remarks under \"comment\", and remove what has no effect", reference: LintReference.components,
        seen: "documented: applinks, components, the keys; others are ignored: observed in Apple's binaries")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            guard case .unknown = key.verdict, case .component = key.object else { continue }
            findings.add(key, "devices ignore the key \(Quoted.json(key.member.key)) of a component")
        }
    }
}

enum UnknownKey: LintRule {
    static let description = LintRuleDescription(
        id: "unknown-key", severity: .note, title: "a key that devices ignore",
        why: """
            Devices ignore unknown keys of a service, of applinks or of an entry. They treat an unknown key at the \
            top as a service that no app asks for. Such keys have no effect.
            """,
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "name": "shop", "components": [{"/": "/buy/*"}]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "remove it, unless another program reads it", reference: LintReference.details,
        seen: "documented: applinks, the keys; others are ignored: observed in Apple's binaries")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for key in subject.keys {
            guard case .unknown = key.verdict else { continue }
            switch key.object {
            case .service, .applinks, .entry:
                findings.add(key, "devices ignore the key \(Quoted.json(key.member.key)) here")
            case .root where subject.namesService:
                findings.add(
                    key, "\(Quoted.json(key.member.key)) is not a service that devices ask for; they ignore it")
            case .root, .component, .defaults: continue
            }
        }
    }
}

/// A key that has no effect where it is.
struct KeySite: LintSite {
    /// The objects whose keys matter.
    enum Object {
        case root
        /// A service other than applinks.
        case service(String)
        case applinks
        case entry(AppLinks.Entry)
        case component(URLRule)
        case defaults(LintSubject.DefaultsSite)
    }

    enum Verdict {
        /// The author probably meant a known key.
        case misspelt(String)
        /// The author meant "exclude", and the component has none.
        case misspeltExclude
        /// "exclude" in applinks or in an entry.
        case exclude
        /// The text says where it belongs.
        case misplaced(String)
        /// A service inside applinks.
        case service
        case unknown
    }

    let member: JSONMember
    let object: Object
    let verdict: Verdict
    /// Writes the known key, if only case, separators or spaces differ and the object lacks that key. nil for any other
    /// word, because that would be a guess, and if two keys mean the same one.
    let renaming: [LintEdit]?

    var range: Range<Int> { member.keyRange }
    /// Created on demand: it may contain long keys of the file.
    var pointer: String { object.pointer + "/" + member.key.escapedForPointer }

    /// All such keys of a file.
    static func all(
        _ members: [JSONMember], _ applinks: AppLinks?, _ entries: [AppLinks.Entry],
        _ defaults: [LintSubject.DefaultsSite]
    ) -> [KeySite] {
        var sites: [KeySite] = []
        func addKeys(of members: [JSONMember]?, _ object: Object) {
            guard let members else { return }
            let known = object.known
            let meant = members.compactMap { member in
                known.keys.contains(member.name)
                    ? member.key : KeySuggestion.spelling(of: member.key, among: known)
            }
            let claims = Dictionary(meant.map { ($0, 1) }, uniquingKeysWith: +)
            for member in members where !known.keys.contains(member.name) {
                guard let verdict = verdict(on: member, in: object, known, besides: members) else { continue }
                let same = KeySuggestion.spelling(of: member.key, among: known)
                let isFree = same.map { claims[$0] == 1 } ?? false
                sites.append(
                    KeySite(
                        member: member, object: object, verdict: verdict,
                        renaming: same.flatMap { isFree ? [LintEdit(member.keyRange, $0.writtenAsJSON)] : nil }))
            }
        }
        addKeys(of: members, .root)
        for member in members where Association.isKnown(member.key) && member.name != "applinks" {
            addKeys(of: member.value.members, .service(member.key))
        }
        if let applinks { addKeys(of: applinks.node.members, .applinks) }
        for entry in entries {
            addKeys(of: entry.node.members, .entry(entry))
            for rule in entry.rules where rule.form == .component { addKeys(of: rule.node.members, .component(rule)) }
        }
        for site in defaults { addKeys(of: site.node.members, .defaults(site)) }
        return sites
    }

    /// nil: not a fault.
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
            // Used as comments, because JSON has none.
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

    var node: JSONNode? {
        switch self {
        case .component(let rule): rule.node
        case .defaults(let site): site.node
        case .entry(let entry): entry.node
        case .root, .service, .applinks: nil
        }
    }

    var pointer: String {
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

/// Which key was probably meant: known misspellings first, then the nearest by edit distance.
enum KeySuggestion {
    /// The valid keys at one place.
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

    /// Common mistakes and what they mean, if the edit distance alone does not find it.
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

    /// - Returns: nil if no key is near, or if the key is one of the candidates.
    static func nearest(to key: String, among candidates: Candidates) -> String? {
        guard key.utf8.count <= 40, !candidates.keys.contains(ExactText(key)) else { return nil }
        let plain = plainForm(key)
        guard !plain.isEmpty else { return nil }
        if let same = spelling(of: key, among: candidates) { return same }
        let word = String(decoding: plain, as: UTF8.self)
        // In a component `path` means the pattern "/", elsewhere the list "paths".
        if candidates.keys.contains("/"), word == "path" || word == "paths" { return "/" }
        if let meant = known[word], candidates.keys.contains(ExactText(meant)) { return meant }
        let allowed = plain.count >= 8 ? 2 : plain.count >= 4 ? 1 : 0
        var best: (key: String, distance: Int)?
        for candidate in candidates.plain
        where candidate.form.count > 1 && abs(candidate.form.count - plain.count) <= allowed {
            let distance = Spelling.distance(plain, candidate.form)
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate.key, distance) }
        }
        return best?.key
    }

    /// The candidate with the same plain form.
    static func spelling(of key: String, among candidates: Candidates) -> String? {
        guard key.utf8.count <= 40 else { return nil }
        let plain = plainForm(key)
        return candidates.plain.first { !plain.isEmpty && $0.form == plain }?.key
    }

    /// Without case, separators and stray characters: `App-Links` and `applinks` are equal.
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
}
