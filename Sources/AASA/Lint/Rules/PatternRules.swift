// Patterns: in a notation that is not Apple's, with a part of the URL that they are not compared with, or with
// characters that an encoded URL cannot contain.

/// The part of a path that has a meaning for another program, but is literal for a device.
enum ForeignNotation: LintRule {
    static let description = LintRuleDescription(
        id: "foreign-notation", severity: .warning,
        title: "a path that looks like a route or a regular expression of another program",
        why: """
            ":id", "{id}", "[slug]" and "<int:id>" are parameters of routers; "[0-9]+", "(en|de)" and ".*" are \
            regular expressions. Devices know only "*", "?" and "$(name)", and compare everything else literally. \
            This is not an error, because a URL may contain such a text. "*" also matches slashes: there is no \
            wildcard for a single folder.
            """,
        example: LintExample.components(#"{"/": "/users/{id}"}"#, #"{"/": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/users/?*"}"#, #"{"/": "/buy/*"}"#),
        fix:
            "write \"*\" for any text, \"?*\" for at least one character, and one component or a value of a substitution "
            + "variable for each alternative",
        reference: LintReference.components,
        seen:
            "documented: applinks, components, only *, ? and $(name); asked for: ionic-team/ionic-plugin-deeplinks#189"
    )

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let part = site.notation, HostInPath.fault(of: site) == nil, QueryInPath.fault(of: site) == nil
            else { continue }
            findings.add(
                site,
                "\(Quoted.json(part)) in \(Quoted.json(site.text)) looks like the notation of a router or of regular "
                    + "expressions; devices compare it literally")
        }
    }

    /// Longer paths and brackets are not checked.
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
                // .* and .+ of regular expressions and of Android; an exclusion of /.* is about hidden files.
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

    /// After a colon, a lower-case name and an optional modifier. Titles such as `/wiki/:Category` do not count.
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

extension URLRule {
    /// Whether a component has no keys except its path and `exclude`.
    fileprivate var isOfPathAlone: Bool {
        node.members?.allSatisfy { ["/", "exclude"].contains($0.name) } ?? true
    }
}

enum HostInPath: LintRule {
    static let description = LintRuleDescription(
        id: "host-in-path", severity: .error, title: "a scheme or a host inside a path pattern",
        why: """
            Devices compare a path pattern only with the URL's path, from its first slash on. A pattern that begins \
            with https:// or with a host name, with or without a slash before it, never matches the URL that it \
            looks like.
            """,
        example: LintExample.components(#"{"/": "https://acme.com/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write only the path; each domain has its own file", reference: LintReference.components,
        seen: "documented: applinks, components, \"/\" is the path; after a slash: avioli/uni_links#76")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let seen = fault(of: site) else { continue }
            findings.add(
                site,
                "\(Quoted.json(site.text)) begins with \(seen); devices compare "
                    + "\(Quoted.json(PathNormalization.normalize(site.text))) with the path of the URL, the part "
                    + "after the host, so it does not match the URL that it looks like",
                fix: path(of: site.text).map { "write \(Quoted.json($0)); each domain has its own file" })
        }
    }

    /// What follows the host; nil if a variable or a wildcard may be part of the host.
    private static func path(of text: String) -> String? {
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text.drop { $0 == "/" }
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        guard !host.isEmpty, !host.contains("$") else { return nil }
        let path = rest[host.endIndex...]
        return path.isEmpty ? "/" : path.first == "/" ? String(path) : "/" + path
    }

    static func fault(of site: PatternSite) -> String? {
        guard site.part == .path else { return nil }
        // Nearly all paths begin with one slash and have no scheme or host. Two slashes begin a URL without a scheme.
        let slashes = site.text.utf8.prefix { $0 == UInt8(ascii: "/") }.count
        if slashes == 1, !site.text.utf8.contains(UInt8(ascii: ".")), !site.text.utf8.contains(UInt8(ascii: ":")) {
            return nil
        }
        let text = String(site.literal.unicodeScalars.prefix(300)).drop { $0 == "/" }.lowercased()
        if let scheme = ["https:", "http:", "*://"].first(where: text.hasPrefix) { return "the scheme '\(scheme)'" }
        if let end = text.firstRange(of: "://"), text[..<end.lowerBound].allSatisfy({ $0.isLetter || $0 == "+" }),
            end.lowerBound > text.startIndex
        {
            return "a scheme"
        }
        // Text that looks like a domain before the first slash.
        let host = text.prefix { $0 != "/" && $0 != "?" }
        if host.hasPrefix("www.") { return "a host" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= (host.endIndex == text.endIndex ? 3 : 2), let first = labels.first,
            let last = labels.last,
            topDomains.contains(String(last)),
            labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || "-*".contains($0) } })
        else { return nil }
        // Callbacks often have a bundle ID in their path: /com.acme.app/callback.
        if first == "com" || reversed.contains(String(first)) && !reversed.contains(String(last)) { return nil }
        // After a slash, two words can be a path: /about.us/team, /log.in/now.
        if slashes == 1, labels.count == 2, words.contains(String(last)) { return nil }
        return "a host"
    }

    /// Top-level domains that are words.
    private static let words: Set<String> = ["us", "in", "it", "at", "be", "me", "no"]
    /// Also the usual first labels of bundle IDs.
    private static let reversed: Set<String> = ["com", "net", "org", "io"]
    private static let topDomains: Set<String> = reversed.union([
        "app", "co", "dev", "de", "jp", "uk", "fr", "ru", "cn", "link", "page", "eu", "us", "in", "br", "au", "ca",
        "it",
        "es", "nl", "se", "pl", "ch", "at", "kr", "tw", "mx", "nz", "be", "dk", "no", "fi", "cz", "tr", "vn", "me",
        "tv",
        "ai", "gg", "shop", "store", "site", "online", "cloud", "tech", "xyz", "edu", "gov", "biz",
    ])
}

