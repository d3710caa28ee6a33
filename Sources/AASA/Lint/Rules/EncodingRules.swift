// Characters of patterns: those that stand in no encoded URL, and those that are read as something else.

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

enum BackslashInPattern: LintRule {
    static let description = LintRuleDescription(
        id: "backslash-in-pattern", severity: .warning, title: "a backslash in a pattern",
        why: """
            The backslash is special to Apple's matcher (observed), and URLs do not hold one. It does not make * or ? plain \
            characters: there is no escape for them.
            """,
        example: LintExample.components(#"{"/": "/what\\?"}"#),
        fixedExample: LintExample.components(#"{"/": "/what*"}"#),
        fix: "take it out", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where site.literal.utf8.contains(UInt8(ascii: "\\")) && site.notation == nil {
            findings.add(
                site,
                "\(Quoted.json(site.text)) holds a backslash, which means something else to devices than a plain character"
            )
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
