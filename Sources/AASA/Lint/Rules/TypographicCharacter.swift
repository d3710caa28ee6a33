enum TypographicCharacter: LintRule {
    static let description = LintRuleDescription(
        id: "typographic-character", severity: .error, title: "a character that a word processor has put",
        why: """
            Curly quotes, non-breaking blanks, en dashes and characters of no width come from word processors, chats and \
            web pages. Devices compare character by character: an app ID with one names no app, and a pattern with one \
            matches no URL.
            """,
        example: LintExample.components("{\"/\": \"/spring\u{2013}sale/*\"}"),
        fixedExample: LintExample.components(#"{"/": "/spring-sale/*"}"#),
        fix: "type the text again in a plain text editor", reference: LintReference.details)

    /// Whether a character is one that people do not type into an identifier.
    static func isTypographic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2010...0x2015, 0x2018...0x201F, 0x2026, 0x2032, 0x2033, 0x2212: true
        default: isInvisible(scalar)
        }
    }

    /// Blanks other than the plain one, and characters of no width.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xA0, 0xAD, 0x2000...0x200F, 0x2028...0x202F, 0x205F...0x2064, 0x2066...0x2069, 0x3000, 0xFEFF: true
        default: false
        }
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.appIDs {
            guard case .typographic(let scalar)? = site.fault else { continue }
            findings.add(
                site.range, site.pointer,
                "the app ID \(Quoted.json(site.text ?? "")) holds \(name(scalar)); it is not equal to any app's")
        }
        for site in subject.patterns where site.pattern != nil {
            // Decoded URLs may hold what can be seen, such as a dash.
            let isFault = site.rule.isPercentEncoded ? isTypographic : isInvisible
            guard let scalar = site.literal.unicodeScalars.first(where: isFault) else { continue }
            findings.add(
                site.node.range, site.pointer,
                "the pattern \(Quoted.json(site.text)) holds \(name(scalar)); it matches no URL as people write it")
        }
    }

    /// Such as `U+2013 (en dash)`.
    static func name(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let name = scalar.properties.name.map { " (\($0.lowercased()))" } ?? ""
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + name
    }
}
