// Patterns: those in a notation that is not Apple's, with a part of the URL that they are not compared with, or with characters
// that stand in no encoded URL.

/// What of a path means something to another program, and only itself to a device.
enum ForeignNotation: LintRule {
    static let description = LintRuleDescription(
        id: "foreign-notation", severity: .warning,
        title: "a path that looks like a route or a regular expression of another program",
        why: """
            ":id", "{id}", "[slug]" and "<int:id>" are parameters of routers, "[0-9]+", "(en|de)" and ".*" regular \
            expressions. Devices know "*", "?" and "$(name)" alone and compare the rest as it stands. It is no error, since \
            a URL may hold such a text. "*" takes slashes too: there is no wildcard for one folder alone.
            """,
        example: LintExample.components(#"{"/": "/users/{id}"}"#, #"{"/": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/users/?*"}"#, #"{"/": "/buy/*"}"#),
        fix:
            "write \"*\" for any text, \"?*\" for at least one character, and one component or a value of a substitution "
            + "variable for each alternative",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let part = site.notation, HostInPath.fault(of: site) == nil, QueryInPath.fault(of: site) == nil
            else { continue }
            findings.add(
                site,
                "\(Quoted.json(part)) in \(Quoted.json(site.text)) looks like the notation of a router or of regular "
                    + "expressions; devices compare it as it stands")
        }
    }

    /// Longer paths, and longer brackets, are not looked at.
    private static let maximumLength = (path: 1_000, bracket: 100)

    /// The first such part of a path.
    static func part(of path: String, isExclusion: Bool, isPercentEncoded: Bool) -> String? {
        guard path.utf8.count <= maximumLength.path, path.utf8.contains(where: { ":{<[(\\.^$|".utf8.contains($0) })
        else { return nil }
        let bytes = Array(path.utf8)
        var start = 0
        while start < bytes.count {
            let rest = bytes[start...]
            if rest.starts(with: "$(".utf8), let end = rest.firstIndex(of: UInt8(ascii: ")")) {
                start = end + 1
                continue
            }
            let beginsSegment = start == 0 || bytes[start - 1] == UInt8(ascii: "/")
            let end: Int? =
                switch Character(UnicodeScalar(bytes[start])) {
                // :id and :id? of Express, Vue, React Router and Rails.
                case ":" where beginsSegment: endOfParameter(rest)
                // {id} of Spring, OpenAPI and Laravel, {{id}} and ${id} of templates, {en,de} of shells.
                case "{": endOfBracket(rest, "}") { _ in true }
                // <id> and <int:id> of Flask and Django.
                case "<": endOfBracket(rest, ">") { _ in true }
                // [id] and [...slug] of Next.js, Nuxt and SvelteKit, [a-z] and [^/] of regular expressions.
                case "[": endOfBracket(rest, "]") { $0.contains { "-^".contains($0) || $0.isLetter } }
                // (en|de), (.*) and (?:en) of regular expressions; Foo_(bar) is a title.
                case "(":
                    endOfBracket(rest, ")") { inside in
                        ["|", ".*", ".+", "\\", "["].contains(where: inside.contains)
                            || ["?:", "?=", "?!", "?<", "?P"].contains(where: inside.hasPrefix)
                    }
                // \d and \. of regular expressions.
                case "\\": start + min(2, rest.count)
                // .* and .+ of regular expressions and of Android; an exclusion of /.* is one of hidden files.
                case "." where beginsSegment && !isExclusion && rest.dropFirst().first.map("*+".utf8.contains) == true:
                    start + 2
                case "^" where start == 0: start + 1
                case "$" where rest.count == 1: start + 1
                case "|" where isPercentEncoded: start + 1
                default: nil
                }
            if let end { return String(decoding: bytes[start..<end], as: UTF8.self) }
            start += 1
        }
        return nil
    }

