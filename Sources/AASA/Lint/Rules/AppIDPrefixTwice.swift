enum AppIDPrefixTwice: LintRule {
    static let description = LintRuleDescription(
        id: "app-id-prefix-twice", severity: .error, title: "an app ID with its prefix twice",
        why: """
            A script has put the prefix in front of an ID that had it already. Devices compare the whole ID; a bundle id that \
            begins with the prefix is no app's.
            """,
        example: LintExample.credentials(#""D7KQ4ZW2MX.D7KQ4ZW2MX.com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "write the prefix once", reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.appIDs {
            guard case .prefixTwice(let prefix)? = site.fault else { continue }
            findings.add(
                site.range, site.pointer,
                "the app ID \(Quoted.json(site.text ?? "")) has the prefix \(Quoted.json(prefix)) twice; no app has this ID"
            )
        }
    }
}
