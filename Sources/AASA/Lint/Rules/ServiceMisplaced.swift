enum ServiceMisplaced: LintRule {
    static let description = LintRuleDescription(
        id: "service-misplaced", severity: .warning, title: "a service inside applinks",
        why: """
            Services stand beside each other at the top of the file. One inside "applinks" is a key that devices do not know \
            there: nobody reads its apps.
            """,
        example:
            #"{"applinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}], "#
            + #""webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}}"#,
        fixedExample:
            #"{"applinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}]},"#
            + #" "webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#,
        fix: "close the brackets of \"applinks\" before it", reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for member in subject.applinks?.node.members ?? [] where Association.knownServices.contains(member.key) {
            findings.add(
                member.keyRange, "/applinks/\(member.key)",
                "'\(member.key)' stands inside of \"applinks\", where devices do not look for it; the service is off")
        }
    }
}
