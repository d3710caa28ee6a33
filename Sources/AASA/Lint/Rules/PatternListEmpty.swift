enum PatternListEmpty: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-list-empty", severity: .error, title: "an empty list of patterns",
        why: """
            An empty "components" (or "paths" where there are no components) matches nothing: the app opens no link. \
            Without the list it would open all, so the two are easily mixed up.
            """,
        example: LintExample.details(#"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": []}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "list what the app opens, or remove the entry", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries where entry.rules.isEmpty {
            guard let member = entry.node.member(entry.form == .components ? "components" : "paths") else { continue }
            findings.add(
                member.value.range, entry.pointer + "/" + member.key,
                "\"\(member.key)\" is empty; the apps of this entry open no URL")
        }
    }
}
