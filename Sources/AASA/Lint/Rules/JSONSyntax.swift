enum JSONSyntax: LintRule {
    static let description = LintRuleDescription(
        id: "json-syntax", severity: .error, title: "the file is not valid JSON",
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
        // Of what is not read to its end nothing more is known.
        let verdict =
            error.cause == .tooDeep ? "the file is not judged" : "the file is not valid JSON, and devices ignore it"
        let reason = error.cause?.explanation ?? error.message
        findings.add(
            error.range, "",
            error.cause == .tooDeep ? "\(verdict): \(error.message); \(reason)" : "\(reason); \(verdict)",
            fix: error.cause?.fix,
            related: error.opening.map { [.init(range: $0, pointer: "", message: "the bracket that opens here")] } ?? []
        )
    }
}
