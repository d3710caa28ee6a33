// Keys that devices do not read, and what was probably meant by them.

enum MisspeltKey: LintRule {
    static let description = LintRuleDescription(
        id: "misspelt-key", severity: .warning, title: "a key that looks like a misspelling",
        why: """
            Devices ignore keys that they do not know, and keys are case-sensitive. A misspelt "/" lets its component match \
            every path.
            """,
        example: LintExample.components(#"{"path": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "correct the key", reference: LintReference.applinks)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let names = subject.members.contains { Association.isKnown($0.key) }
        if names { look(at: subject.members, "", KeySuggestion.services, &findings) }
        for member in subject.members where Association.isKnown(member.key) && member.name != "applinks" {
            look(at: member.value.members ?? [], "/\(member.key)", KeySuggestion.ofService, &findings)
        }
        guard let applinks = subject.applinks else { return }
        look(at: applinks.node.members ?? [], "/applinks", KeySuggestion.ofApplinks, &findings)
        for entry in subject.entries {
            look(at: entry.node.members ?? [], entry.pointer, KeySuggestion.ofEntry, &findings)
            for rule in entry.rules where rule.form == .component {
                // A misspelt "exclude" is an error of its own.
                let isExcludeRead = rule.node["exclude"] != nil
                let members = rule.node.members ?? []
                look(
                    at: isExcludeRead ? members : members.filter { !ExcludeNotRead.isMeant($0) }, rule.pointer,
                    KeySuggestion.ofComponent,
                    &findings)
            }
        }
        for defaults in subject.defaults {
            look(at: defaults.node.members ?? [], defaults.pointer, KeySuggestion.ofComponent, &findings)
        }
    }

    private static func look(
        at members: [JSONMember], _ pointer: @autoclosure () -> String, _ candidates: KeySuggestion.Candidates,
        _ findings: inout FindingSink
    ) {
        for member in members
        where !findings.isFull && MisplacedKey.home(of: member.name, among: candidates) == nil
            && member.name != "exclude"
        {
            guard let meant = KeySuggestion.nearest(to: member.key, among: candidates) else { continue }
            findings.add(
                member.keyRange, pointer() + "/" + member.key.escapedForPointer,
                "devices do not know the key \(Quoted.json(member.key)) and ignore it; did you mean \"\(meant)\"?",
                fix: "write \"\(meant)\"")
        }
    }
}

enum ExcludeNotRead: LintRule {
    static let description = LintRuleDescription(
        id: "exclude-not-read", severity: .error, title: "an \"exclude\" that devices do not read",
        why: """
            Devices ignore keys that they do not know, and "exclude" counts in a component alone. Misspelt, or beside \
            "paths", it excludes nothing: what it should keep in the browser opens the app.
            """,
        example: LintExample.components(#"{"/": "/help/*", "exlude": true}"#, #"{"/": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/help/*", "exclude": true}"#, #"{"/": "/buy/*"}"#),
        fix: "write \"exclude\": true in a component", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        if let applinks = subject.applinks { look(at: applinks.node, "/applinks", nil, &findings) }
        for entry in subject.entries {
            look(at: entry.node, entry.pointer, entry, &findings)
            for rule in entry.rules where rule.form == .component {
                guard rule.node["exclude"] == nil else { continue }
                for member in rule.node.members ?? [] where isMeant(member) {
                    findings.add(
                        member.keyRange, rule.pointer + "/" + member.key.escapedForPointer,
                        "devices ignore the key \(Quoted.json(member.key)): this component excludes nothing",
                        fix: "write \"exclude\"")
                }
            }
        }
    }

    /// Whether a key of a component was meant to be "exclude". Where the component has that too, another was meant.
    static func isMeant(_ member: JSONMember) -> Bool {
        KeySuggestion.nearest(to: member.key, among: KeySuggestion.ofComponent) == "exclude"
    }

    private static func look(
        at node: JSONNode, _ pointer: @autoclosure () -> String, _ entry: AppLinks.Entry?, _ findings: inout FindingSink
    ) {
        guard let member = node.member("exclude") else { return }
        let usesPaths = entry?.form == .paths
        findings.add(
            member.keyRange, pointer() + "/exclude",
            "devices do not read \"exclude\" here: it excludes nothing"
                + (usesPaths ? "; beside \"paths\" there is NOT" : ""),
            fix: usesPaths
                ? "write \"NOT /path\" in \"paths\", in front of what it is an exception of"
                : "write {\"/\": \"/path\", \"exclude\": true} in \"components\"")
    }
}

enum MisplacedKey: LintRule {
    static let description = LintRuleDescription(
        id: "misplaced-key", severity: .warning, title: "a known key in a place where devices do not read it",
        why: """
            Each key counts in one place: "details" in applinks, "appIDs" and "components" in an entry of it, "/" in a \
            component, "apps" in the other services. Elsewhere devices ignore it.
            """,
        example:
            #"{"webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"], "appIDs": ["D7KQ4ZW2MX.com.acme.staff"]}}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.staff""#),
        fix: "move it to where it belongs", reference: LintReference.details)

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

