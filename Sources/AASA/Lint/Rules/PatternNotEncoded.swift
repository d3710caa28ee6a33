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
        for site in subject.patterns where MalformedNot.fault(of: site) == nil {
            guard let scalar = offending(site) else { continue }
            findings.add(
                site.node.range, site.pointer,
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
