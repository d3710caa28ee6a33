enum JSONSyntax: LintRule {
    static let description = LintRuleDescription(
        id: "json-syntax", severity: .error, title: "the file is no JSON",
        why: """
            Devices read strict JSON: no comments, no trailing commas, nothing before or after. One fault anywhere and the \
            whole file counts for nothing. Often the file is something else: an HTML page of a single-page app, a login or \
            a firewall, an RTF document of a word processor, or nothing at all.
            """,
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"},]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "correct the text there; a strict JSON parser stops at the same place", reference: LintReference.json)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let error = subject.syntaxError, !SignedFile.isSigned(subject.bytes) else { return }
        var end = min(error.offset + 1, subject.bytes.count)
        while end < subject.bytes.count, subject.bytes[end] & 0xC0 == 0x80 { end += 1 }
        // Of what is not read to its end nothing more is known.
        let verdict =
            error.cause == .tooDeep ? "the file is not judged" : "the file is no valid JSON, and devices ignore it"
        findings.add(
            error.offset..<end, "",
            "\(verdict): \(error.message)"
                + (error.cause.map { "; \($0.explanation)" } ?? invisible(subject.bytes[error.offset..<end])),
            fix: fix(for: error.cause))
    }

    /// Words for a character that looks like a plain blank, or like nothing.
    private static func invisible(_ bytes: ArraySlice<UInt8>) -> String {
        guard let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first, scalar.value > 0x7F,
            scalar != "\u{FFFD}", TypographicCharacter.isTypographic(scalar)
        else { return "" }
        return "; it is \(TypographicCharacter.name(scalar)), which JSON does not know outside of strings"
    }

    private static func fix(for cause: JSONSyntaxError.Cause?) -> String? {
        switch cause {
        case .htmlPage: "exempt the file's path from the catch-all route, the login or the firewall, and serve the file"
        case .richText: "save the document as plain text in UTF-8"
        case .utf16, .utf32, .invalidUTF8: "save the file as UTF-8"
        case .empty: "upload the file again; it arrived without content"
        case .gzip:
            "serve the plain text, or send 'Content-Encoding: gzip' with it to those who accept it"
        case .binary: "look what was uploaded in its place, and upload the file itself"
        case .tooDeep: "take levels out; no key that devices read lies deeper than 7 levels"
        case .signed: "serve the plain JSON; signing has not been needed since iOS 9"
        case .comment: "take the comment out; a component has the key \"comment\" for remarks"
        case .trailingComma: "take the comma out"
        case .singleQuotes, .smartQuotes: "put plain double quotes"
        case .severalDocuments: "take out what follows the JSON value"
        case .cutShort: "complete the file; look whether the upload broke off"
        case nil: nil
        }
    }
}
