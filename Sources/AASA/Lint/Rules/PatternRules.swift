// Patterns written in a notation that is not Apple's, or with a part of the URL that they are not compared with.

enum PatternTooComplex: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-too-complex", severity: .error, title: "a pattern with more than 64 wildcards and variables",
        why: "Apple's matcher gives up beyond 64 of them, and the pattern matches nothing (observed in its binaries).",
        example: LintExample.components("{\"/\": \"/" + String(repeating: "?/", count: 65) + "\"}"),
        fixedExample: LintExample.components(#"{"/": "/?*/?*"}"#),
        fix: "use fewer wildcards", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.pattern?.fault == .tooComplex {
            findings.add(
                site.node.range, site.pointer,
                "the pattern \(Quoted.json(site.text)) has more than \(Pattern.maximumWildcards) wildcards and variables; "
                    + "devices give up, and it matches nothing")
        }
    }
}

enum RoutePlaceholder: LintRule {
    static let description = LintRuleDescription(
        id: "route-placeholder", severity: .error, title: "a placeholder of a web framework in a path",
        why: """
            ":id", "{id}", "[id]" and "<id>" are the notation of routers. Devices know "*", "?" and "$(name)" alone and compare \
            the rest as it stands, so the pattern matches no real URL.
            """,
        example: LintExample.components(#"{"/": "/users/:id"}"#),
        fixedExample: LintExample.components(#"{"/": "/users/?*"}"#),
        fix: "write \"*\", \"?*\" for at least one character, or a substitution variable",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let part = placeholder(in: site) else { continue }
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(part)) in \(Quoted.json(site.text)) is not a wildcard; devices compare it as it stands",
                fix: "write \(Quoted.json(site.text.replacing(part, with: "?*")))")
        }
    }

    static func placeholder(in site: PatternSite) -> String? {
        guard site.part == .path || site.part == .fragment, site.pattern != nil else { return nil }
        // Scalars: one with a combining mark behind it is one character.
        for segment in site.literal.unicodeScalars.split(separator: "/") {
            let name = segment.dropFirst()
            if segment.first == ":", name.first?.properties.isAlphabetic == true, name.allSatisfy(isName) {
                return String(segment)
            }
            for (open, close) in [("{", "}"), ("[", "]"), ("<", ">")] as [(Unicode.Scalar, Unicode.Scalar)] {
                guard let start = segment.firstIndex(of: open), let end = segment[start...].firstIndex(of: close) else {
                    continue
                }
                let name = segment[segment.index(after: start)..<end]
                let isSet = open == "[" && segment.index(after: end) < segment.endIndex
                if !isSet, name.first?.properties.isAlphabetic == true, name.allSatisfy({ isName($0) || $0 == "." }) {
                    return String(segment[start...end])
                }
            }
        }
        return nil
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_" || scalar == "-"
            || scalar.properties.generalCategory == .nonspacingMark
    }
}

