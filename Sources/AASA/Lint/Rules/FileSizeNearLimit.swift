enum FileSizeNearLimit: LintRule {
    static let description = LintRuleDescription(
        id: "file-size-near-limit", severity: .warning, title: "the file is near the limit of 128 KiB",
        why: """
            More than 80 % of what a device reads is used. The entry that crosses 131,072 bytes breaks all links at once, \
            not only its own.
            """,
        example: "(a file of 104,858 bytes)", fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "join patterns with wildcards and variables, drop comments and indentation",
        reference: LintReference.archivedGuide)

    static let limit = FileTooLarge.limit * 8 / 10

    static var exampleBytes: [UInt8] {
        let file = Array(description.fixedExample.utf8)
        return file + Array(repeating: UInt8(ascii: "\n"), count: limit + 1 - file.count)
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let count = subject.bytes.count
        guard count > limit, count <= FileTooLarge.limit else { return }
        findings.add(
            limit..<limit + 1, "",
            "the file has \(count) bytes, \(count * 100 / FileTooLarge.limit) % of the \(FileTooLarge.limit) that devices "
                + "read")
    }
}
