enum AppIDsType: LintRule {
    static let description = LintRuleDescription(
        id: "app-ids-type", severity: .error, title: "\"appIDs\" is no array",
        why: """
            Apple's reader ignores "appIDs" that is no array, and does not fall back to "appID": the entry has no app \
            (observed in its binaries).
            """,
        example: LintExample.details(#"{"appIDs": "D7KQ4ZW2MX.com.acme.shop", "components": [{"/": "/buy/*"}]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write \"appIDs\": [\"…\"]", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            guard let list = entry.node["appIDs"], list.elements == nil else { continue }
            findings.add(
                list.range, entry.pointer + "/appIDs",
                "\"appIDs\" is \(Quoted.kind(list)), not an array; devices ignore it, and the entry has no app")
        }
    }
}
