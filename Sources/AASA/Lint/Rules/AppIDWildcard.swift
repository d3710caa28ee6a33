enum AppIDWildcard: LintRule {
    static let description = LintRuleDescription(
        id: "app-id-wildcard", severity: .error, title: "an app ID holds a wildcard",
        why:
            "App IDs are compared as they are; there are no wildcards in them, although provisioning profiles have some.",
        example: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.*""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.staff""#),
        fix: "list each app by its full ID", reference: LintReference.whatsNew2019)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.appIDs {
            guard case .wildcard? = site.fault else { continue }
            findings.add(
                site.range, site.pointer,
                "the app ID \(Quoted.json(site.text ?? "")) holds a wildcard, which devices compare as a plain character"
            )
        }
    }
}
