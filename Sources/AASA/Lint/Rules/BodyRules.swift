// The body: why a file is not JSON, or why a device does not read it completely.

enum JSONSyntax: LintRule {
    static let description = LintRuleDescription(
        id: "json-syntax", severity: .error, title: "the file is not valid JSON",
        why: """
            Devices read strict JSON: no comments, no trailing commas, nothing before or after. One error anywhere \
            makes devices ignore the whole file. Often the file is something else: an HTML page of a single-page \
            app, a login or a firewall, an RTF document of a word processor, or an empty file.
            """,
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"},]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "correct the text there; a strict JSON parser stops at the same place", reference: LintReference.json,
        seen: "corpus: 33 files")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let error = subject.syntaxError, !SignedFile.isSigned(subject.bytes), !subject.isOtherFile else { return }
        // Nothing more is known about a file that was not read completely.
        let verdict =
            error.cause == .tooDeep ? "the file was not checked" : "the file is not valid JSON, and devices ignore it"
        let reason = error.cause?.explanation ?? error.message
        findings.add(
            error.range, "",
            error.cause == .tooDeep ? "\(verdict): \(error.message); \(reason)" : "\(reason); \(verdict)",
            fix: error.cause?.fix, remedy: .repair(error.edits(in: subject.bytes)),
            related: error.opening.map { [.init(range: $0, pointer: "", message: "the bracket that opens here")] } ?? []
        )
    }
}

enum OtherFile: LintRule {
    static let description = LintRuleDescription(
        id: "other-file", severity: .error, title: "assetlinks.json, the file of Android's App Links",
        why: """
            Each system reads its own file: Android reads /.well-known/assetlinks.json, Apple's devices read \
            /.well-known/apple-app-site-association. If a server sends one file at the path of the other, devices \
            find no app in it, even if it is valid JSON.
            """,
        example:
            #"[{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "#
            + #""package_name": "com.acme.shop", "sha256_cert_fingerprints": ["14:6D:E9"]}}]"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "serve the apple-app-site-association file here, and this one at /.well-known/assetlinks.json",
        reference: LintReference.associatedDomains,
        seen: "documented: Digital Asset Links, statement lists")

    private static let signs = ["\"delegate_permission/", "\"sha256_cert_fingerprints\"", "\"android_app\""]

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard subject.isOtherFile else { return }
        let root = subject.file?.document.root
        let start = subject.bytes.firstIndex { !JSONParser.isBlank($0) } ?? 0
        findings.add(
            root?.opening ?? start..<min(start + 1, subject.bytes.count), "",
            "this is assetlinks.json, the file of Android's App Links; Apple's devices find no app in it")
    }

    /// Searches the text, because it may not be valid JSON. A file that names a service is the association file,
    /// even if it also contains such a text.
    static func isOther(_ bytes: [UInt8], _ root: JSONNode?) -> Bool {
        if let root, Association.namesKnownService(root) { return false }
        func holds(_ text: String) -> Bool { bytes.firstRange(of: Array(text.utf8)) != nil }
        return signs.contains(where: holds)
            && (root != nil || !Association.knownServices.contains { holds("\"\($0)\"") })
    }
}

enum SignedFile: LintRule {
    static let description = LintRuleDescription(
        id: "signed-file", severity: .warning, title: "the file is signed (CMS, PKCS#7)",
        why: """
            iOS 8 required a signed file; iOS 9 and later do not. A device tries CMS only after JSON has failed, and \
            other readers of the file reject it. When the certificate is renewed, somebody has to sign the file \
            again.
            """,
        example: "(DER: 30 82 0A 1F 06 09 2A 86 48 86 F7 0D 01 07 02 …)",
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "serve the plain JSON, unsigned", reference: LintReference.archivedGuide,
        seen: "corpus: 2 files")

    static let exampleBytes: [UInt8] = [0x30, 0x82, 0x0A, 0x1F] + signedData + [0xA0, 0x82, 0x0A, 0x10]

    /// The object identifier of CMS signed data, 1.2.840.113549.1.7.2, in DER.
    private static let signedData: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02,
    ]

    /// Whether the bytes begin like CMS signed data: a sequence whose first element is that identifier.
    static func isSigned(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2, bytes[0] == 0x30 else { return false }
        let lengthBytes = bytes[1] > 0x80 ? Int(bytes[1] & 0x7F) : 0
        return lengthBytes <= 4 && bytes.dropFirst(2 + lengthBytes).starts(with: signedData)
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard subject.syntaxError != nil, isSigned(subject.bytes) else { return }
        findings.add(
            0..<1, "",
            "the file is CMS-signed; devices still read it, but other tools find no JSON; its content was not checked")
    }
}