enum QueryInPath: LintRule {
    static let description = LintRuleDescription(
        id: "query-in-path", severity: .error, title: "a query or a fragment inside a path pattern",
        why: """
            Devices compare a path pattern only with the path: "?" in it means any one character, and a path never \
            contains "#". Components have the keys "?" and "#" for these parts. "paths" has no such keys, and \
            ignores the query and the fragment.
            """,
        example: LintExample.components(#"{"/": "/buy?id=*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"id": "?*"}}"#),
        fix: "put the query under \"?\" of a component, and the fragment under \"#\"",
        reference: LintReference.components,
        seen: "corpus: 2 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let seen = fault(of: site) else { continue }
            let (comparison, fix) =
                seen == .query
                ? ("\"?\": here it means any one character, and the query is not compared", "put the query under \"?\"")
                : ("\"#\", but a path ends before the URL's \"#\": it never matches", "put the fragment under \"#\"")
            findings.add(
                site, "\(Quoted.json(site.text)) contains \(comparison)",
                fix: site.rule.form == .path ? "write a component, and \(fix); \"paths\" has no key for it" : fix)
        }
    }

    enum Fault {
        case query
        case fragment
    }

    static func fault(of site: PatternSite) -> Fault? {
        guard site.part == .path, HostInPath.fault(of: site) == nil else { return nil }
        // Decoded paths may contain a `#`.
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

    /// Whether a byte is common in names of query items.
    static func mayStandInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

enum MalformedNot: LintRule {
    static let description = LintRuleDescription(
        id: "malformed-not", severity: .error, title: "a NOT that does not exclude",
        why: """
            In "paths", the four characters "NOT " at the start exclude, with exactly one space. In any other \
            spelling they are part of the pattern, which then matches nothing. A component has "exclude" and no NOT.
            """,
        example: LintExample.paths(#""NOT/help/*", "/buy/*""#),
        fixedExample: LintExample.paths(#""NOT /help/*", "/buy/*""#),
        fix: "write \"NOT /path\" in \"paths\", or \"exclude\": true in a component",
        reference: LintReference.archivedGuide,
        seen: "documented: Support Universal Links, \"NOT \"")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let seen = fault(of: site) else { continue }
            let text = site.node.string ?? ""
            let path = String(text.unicodeScalars.dropFirst(3)).trimmingBlanks
            findings.add(
                site, "\(Quoted.json(text)) excludes nothing: \(seen)",
                fix: site.rule.form == .component && path.hasPrefix("/") && site.rule.isOfPathAlone
                    ? "write \(Quoted.component("NOT " + path, isExclusion: true))" : nil,
                remedy: .repair(spaced(site)))
        }
    }

    /// In "paths", NOT with its one space.
    private static func spaced(_ site: PatternSite) -> [LintEdit]? {
        let text = (site.node.string ?? "").trimmingBlanks
        let path = String(text.unicodeScalars.dropFirst(3)).trimmingBlanks
        guard site.rule.form == .path, text.lowercased().hasPrefix("not"), path.hasPrefix("/") || path.hasPrefix("*")
        else { return nil }
        return [LintEdit(site.range, "NOT \(path)".writtenAsJSON)]
    }

    static func fault(of site: PatternSite) -> String? {
        guard site.part == .path, site.node.string?.utf8.first != UInt8(ascii: "/") else { return nil }
        let text = String((site.node.string ?? "").unicodeScalars.prefix(40)).lowercased()
        if site.rule.form == .component {
            return text.hasPrefix("not ") || text.hasPrefix("not/") ? "a component has no NOT" : nil
        }
        if site.rule.isExclusion {
            let rest = site.text.unicodeScalars.first
            return rest == nil || rest?.properties.isWhitespace == true ? "exactly one space must follow NOT" : nil
        }
        if text.trimmingBlanks.hasPrefix("not "), !text.hasPrefix("not ") { return "there is a space before NOT" }
        if text == "not" { return "no path follows NOT" }
        if text.hasPrefix("not"), let next = text.unicodeScalars.dropFirst(3).first,
            next == "/" || next == "*" || next == ":" || next.properties.isWhitespace
        {
            return "exactly one space must follow NOT"
        }
        if text.hasPrefix("!") { return "'!' does not exclude" }
        return nil
    }
}

enum PatternNotEncoded: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-not-encoded", severity: .error, title: "a space or a non-ASCII character in a pattern",
        why: """
            Devices compare patterns and URLs in percent-encoded form, which contains no spaces, no non-ASCII \
            letters, and no typographic dashes or quotes: the pattern never matches. The same is true for the value \
            of a variable in a pattern. With "percentEncoded": false, devices decode the URL first (iOS 14).
            """,
        example: LintExample.components(#"{"/": "/café/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/café/*", "percentEncoded": false}"#, #"{"/": "/caf%C3%A9/*"}"#),
        fix: "percent-encode it, or set \"percentEncoded\": false", reference: LintReference.whatsNew2020,
        seen: "documented: WWDC 2020, 10098, Unicode in patterns; spaces: flutter/flutter#75402")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where MalformedNot.fault(of: site) == nil && site.notation == nil {
            guard let scalar = offending(site) else { continue }
            findings.add(
                site,
                "\(scalar.visible) in \(Quoted.json(site.text)) never occurs in an encoded URL, so the pattern never matches",
                fix: trimmed(site).map { "write \(Quoted.json($0))" } ?? fix(site),
                remedy: .repair(trimmed(site).map { [LintEdit(site.range, $0.writtenAsJSON)] }))
        }
        let custom = subject.applinks?.variables.custom ?? []
        guard !custom.isEmpty else { return }
        let encoded = subject.patterns.filter { $0.rule.isPercentEncoded && $0.pattern?.elements != nil }
        let used = Set(encoded.flatMap { UnusedVariable.names(in: $0.text) }.map(ExactText.init(_:)))
        for variable in custom where used.contains(ExactText(variable.name)) { checkValues(of: variable, &findings) }
    }

