enum DetailsElementType: LintRule {
    static let description = LintRuleDescription(
        id: "details-element-type", severity: .error, title: "an entry of \"details\" is no object",
        why: "Devices skip it in silence: its app opens no link.",
        example: LintExample.details(#""D7KQ4ZW2MX.com.acme.shop""#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "write {\"appIDs\": […], \"components\": […]}", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let details = subject.applinks?.node["details"] else { return }
        for (index, element) in (details.elements ?? []).enumerated() where element.members == nil {
            findings.add(
                element.elements == nil ? element.range : element.opening, "/applinks/details/\(index)",
                "this entry of \"details\" is \(Quoted.kind(element)), not an object; devices skip it")
        }
        for member in details.members ?? [] where member.value.members == nil {
            findings.add(
                member.value.elements == nil ? member.value.range : member.value.opening,
                "/applinks/details/\(member.key.escapedForPointer)",
                "the entry of \(Quoted.json(member.key)) is \(Quoted.kind(member.value)), not an object; devices skip it"
            )
        }
    }
}