enum RegularExpression: LintRule {
    static let description = LintRuleDescription(
        id: "regular-expression", severity: .error, title: "a regular expression in a pattern",
        why: """
            Patterns have "*" for any run of characters, "?" for one, and "$(name)" for a variable. Devices compare everything \
            else as it stands: "[a-z]*" and "\\d+" match no real URL, and "/buy/.*" matches only what has the dot.
            """,
        example: LintExample.components(#"{"/": "/items/[0-9]+"}"#),
        fixedExample: LintExample.components(#"{"/": "/items/?*"}"#),
        fix: "write \"*\" for any run of characters, \"?\" for one, \"$(digit)\" or \"$(alpha)\" for one of a class",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let part = expression(in: site) else { continue }
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(part)) in \(Quoted.json(site.text)) is written as a regular expression; devices compare it as it "
                    + "stands")
        }
    }

    /// The part that only a regular expression has.
    static func expression(in site: PatternSite) -> String? {
        guard site.part == .path || site.part == .fragment, site.pattern != nil,
            // Most patterns have none of these, and the search below takes a tenth of a linter's time.
            site.text.utf8.contains(where: #"\()[]+.^$"#.utf8.contains), RoutePlaceholder.placeholder(in: site) == nil
        else { return nil }
        let text = Array(site.literal.utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
        func first(_ byte: Character, from start: Int) -> Int? {
            text[start...].firstIndex { Character(UnicodeScalar($0)) == byte }
        }
        for sign in signs {
            guard let place = text.firstRange(of: sign) else { continue }
            // A sign behind a bracket is shown with all between the brackets.
            let opening: UInt8? =
                switch sign[0] {
                case UInt8(ascii: "]"): UInt8(ascii: "[")
                case UInt8(ascii: ")"): UInt8(ascii: "(")
                default: nil
                }
            let start = opening.flatMap { text[..<place.lowerBound].lastIndex(of: $0) } ?? place.lowerBound
            return part(start..<place.upperBound)
        }
        // A path of hidden files may be excluded; nobody opens one.
        if text.firstRange(of: Array("/.*".utf8)) != nil, !site.rule.isExclusion { return ".*" }
        if text.first == UInt8(ascii: "^") { return "^" }
        if text.last == UInt8(ascii: "$"), site.text.utf8.last == UInt8(ascii: "$"), text.count > 1 { return "$" }
        if let open = first("(", from: 0), let bar = first("|", from: open), let close = first(")", from: bar) {
            return part(open..<close + 1)
        }
        guard let open = first("[", from: 0), let close = first("]", from: open) else { return nil }
        return text[open..<close].contains(UInt8(ascii: "-")) ? part(open..<close + 1) : nil
    }

    private static let signs = [
        "\\d", "\\w", "\\s", "\\.", "\\/", "(?", ".+", "[^", "]*", "]+", "]{", ")*", ")+", ")?",
    ].map { Array($0.utf8) }
}

enum HostInPath: LintRule {
    static let description = LintRuleDescription(
        id: "host-in-path", severity: .error, title: "a scheme or a host inside a path pattern",
        why: """
            A path pattern is compared with the URL's path alone, from its first slash. One that begins with https:// or with \
            the name of a host never matches.
            """,
        example: LintExample.components(#"{"/": "https://acme.com/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write the path alone; each domain has a file of its own", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let seen = fault(of: site) else { continue }
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(site.text)) begins with \(seen); devices compare "
                    + "\(Quoted.json(PathNormalization.normalize(site.text))) with the path of the URL, which is what follows the "
                    + "host, so it does not match the URL that it looks like")
        }
    }

    static func fault(of site: PatternSite) -> String? {
        guard site.part == .path else { return nil }
        // Nearly all paths begin with one slash; then there is neither. Two are the form of a URL without its scheme.
        let isRelative = site.text.utf8.starts(with: Array("//".utf8))
        guard isRelative || site.text.utf8.first != UInt8(ascii: "/") else { return nil }
        let text = String(site.literal.unicodeScalars.prefix(300)).drop { isRelative && $0 == "/" }.lowercased()
        if let scheme = ["https:", "http:", "*://"].first(where: text.hasPrefix) { return "the scheme '\(scheme)'" }
        if let end = text.firstRange(of: "://"), text[..<end.lowerBound].allSatisfy({ $0.isLetter || $0 == "+" }),
            end.lowerBound > text.startIndex
        {
            return "a scheme"
        }
        // Something that looks like a domain before the first slash.
        let host = text.prefix { $0 != "/" && $0 != "?" }
        if host.hasPrefix("www.") { return "a host" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.endIndex != text.endIndex, labels.count >= 2, let last = labels.last,
            ["com", "net", "org", "io", "app", "co", "dev", "de", "jp", "uk", "fr", "ru", "cn", "link", "page"]
                .contains(String(last)),
            labels.allSatisfy({ !$0.isEmpty })
        else { return nil }
        return "a host"
    }
}

enum QueryInPath: LintRule {
    static let description = LintRuleDescription(
        id: "query-in-path", severity: .error, title: "a query or a fragment inside a path pattern",
        why: """
            A path pattern is compared with the path alone: "?" in it stands for one character, and "#" never occurs in a \
            path. Components have "?" and "#" for these parts; "paths" has nothing, and leaves query and fragment out of \
            account.
            """,
        example: LintExample.components(#"{"/": "/buy?id=*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"id": "?*"}}"#),
        fix: "move it to \"?\" or \"#\" of a component", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let seen = fault(of: site) else { continue }
            let comparison =
                seen == .query
                ? "in which '?' of a pattern stands for any one character and the URL's query is not looked at"
                : "which ends before the URL's '#'"
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(site.text)) holds \(seen.rawValue); devices compare all of it with the path of the URL, "
                    + "\(comparison), so it does not match the URL that it looks like",
                fix: site.rule.form == .path
                    ? "write a component, and move it to \"?\" or \"#\" there; \"paths\" has nothing for it" : nil)
        }
    }

    enum Fault: String {
        case query = "a query"
        case fragment = "a fragment"
    }

    static func fault(of site: PatternSite) -> Fault? {
        guard site.part == .path, HostInPath.fault(of: site) == nil else { return nil }
        // Decoded paths may hold a `#`.
        if site.rule.isPercentEncoded, site.literal.utf8.contains(UInt8(ascii: "#")) { return .fragment }
        var rest = site.literal.utf8[...]
        while let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            rest = rest[rest.index(after: mark)...]
            let name = rest.prefix(while: mayStandInName)
            if !name.isEmpty, rest[name.endIndex...].first == UInt8(ascii: "=") { return .query }
            rest = rest[name.endIndex...]
        }
        return nil
    }

    /// Whether a byte is one of those that names of query items usually consist of.
    static func mayStandInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

