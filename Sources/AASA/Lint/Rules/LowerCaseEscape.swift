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
        where site.rule.isPercentEncoded && site.rule.isCaseSensitive && site.pattern != nil {
            guard let escape = escape(in: site.literal, where: { $0.contains { ("a"..."f").contains($0) } }) else {
                continue
            }
            findings.add(
                site.node.range, site.pointer,
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
