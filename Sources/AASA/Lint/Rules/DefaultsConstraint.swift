enum DefaultsConstraint: LintRule {
    static let description = LintRuleDescription(
        id: "defaults-constraint", severity: .warning, title: "a constraint inside \"defaults\"",
        why: """
            "defaults" is documented for "caseSensitive" and "percentEncoded". Apple's reader takes over every key of a \
            component, so a "/" there constrains all components that have none, and an "exclude" turns them all round.
            """,
        example: LintExample.details(
            ##"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "defaults": {"/": "/buy/*"}, "components": [{"#": "app"}]}"##),
        fixedExample: LintExample.components(##"{"/": "/buy/*", "#": "app"}"##),
        fix: "write it into the components", reference: LintReference.defaults)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for defaults in subject.defaults {
            for member in defaults.node.members ?? [] where ["/", "?", "#", "exclude"].contains(member.key) {
                findings.add(
                    member.keyRange, defaults.pointer + "/" + member.key.escapedForPointer,
                    "\"\(member.key)\" in \"defaults\" applies to each component that has none of its own")
            }
        }
    }
}