enum ByteOrderMark: LintRule {
    static let description = LintRuleDescription(
        id: "byte-order-mark", severity: .warning, title: "the file begins with a byte order mark",
        why: """
            Apple's CDN accepted such a file (2026-09-09), but strict parsers reject it (RFC 8259, 8.1), and editors \
            add the mark again silently.
            """,
        example: "\u{FEFF}" + LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "save it as UTF-8 without a byte order mark", reference: LintReference.json + "#section-8.1",
        seen: "observed: Apple's CDN served a file with one, 2026-09-09; documented: RFC 8259, 8.1")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard subject.bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
        findings.add(
            0..<3, "", "the file begins with a byte order mark (EF BB BF), which strict parsers reject",
            remedy: .tidy([LintEdit(0..<3, "")]))
    }
}

enum RootNotObject: LintRule {
    static let description = LintRuleDescription(
        id: "root-not-object", severity: .error, title: "the outermost value is not an object",
        why: "Devices read services only from an object at the root.",
        example: #"[{"applinks": {"details": []}}]"#, fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "begin the file with {\"applinks\": …}", reference: LintReference.associatedDomains,
        seen: "observed: Apple's reader accepts only an object (its binaries)")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let root = subject.file?.document.root, root.members == nil, !subject.isOtherFile else { return }
        // A string that contains the file.
        let isEncodedTwice = root.string?.first { !$0.isWhitespace } == "{"
        findings.add(
            root.shown, "",
            "the outermost value is \(Quoted.kind(root)), not an object; devices read no service from it"
                + (isEncodedTwice ? "; the JSON was encoded twice" : ""),
            fix: isEncodedTwice ? "serve the text of the string itself: encode the object once" : nil)
    }
}

enum FileTooLarge: LintRule {
    static let description = LintRuleDescription(
        id: "file-too-large", severity: .error, title: "the file is larger than 128 KiB",
        why: """
            A device stops reading at 131,072 bytes (after decompression) and rejects the whole file. Patterns with \
            wildcards and substitution variables keep it small. The linter checks nothing else in such a file.
            """,
        example: "(a file of 131,073 bytes)", fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "combine patterns with wildcards and variables, and remove comments and indentation",
        reference: LintReference.archivedGuide,
        seen: "documented: Support Universal Links, 128 KB; reported: Booking.com's file, iOS 9, 2016")

    /// Bytes, after decompression.
    static let limit = AssociationFile.sizeLimit

    static var exampleBytes: [UInt8] {
        let file = Array(description.fixedExample.utf8)
        return file + Array(repeating: UInt8(ascii: "\n"), count: limit + 1 - file.count)
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard subject.isTooLarge else { return }
        let seen =
            "the file has \(subject.bytes.count) bytes; devices reject more than \(limit); nothing else was checked"
        guard let first = AssociationFile.firstCharacter(of: subject.bytes), !"{[".unicodeScalars.contains(first) else {
            return findings.add(limit..<limit + 1, "", seen)
        }
        findings.add(
            limit..<limit + 1, "", "\(seen); it begins with \(first.visible), so it is not the association file",
            fix: "serve the association file itself, not a page or another file")
    }
}

enum FileSizeNearLimit: LintRule {
    static let description = LintRuleDescription(
        id: "file-size-near-limit", severity: .warning, title: "the file is near the limit of 128 KiB",
        why: """
            The file uses more than 80 % of what a device reads. The entry that crosses 131,072 bytes breaks all \
            links at once, not only its own.
            """,
        example: "(a file of 104,858 bytes)", fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "combine patterns with wildcards and variables, and remove comments and indentation",
        reference: LintReference.archivedGuide,
        seen: "documented: Support Universal Links, 128 KB")

    static let limit = FileTooLarge.limit * 8 / 10

    static var exampleBytes: [UInt8] {
        let file = Array(description.fixedExample.utf8)
        return file + Array(repeating: UInt8(ascii: "\n"), count: limit + 1 - file.count)
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let count = subject.bytes.count
        guard count > limit else { return }
        findings.add(
            limit..<limit + 1, "",
            "the file has \(count) bytes, \(count * 100 / FileTooLarge.limit) % of the \(FileTooLarge.limit) that devices "
                + "read")
    }
}