    /// The text without the spaces around it; nil if that does not correct it.
    private static func trimmed(_ site: PatternSite) -> String? {
        let trimmed = site.text.trimmingBlanks
        guard !trimmed.isEmpty, !trimmed.isExactly(site.text), offending(trimmed) == nil else { return nil }
        return site.not + trimmed
    }

    private static func fix(_ site: PatternSite) -> String? {
        // No URL contains the characters that editors insert, encoded or not.
        if let scalar = offending(site.literal), scalar.isTypographic || scalar.isInvisible {
            return "type the text again in a plain text editor"
        }
        return site.rule.form == .path ? "percent-encode it; \"paths\" has no other form" : nil
    }

    private static func checkValues(of variable: SubstitutionVariables.Custom, _ findings: inout FindingSink) {
        // A list may contain both forms, for encoded and decoded patterns.
        lazy var values = Set(variable.values.map(ExactText.init(_:)))
        for (index, element) in variable.written.enumerated() {
            guard let text = element.string, !text.holdsVariable, let scalar = offending(text),
                !values.contains(ExactText(PercentCoding.encodingWhatMustBe(text)))
            else { continue }
            findings.add(
                element.range, variable.pointer(at: index),
                "\(scalar.visible) in the value \(Quoted.json(text)) of the variable \(Quoted.json(variable.name)) never "
                    + "occurs in an encoded URL, so the value never matches",
                fix:
                    "write \(Quoted.json(PercentCoding.encodingWhatMustBe(text))), or set \"percentEncoded\": false where "
                    + "the variable is used")
        }
    }

