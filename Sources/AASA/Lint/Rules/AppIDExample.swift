enum AppIDExample: LintRule {
    static let description = LintRuleDescription(
        id: "app-id-example", severity: .warning, title: "an app ID of an example",
        why: """
            com.example is what Apple's documentation and project templates write; no app in the App Store has such a bundle \
            id. It is no error: the ID is well formed, a development build may bear it, and documentation, this program's \
            included, shows and tests with it. An ID with a placeholder in it can be no app's: app-id-placeholder.
            """,
        example: LintExample.credentials(#""ABCDE12345.com.example.app""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "put the ID of the real app", reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.appIDs {
            guard case .example? = site.fault else { continue }
            findings.add(
                site.range, site.pointer,
                "the app ID \(Quoted.json(site.text ?? "")) is one of Apple's examples; no app in the App Store has it")
        }
    }
}
