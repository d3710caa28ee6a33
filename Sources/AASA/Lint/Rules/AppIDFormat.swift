enum AppIDFormat: LintRule {
    static let description = LintRuleDescription(
        id: "app-id-format", severity: .error, title: "an app ID is not prefix.bundle-id",
        why: """
            Devices compare the whole ID with that of the signed app: 10 characters A to Z and 0 to 9 (usually the Team ID), \
            a dot, and the bundle id of letters, digits, dots and hyphens. Case counts. Any other text is equal to no app's.
            """,
        example: LintExample.credentials(#""com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "take 'application-identifier' from the signed app's entitlements",
        reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.appIDs {
            switch site.fault {
            case .notString?:
                let kind = site.node.map(Quoted.kind) ?? "no string"
                findings.add(site.range, site.pointer, "an app ID is a string, this is \(kind); devices skip it")
            case .format(let reason)?:
                findings.add(
                    site.range, site.pointer,
                    "\(Quoted.json(site.text ?? "")) is no app ID, so it is equal to no app's: \(reason)")
            default: continue
            }
        }
    }
}
