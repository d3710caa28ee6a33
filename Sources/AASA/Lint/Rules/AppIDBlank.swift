enum AppIDBlank: LintRule {
    static let description = LintRuleDescription(
        id: "app-id-blank", severity: .error, title: "an app ID holds a blank or a line break",
        why: "Devices compare the ID as a whole. One with a blank at its end never matches, and nothing tells.",
        example: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop ""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "take the blanks out", reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.appIDs {
            guard case .blank? = site.fault else { continue }
            findings.add(
                site.range, site.pointer,
                "the app ID \(Quoted.json(site.text ?? "")) holds a blank or a line break; it is equal to no app's")
        }
    }
}
