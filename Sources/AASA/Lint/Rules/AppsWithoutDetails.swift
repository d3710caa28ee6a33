enum AppsWithoutDetails: LintRule {
    static let description = LintRuleDescription(
        id: "apps-without-details", severity: .error, title: "applinks has \"apps\" and no \"details\"",
        why: """
            Apple's reader gives the apps of "apps" all URLs of the site (observed in its binaries); older systems, and the \
            documentation, give them none. Either way it is not what a site says.
            """,
        example: #"{"applinks": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "name the apps in \"details\" with the URLs that they open", reference: LintReference.applinks)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let applinks = subject.applinks, applinks.node["details"] == nil,
            let member = applinks.node.member("apps"), member.value.elements?.isEmpty == false
        else { return }
        findings.add(
            member.keyRange, "/applinks/apps",
            "applinks names apps in \"apps\" and has no \"details\"; such an app opens every URL of the site")
    }
}