    /// The first character that an encoded URL cannot contain.
    static func offending(_ site: PatternSite) -> Unicode.Scalar? {
        site.rule.isPercentEncoded && site.pattern != nil ? offending(site.literal) : nil
    }

    private static func offending(_ text: String) -> Unicode.Scalar? {
        guard !text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return text.unicodeScalars.first { $0.value <= 0x20 || $0.value >= 0x7F }
    }
}

enum PatternEscape: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-escape", severity: .warning, title: "a percent escape in a form that URLs do not have",
        why: """
            Browsers write escapes with upper-case digits, and devices compare the escapes as they are: %e3 and %E3 \
            differ, unless "caseSensitive" is false. With "percentEncoded": false, devices decode the URL but not \
            the pattern (observed): %20 in the pattern then means three characters, which a decoded URL hardly ever \
            contains.
            """,
        example: LintExample.components(#"{"/": "/caf%c3%a9/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/caf%C3%A9/*"}"#),
        fix: "write the digits A to F in upper case", reference: "https://www.rfc-editor.org/rfc/rfc3986#section-2.1",
        seen: "documented: RFC 3986, 2.1; WWDC 2020, 10098, \"percentEncoded\"")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.pattern != nil && site.notation == nil {
            let isEncoded = site.rule.isPercentEncoded
            if isEncoded, !site.rule.isCaseSensitive { continue }
            guard let escape = escape(in: site.literal, isLowerCase: isEncoded) else { continue }
            findings.add(
                site,
                isEncoded
                    ? "\(Quoted.json(escape)) in \(Quoted.json(site.text)) is written in lower case; browsers write "
                        + "\(Quoted.json(escape.uppercased())), and the two differ"
                    : "\(Quoted.json(site.text)) contains an escape, but devices decode the URL before they compare it",
                fix: isEncoded ? nil : "write the plain character, or remove \"percentEncoded\": false")
        }
    }

    /// The first `%xx`, or the first with a lower-case letter.
    private static func escape(in text: String, isLowerCase: Bool) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        var rest = text[...]
        while let start = rest.firstIndex(of: "%") {
            rest = rest[start...]
            let digits = rest.dropFirst().prefix(2)
            if digits.count == 2, digits.allSatisfy(\.isHexDigit),
                !isLowerCase || digits.contains(where: { ("a"..."f").contains($0) })
            {
                return String(rest.prefix(3))
            }
            rest = rest.dropFirst()
        }
        return nil
    }
}

enum PatternNormalized: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-normalized", severity: .note, title: "a path pattern that devices change before use",
        why: """
            Devices add a slash before a path pattern that begins with neither / nor *, and reduce // and ** to one \
            character. They also add a final slash, to patterns and URLs alike; this rule does not report that.
            """,
        example: LintExample.components(#"{"/": "buy/**"}"#), fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write it as devices read it", reference: LintReference.components,
        seen: "corpus: 3 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.part == .path && !findings.isFull {
            guard HostInPath.fault(of: site) == nil, MalformedNot.fault(of: site) == nil, site.notation == nil,
                site.text.trimmingBlanks.isExactly(site.text)
            else { continue }
            let read = PathNormalization.normalize(site.text)
            guard !read.isExactly(site.text), !read.isExactly(site.text + "/") else { continue }
            // Devices add a final slash to the URL too.
            let written = read.hasSuffix("/") && !site.text.hasSuffix("/") ? String(read.dropLast()) : read
            findings.add(
                site, "devices read \(Quoted.json(site.text)) as \(Quoted.json(read))",
                remedy: .tidy([LintEdit(site.range, (site.not + written).writtenAsJSON)]))
        }
    }
}
