enum FileTooLarge: LintRule {
    static let description = LintRuleDescription(
        id: "file-too-large", severity: .error, title: "the file is larger than 128 KiB",
        why: """
            A device stops reading at 131,072 bytes (after decompression) and treats the whole file as failed. Patterns \
            with wildcards and substitution variables keep it small.
            """,
        example: "(a file of 131,073 bytes)", fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "join patterns with wildcards and variables, drop comments and indentation",
        reference: LintReference.archivedGuide)

    /// Bytes, after decompression.
    static let limit = AssociationFile.sizeLimit

    static var exampleBytes: [UInt8] {
        let file = Array(description.fixedExample.utf8)
        return file + Array(repeating: UInt8(ascii: "\n"), count: limit + 1 - file.count)
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let count = subject.bytes.count
        guard count > limit else { return }
        findings.add(limit..<limit + 1, "", "the file has \(count) bytes; devices refuse more than \(limit)")
    }
}
