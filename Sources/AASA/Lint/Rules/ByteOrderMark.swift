enum ByteOrderMark: LintRule {
    static let description = LintRuleDescription(
        id: "byte-order-mark", severity: .warning, title: "the file begins with a byte order mark",
        why: """
            Apple's CDN was seen to accept such a file (2026-09-09), but strict parsers refuse it (RFC 8259, 8.1), and \
            editors put the mark back without a word.
            """,
        example: "\u{FEFF}" + LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "save it as UTF-8 without byte order mark", reference: LintReference.json + "#section-8.1")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard subject.bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
        findings.add(0..<3, "", "the file begins with a byte order mark (EF BB BF), which strict parsers refuse")
    }
}
