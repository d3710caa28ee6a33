enum PathsMissingForOlderSystems: LintRule {
    static let description = LintRuleDescription(
        id: "paths-missing-for-older-systems", severity: .note, title: "\"components\" alone where iOS 12 is served",
        why: """
            iOS 12 and older read "appID" and "paths" alone. This file serves them elsewhere, so an entry without the two \
            stands out: there its links open the browser.
            """,
        example: LintExample.details(
            #"{"appID": "D7KQ4ZW2MX.com.acme.shop", "appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}"#
        ),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "add the same as \"paths\", or drop \"appID\" once no iOS 12 is served",
        reference: LintReference.whatsNew2019)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let othersHavePaths = subject.entries.contains { $0.node["paths"]?.elements != nil }
        for entry in subject.entries where entry.form == .components && entry.node["paths"]?.elements == nil {
            guard othersHavePaths || entry.node["appID"]?.string != nil,
                let member = entry.node.member("components")
            else { continue }
            findings.add(
                member.keyRange, entry.pointer + "/components",
                "iOS 12 and older, which other parts of the file still serve, do not read \"components\"")
        }
    }
}
