enum AppIDsDisagree: LintRule {
    static let description = LintRuleDescription(
        id: "app-ids-disagree", severity: .warning, title: "\"appID\" is not among \"appIDs\"",
        why: """
            From iOS 13 on "appIDs" alone is read where both are there; iOS 12 and older read "appID" alone. Here they name \
            different apps, so old and new systems open different ones.
            """,
        example: LintExample.details(
            #"{"appID": "D7KQ4ZW2MX.com.acme.old", "appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "paths": ["/buy/*"]}"#),
        fixedExample: LintExample.details(
            #"{"appID": "D7KQ4ZW2MX.com.acme.shop", "appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "paths": ["/buy/*"]}"#),
        fix: "name the same app in both", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            guard let single = entry.node["appID"], let text = single.string,
                let list = entry.node["appIDs"]?.strings, !list.contains(text)
            else { continue }
            findings.add(
                single.range, entry.pointer + "/appID",
                "\(Quoted.json(text)) is not among \"appIDs\"; systems from iOS 13 on do not read it there")
        }
    }
}
