enum PatternListMissing: LintRule {
    static let description = LintRuleDescription(
        id: "pattern-list-missing", severity: .error, title: "an entry has no list of patterns",
        why: """
            Where neither "components" nor "paths" is an array (missing, misspelt, a string, an object) the entry matches \
            every URL of the site: the app takes all pages (observed in Apple's binaries).
            """,
        example: LintExample.details(#"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "paths": "/buy/*"}"#),
        fixedExample: LintExample.details(#"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "paths": ["/buy/*"]}"#),
        fix: "write \"components\": [{\"/\": \"…\"}]", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries where entry.form == .everything {
            if let member = entry.node.member("components") ?? entry.node.member("paths") {
                findings.add(
                    member.value.members == nil ? member.value.range : member.value.opening,
                    entry.pointer + "/" + member.key,
                    "\"\(member.key)\" is \(Quoted.kind(member.value)), not an array; devices then let this entry match every "
                        + "URL of the site", fix: "write \"\(member.key)\": […]")
            } else {
                findings.add(
                    entry.node.opening, entry.pointer,
                    "this entry has neither \"components\" nor \"paths\"; devices then let it match every URL of the site"
                )
            }
        }
    }
}
