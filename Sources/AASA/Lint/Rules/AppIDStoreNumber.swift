enum AppIDStoreNumber: LintRule {
    static let description = LintRuleDescription(
        id: "app-id-store-number", severity: .warning, title: "an app ID begins with ten digits",
        why: """
            App Store numbers have nine or ten digits; a prefix of digits alone is possible and next to unheard of. The number \
            of the app's page in the App Store does not belong here.
            """,
        example: LintExample.credentials(#""1451685025.com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "take 'application-identifier' from the signed app's entitlements",
        reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.appIDs {
            guard case .storeNumber? = site.fault else { continue }
            findings.add(
                site.range, site.pointer,
                "the prefix of \(Quoted.json(site.text ?? "")) looks like an App Store number; then no app has this ID")
        }
    }
}
