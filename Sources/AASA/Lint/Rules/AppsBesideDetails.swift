enum AppsBesideDetails: LintRule {
    static let description = LintRuleDescription(
        id: "apps-beside-details", severity: .warning, title: "\"apps\" of applinks is not empty",
        why: """
            Beside "details" the "apps" of applinks are ignored. The documentation wants the list present and empty for iOS \
            12 and older; they may refuse the file otherwise.
            """,
        example: #"{"applinks": {"apps": ["D7KQ4ZW2MX.com.acme.shop"], "details": ["#
            + #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}]}}"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write \"apps\": [], or drop it where no iOS 12 is served", reference: LintReference.archivedGuide)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let applinks = subject.applinks, applinks.node["details"] != nil,
            let apps = applinks.node["apps"], apps.elements?.isEmpty == false
        else { return }
        findings.add(
            apps.range, "/applinks/apps", "devices ignore these apps: beside \"details\" the list has no effect")
    }
}