enum LeadingSign: LintRule {
    static let description = LintRuleDescription(
        id: "leading-sign", severity: .error, title: "a query pattern that begins with ?, or a fragment pattern with #",
        why: """
            "?" is compared with what follows the URL's question mark, and "#" with what follows its hash sign. A question mark \
            in a pattern stands for any one character, so "?a=1" asks for one more character in front of a=1; a fragment that \
            begins with # does not occur.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": "?color=*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": "color=*"}"#),
        fix: "take the sign out", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where isFault(site) {
            let sign = site.part == .query ? "?" : "#"
            let rest = String(site.text.unicodeScalars.dropFirst())
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(site.text)) is compared with what follows the URL's '\(sign)', so it does not match a URL that "
                    + "ends in \(Quoted.json(site.text))",
                fix: rest.isEmpty ? nil : "write \(Quoted.json(rest))")
        }
    }

    static func isFault(_ site: PatternSite) -> Bool {
        guard site.pattern != nil else { return false }
        let text = site.text.utf8
        switch site.part {
        case .fragment: return text.first == UInt8(ascii: "#")
        case .query:
            // "?*" is right: at least one character. A name and its "=" behind the sign show what was meant.
            guard text.first == UInt8(ascii: "?") else { return false }
            let name = text.dropFirst().prefix(while: QueryInPath.mayStandInName)
            return !name.isEmpty && text[name.endIndex...].first == UInt8(ascii: "=")
        case .path, .queryItem: return false
        }
    }
}

enum MalformedNot: LintRule {
    static let description = LintRuleDescription(
        id: "malformed-not", severity: .error, title: "a NOT that does not exclude",
        why: """
            In "paths" the four characters "NOT " in front exclude, with exactly one blank. Written otherwise they are part of \
            the pattern, which then matches nothing. In a component there is "exclude" and no NOT.
            """,
        example: LintExample.paths(#""NOT/help/*", "/buy/*""#),
        fixedExample: LintExample.paths(#""NOT /help/*", "/buy/*""#),
        fix: "write \"NOT /path\" in \"paths\", \"exclude\": true in a component",
        reference: LintReference.archivedGuide)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let seen = fault(of: site) else { continue }
            findings.add(
                site.node.range, site.pointer, "\(Quoted.json(site.node.string ?? "")) excludes nothing: \(seen)")
        }
    }

    static func fault(of site: PatternSite) -> String? {
        guard site.part == .path, site.node.string?.utf8.first != UInt8(ascii: "/") else { return nil }
        let text = String((site.node.string ?? "").unicodeScalars.prefix(40)).lowercased()
        if site.rule.form == .component {
            return text.hasPrefix("not ") || text.hasPrefix("not/") ? "a component has no NOT" : nil
        }
        if site.rule.isExclusion {
            let rest = site.text.unicodeScalars.first
            return rest == nil || rest?.properties.isWhitespace == true ? "exactly one blank follows NOT" : nil
        }
        if text.trimmingBlanks.hasPrefix("not "), !text.hasPrefix("not ") { return "a blank stands in front of NOT" }
        if text == "not" { return "no path follows NOT" }
        if text.hasPrefix("not"), let next = text.unicodeScalars.dropFirst(3).first,
            next == "/" || next == "*" || next == ":" || next.properties.isWhitespace
        {
            return "exactly one blank follows NOT"
        }
        if text.hasPrefix("!") { return "'!' is no sign of exclusion" }
        return nil
    }
}

enum NotLowerCase: LintRule {
    static let description = LintRuleDescription(
        id: "not-lower-case", severity: .warning, title: "\"not\" in lower case in front of a path",
        why: """
            Apple documents "NOT " in upper case. Current systems read it without regard to case (observed); other readers \
            of the file take it for a part of the path.
            """,
        example: LintExample.paths(#""not /help/*", "*""#), fixedExample: LintExample.paths(#""NOT /help/*", "*""#),
        fix: "write NOT in upper case", reference: LintReference.archivedGuide)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.rule.form == .path && site.rule.isExclusion {
            guard let text = site.node.string, !text.hasPrefix("NOT ") else { continue }
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(text)) excludes on current systems; Apple documents NOT in upper case only")
        }
    }
}