    /// Behind a colon, a name in lower case and a sign that may follow it; titles such as `/wiki/:Category` are none.
    private static func endOfParameter(_ rest: ArraySlice<UInt8>) -> Int? {
        let name = rest.dropFirst().prefix { byte in
            let character = Character(UnicodeScalar(byte))
            return byte < 0x80 && (character.isLetter || character.isNumber || character == "_")
        }
        guard let first = name.first, Character(UnicodeScalar(first)).isLowercase else { return nil }
        guard name.endIndex < rest.endIndex else { return name.endIndex }
        return "/?*+(.-".utf8.contains(rest[name.endIndex]) ? name.endIndex : nil
    }

    private static func endOfBracket(
        _ rest: ArraySlice<UInt8>, _ closing: Character, where isMeant: (String) -> Bool
    ) -> Int? {
        guard let end = rest.prefix(maximumLength.bracket).firstIndex(where: { closing.asciiValue == $0 }),
            isMeant(String(decoding: rest[rest.startIndex + 1..<end], as: UTF8.self))
        else { return nil }
        return end + 1
    }
}

enum PatternSeveral: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-several", severity: .error, title: "several paths in one string",
        why: """
            A string is one pattern, and devices compare all of it with the path: a list inside of a string matches no real \
            URL. Each path needs a string, or a component, of its own.
            """,
        example: LintExample.paths(#""/buy/*, /sell/*""#), fixedExample: LintExample.paths(#""/buy/*", "/sell/*""#),
        fix: "write each path as a string of its own", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let paths = paths(in: site) else { continue }
            findings.add(
                site,
                "\(Quoted.json(site.node.string ?? "")) holds \(paths.count) paths; devices compare all of it with the path of "
                    + "one URL",
                fix: site.rule.form == .path
                    ? "write \(Quoted.list(paths))"
                    : "write a component for each: "
                        + paths.prefix(3).map { Quoted.component($0, isExclusion: site.rule.isExclusion) }.joined(
                            separator: ", ")
                        + Quoted.more(paths.count, beyond: 3)
                        + (site.rule.isOfPathAlone ? "" : "; keep the other keys in each"))
        }
    }

    /// The paths of a list that was written as one string.
    static func paths(in site: PatternSite) -> [String]? {
        guard site.part == .path, site.pattern != nil, let text = site.node.string, text.utf8.count <= 10_000,
            text.utf8.contains(where: isDivider)
        else { return nil }
        var paths: [String] = []
        for part in text.utf8.split(whereSeparator: isDivider).compactMap({ String($0) }) {
            if paths.last == "NOT" {
                paths[paths.count - 1] += " " + part
            } else {
                paths.append(part)
            }
        }
        guard paths.count > 1, paths.allSatisfy({ $0.hasPrefix("/") || $0.hasPrefix("NOT /") }) else { return nil }
        // A decoded path may hold a blank, and any path a comma.
        let holdsBlank = text.utf8.contains { $0 <= 0x20 }
        let holdsSign = text.utf8.contains { $0 > 0x20 && isDivider($0) }
        let isSure = holdsBlank && (holdsSign || site.rule.isPercentEncoded)
        return isSure || holdsSign && paths.dropLast().allSatisfy(endsAsPath) ? paths : nil
    }

    /// Whether a path is a whole one: what ends in figures, as `/maps/@1,/x`, goes on behind a comma.
    private static func endsAsPath(_ path: String) -> Bool {
        guard !path.utf8.contains(UInt8(ascii: "@")), !path.utf8.contains(UInt8(ascii: "=")) else { return false }
        return path.utf8.last.map { byte in
            byte == UInt8(ascii: "*") || byte == UInt8(ascii: "/") || UnicodeScalar(byte).properties.isAlphabetic
        } ?? false
    }

    private static func isDivider(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
    }
}

extension URLRule {
    /// Whether a component has no key but its path and whether it excludes.
    fileprivate var isOfPathAlone: Bool {
        node.members?.allSatisfy { ["/", "exclude"].contains($0.name) } ?? true
    }
}

