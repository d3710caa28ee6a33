enum SignedFile: LintRule {
    static let description = LintRuleDescription(
        id: "signed-file", severity: .warning, title: "the file is signed (CMS, PKCS#7)",
        why: """
            iOS 8 wanted the file signed; since iOS 9 it has not been needed. A device tries CMS only after JSON has failed, \
            and other readers of the file refuse it. When the certificate is renewed the file has to be made again.
            """,
        example: "(DER: 30 82 0A 1F 06 09 2A 86 48 86 F7 0D 01 07 02 …)",
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "serve the plain JSON, unsigned", reference: LintReference.archivedGuide)

    static let exampleBytes: [UInt8] = [0x30, 0x82, 0x0A, 0x1F] + signedData + [0xA0, 0x82, 0x0A, 0x10]

    /// The object identifier of CMS signed data, 1.2.840.113549.1.7.2, in DER.
    private static let signedData: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02,
    ]

    /// Whether the bytes begin as CMS signed data does: a sequence whose first element is that identifier.
    static func isSigned(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2, bytes[0] == 0x30 else { return false }
        let lengthBytes = bytes[1] > 0x80 ? Int(bytes[1] & 0x7F) : 0
        return lengthBytes <= 4 && bytes.dropFirst(2 + lengthBytes).starts(with: signedData)
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard subject.syntaxError != nil, isSigned(subject.bytes) else { return }
        findings.add(
            0..<1, "",
            "the file is CMS-signed; devices still read it, other tools see no JSON; its content was not judged")
    }
}