    /// Where the key belongs, if devices know it and it counts for nothing among these.
    static func home(of key: ExactText, among candidates: KeySuggestion.Candidates) -> String? {
        // In a component "paths" is a misspelt "/".
        let isMisspelling = key == "paths" && candidates.keys.contains("/")
        return candidates.keys.contains(key) || isMisspelling ? nil : homes[key]
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for member in subject.members where !Association.isKnown(member.key) {
            add(member, "", KeySuggestion.services, &findings)
        }
        for service in subject.members
        where Association.isKnown(service.key) && service.name != "applinks" {
            for member in service.value.members ?? [] {
                add(
                    member, "/\(service.key)", KeySuggestion.ofService, &findings,
                    hint: ["appID", "appIDs", "details", "paths", "components"].contains(member.name)
                        ? "; \(Quoted.json(service.key)) has \"apps\" alone, a list of app IDs" : "")
            }
        }
        guard let applinks = subject.applinks else { return }
        for member in applinks.node.members ?? [] { add(member, "/applinks", KeySuggestion.ofApplinks, &findings) }
        for entry in subject.entries {
            for member in entry.node.members ?? [] { add(member, entry.pointer, KeySuggestion.ofEntry, &findings) }
            for rule in entry.rules where rule.form == .component {
                for member in rule.node.members ?? [] {
                    add(member, rule.pointer, KeySuggestion.ofComponent, &findings)
                }
            }
        }
    }

    private static func add(
        _ member: JSONMember, _ pointer: @autoclosure () -> String, _ candidates: KeySuggestion.Candidates,
        _ findings: inout FindingSink, hint: String = ""
    ) {
        guard let home = home(of: member.name, among: candidates) else { return }
        findings.add(
            member.keyRange, pointer() + "/" + member.key.escapedForPointer,
            "devices do not read \(Quoted.json(member.key)) here; it belongs \(home)\(hint)",
            fix: hint.isEmpty ? "move it \(home)" : "move the app IDs to \"apps\"")
    }
}

enum UnknownComponentKey: LintRule {
    static let description = LintRuleDescription(
        id: "unknown-component-key", severity: .warning, title: "a key in a component that devices ignore",
        why: """
            A component has "/", "?", "#", "exclude", "comment", "caseSensitive" and "percentEncoded". Devices ignore \
            everything else, so a condition under another name is no condition: the component matches more than meant.
            """,
        example: LintExample.components(#"{"/": "/buy/*", "method": "GET"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*", "comment": "GET only, says the server"}"#),
        fix: "put remarks under \"comment\", and remove what has no effect", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            for rule in entry.rules where rule.form == .component {
                for member in rule.node.members ?? []
                where !findings.isFull && !KeySuggestion.ofComponent.keys.contains(member.name)
                    && KeySuggestion.nearest(to: member.key, among: KeySuggestion.ofComponent) == nil
                    && MisplacedKey.home(of: member.name, among: KeySuggestion.ofComponent) == nil
                {
                    findings.add(
                        member.keyRange, rule.pointer + "/" + member.key.escapedForPointer,
                        "devices ignore the key \(Quoted.json(member.key)) of a component")
                }
            }
        }
    }
}

enum UnknownKey: LintRule {
    static let description = LintRuleDescription(
        id: "unknown-key", severity: .note, title: "a key that devices ignore",
        why: "Devices ignore keys of a service, of applinks or of an entry that they do not know; they have no effect.",
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "name": "shop", "components": [{"/": "/buy/*"}]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "remove it, unless another program reads it", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for member in subject.members where Association.isKnown(member.key) && member.name != "applinks" {
            look(at: member.value, "/\(member.key)", KeySuggestion.ofService, &findings)
        }
        guard let applinks = subject.applinks else { return }
        look(at: applinks.node, "/applinks", KeySuggestion.ofApplinks, &findings)
        for entry in subject.entries { look(at: entry.node, entry.pointer, KeySuggestion.ofEntry, &findings) }
    }

    private static func look(
        at node: JSONNode, _ pointer: @autoclosure () -> String, _ known: KeySuggestion.Candidates,
        _ findings: inout FindingSink
    ) {
        for member in node.members ?? []
        where !findings.isFull && !known.keys.contains(member.name) && !isRemark(member.name)
            && !Association.isKnown(member.key)
            && KeySuggestion.nearest(to: member.key, among: known) == nil
            && MisplacedKey.home(of: member.name, among: known) == nil && member.name != "exclude"
        {
            findings.add(
                member.keyRange, pointer() + "/" + member.key.escapedForPointer,
                "devices ignore the key \(Quoted.json(member.key)) here")
        }
    }

    /// Where people put remarks, since JSON has no comments.
    private static func isRemark(_ key: ExactText) -> Bool {
        ["comment", "comments", "_comment", "//"].contains(key)
    }
}

/// Which key was probably meant. Known misspellings first, then the nearest by edit distance.
enum KeySuggestion {
    /// The keys that count at one place.
    struct Candidates {
        let keys: Set<ExactText>
        fileprivate let plain: [(key: String, form: [UInt8])]

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

extension String {
    /// Without blanks, line breaks and invisible characters at both ends.
    var trimmingBlanks: String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint || scalar.value < 0x20
        }
        let start = unicodeScalars.drop(while: isBlank)
        var end = start
        while let last = end.last, isBlank(last) { end.removeLast() }
        return String(end)
    }
}