enum PatternBlank: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-blank", severity: .error, title: "a blank or a line break around a pattern",
        why:
            "Devices compare the pattern as a whole. One with a blank at its end matches no real URL, and nothing tells.",
        example: LintExample.components(#"{"/": "/buy/* "}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "take the blanks out", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where isFault(site) {
            let text = site.text.trimmingBlanks
            let written = site.rule.form == .path && site.rule.isExclusion ? "NOT " + text : text
            findings.add(
                site,
                "the pattern \(Quoted.json(site.text)) has a blank or a line break around it, which no URL has there",
                fix: text.isEmpty ? nil : "write \(Quoted.json(written))")
        }
    }

    static func isFault(_ site: PatternSite) -> Bool {
        guard site.pattern != nil, let first = site.text.utf8.first, let last = site.text.utf8.last else {
            return false
        }
        return (first <= 0x20 || last <= 0x20) && MalformedNot.fault(of: site) == nil
            && PatternSeveral.paths(in: site) == nil
    }
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
                site,
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
                site,
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
                site,
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
            // Several paths in one string are the greater fault.
            guard let seen = fault(of: site), PatternSeveral.paths(in: site) == nil else { continue }
            let text = site.node.string ?? ""
            let path = String(text.unicodeScalars.dropFirst(3)).trimmingBlanks
            findings.add(
                site, "\(Quoted.json(text)) excludes nothing: \(seen)",
                fix: site.rule.form == .component && path.hasPrefix("/") && site.rule.isOfPathAlone
                    ? "write \(Quoted.component("NOT " + path, isExclusion: true))" : nil)
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
                site, "\(Quoted.json(text)) excludes on current systems; Apple documents NOT in upper case only")
        }
    }
}

enum PatternNotEncoded: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-not-encoded", severity: .error, title: "a blank or a letter beyond ASCII in a pattern",
        why: """
            Patterns and URLs are compared in percent-encoded form, in which blanks and letters beyond ASCII do not occur: \
            the pattern never matches. With "percentEncoded": false the URL is decoded first (iOS 14).
            """,
        example: LintExample.components(#"{"/": "/café/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/café/*", "percentEncoded": false}"#, #"{"/": "/caf%C3%A9/*"}"#),
        fix: "percent-encode it, or set \"percentEncoded\": false", reference: LintReference.whatsNew2020)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where MalformedNot.fault(of: site) == nil && site.notation == nil {
            guard let scalar = offending(site), !PatternBlank.isFault(site), PatternSeveral.paths(in: site) == nil
            else {
                continue
            }
            findings.add(
                site,
                "\(name(scalar)) in \(Quoted.json(site.text)) never occurs in an encoded URL, so the pattern "
                    + "never matches",
                fix: site.rule.form == .path ? "percent-encode it; \"paths\" has no other form" : nil)
        }
    }

    /// The first character that no encoded URL holds; none where another rule speaks about it.
    static func offending(_ site: PatternSite) -> Unicode.Scalar? {
        guard site.rule.isPercentEncoded, site.pattern != nil,
            let scalar = offending(site.literal),
            !site.literal.unicodeScalars.contains(where: TypographicCharacter.isTypographic)
        else { return nil }
        return scalar
    }

    static func offending(_ text: String) -> Unicode.Scalar? {
        guard !text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return text.unicodeScalars.first { $0.value <= 0x20 || $0.value >= 0x7F }
    }

    /// A character as messages name it: one that cannot be seen by its number.
    static func name(_ scalar: Unicode.Scalar) -> String {
        TypographicCharacter.isTypographic(scalar)
            ? TypographicCharacter.name(scalar) : scalar == " " ? "the blank" : Quoted.text(String(scalar))
    }
}

