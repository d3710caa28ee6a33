enum AppsMissingForOlderSystems: LintRule {
    static let description = LintRuleDescription(
        id: "apps-missing-for-older-systems", severity: .note, title: "no \"apps\": [] for iOS 12",
        why: """
            "appID" and "paths" serve iOS 12 and older, and those systems want "apps" in applinks, present and empty. From \
            iOS 13 on it is not needed.
            """,
        example: LintExample.details(#"{"appID": "D7KQ4ZW2MX.com.acme.shop", "paths": ["/buy/*"]}"#),
        fixedExample: LintExample.paths(#""/buy/*""#),
        fix: "add \"apps\": [] to applinks, if iOS 12 is still served", reference: LintReference.whatsNew2019)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let applinks = subject.applinks, applinks.node["apps"]?.elements == nil,
            subject.entries.contains(where: { $0.node["paths"]?.elements != nil && $0.node["appID"]?.string != nil }),
            let member = subject.members.last(where: { $0.key == "applinks" })
        else { return }
        findings.add(
            member.keyRange, "/applinks",
            "the file keeps \"appID\" and \"paths\" for iOS 12 and older, which want \"apps\": [] beside \"details\"")
    }
}
