enum AppIDPlaceholder: LintRule {
    static let description = LintRuleDescription(
        id: "app-id-placeholder", severity: .error, title: "an app ID was never filled in",
        why: """
            TEAMID, XXXXXXXXXX, undefined, <prefix> and the like are left over from a template, or a build step had no \
            value for them; so is ABCDE12345 in front of a bundle id of one's own. No app is signed with such a prefix.
            """,
        example: LintExample.credentials(#""TEAMID.com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "take 'application-identifier' from the signed app's entitlements",
        reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.appIDs {
            guard case .placeholder(let part)? = site.fault else { continue }
            let text = site.text ?? ""
            let seen = part == text ? "the app ID" : "\(Quoted.json(part)) in the app ID"
            findings.add(
                site.range, site.pointer, "\(seen) \(Quoted.json(text)) is a placeholder; no app has this ID")
        }
    }
}