enum EntityInQuery: LintRule {
    static let description = LintRuleDescription(
        id: "entity-in-query", severity: .error, title: "&amp; in a query pattern",
        why: """
            HTML writes & as &amp; in its source; the URL itself has the sign alone. A pattern copied from a page's source asks \
            for a query that no link sends.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": "color=red&amp;size=*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": "color=red&size=*"}"#),
        fix: "write '&' alone, or one item for each name in the object form of \"?\"", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where isFault(site) {
            findings.add(
                site,
                "\(Quoted.json(site.text)) holds '&amp;', the '&' of HTML source; the query of a URL has '&' alone, so the "
                    + "pattern does not match")
        }
    }

    static func isFault(_ site: PatternSite) -> Bool {
        (site.part == .query || site.part == .queryItem) && site.pattern != nil && site.literal.contains("&amp;")
    }
}

enum LowerCaseEscape: LintRule {
    static let description = LintRuleDescription(
        id: "lower-case-escape", severity: .warning, title: "an escape with lower-case digits",
        why: """
            Browsers encode with upper-case digits, and devices compare the escapes as they are: %e3 and %E3 differ, unless \
            "caseSensitive" is false.
            """,
        example: LintExample.components(#"{"/": "/caf%c3%a9/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/caf%C3%A9/*"}"#),
        fix: "write the digits A to F in upper case", reference: "https://www.rfc-editor.org/rfc/rfc3986#section-2.1")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns
        where site.rule.isPercentEncoded && site.rule.isCaseSensitive && site.pattern != nil && site.notation == nil {
            guard let escape = escape(in: site.literal, where: { $0.contains { ("a"..."f").contains($0) } }) else {
                continue
            }
            findings.add(
                site,
                "\(Quoted.json(escape)) in \(Quoted.json(site.text)) is written in lower case; browsers write "
                    + "\(Quoted.json(escape.uppercased())), and the two differ")
        }
    }

    /// The first `%xx` of a kind.
    static func escape(in text: String, where isMeant: (Substring) -> Bool) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        var rest = text[...]
        while let start = rest.firstIndex(of: "%") {
            rest = rest[start...]
            let digits = rest.dropFirst().prefix(2)
            if digits.count == 2, digits.allSatisfy(\.isHexDigit), isMeant(digits) { return String(rest.prefix(3)) }
            rest = rest.dropFirst()
        }
        return nil
    }
}

enum EscapeNotDecoded: LintRule {
    static let description = LintRuleDescription(
        id: "escape-not-decoded", severity: .warning, title: "an escape in a pattern that is compared decoded",
        why: """
            With "percentEncoded": false the URL is decoded and the pattern is not (observed): %20 in the pattern stands for \
            the three characters, which a decoded URL hardly ever holds.
            """,
        example: LintExample.components(#"{"/": "/red%20shoes/*", "percentEncoded": false}"#),
        fixedExample: LintExample.components(#"{"/": "/red shoes/*", "percentEncoded": false}"#),
        fix: "write the plain character, or drop \"percentEncoded\": false", reference: LintReference.whatsNew2020)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where !site.rule.isPercentEncoded && site.pattern != nil {
            guard LowerCaseEscape.escape(in: site.literal, where: { _ in true }) != nil else { continue }
            findings.add(
                site,
                "\(Quoted.json(site.text)) holds an escape, but URLs are decoded before they are compared with it")
        }
    }
}

enum PatternNormalized: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-normalized", severity: .note, title: "a path pattern that devices change before use",
        why: """
            Devices put a slash in front of a path pattern that begins with neither / nor *, and shrink // and ** to one \
            character. They also add a final slash, to pattern and URL alike; that is not reported.
            """,
        example: LintExample.components(#"{"/": "buy/**"}"#), fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write it as devices read it", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.part == .path && !findings.isFull {
            guard HostInPath.fault(of: site) == nil, MalformedNot.fault(of: site) == nil, site.notation == nil,
                !PatternBlank.isFault(site), PatternSeveral.paths(in: site) == nil
            else { continue }
            let read = PathNormalization.normalize(site.text)
            guard !read.isExactly(site.text), !read.isExactly(site.text + "/") else { continue }
            findings.add(
                site, "devices read \(Quoted.json(site.text)) as \(Quoted.json(read))",
                fix: DoubledSlash.inSomeValue(site, subject).map { "\($0.fix), and write it as devices read it" })
        }
    }
}
