enum ServiceType: LintRule {
    static let description = LintRuleDescription(
        id: "service-type", severity: .error, title: "a service's value is no object",
        why: "Each service is an object that holds its apps. Anything else names no app, and the service is off.",
        example: #"{"webcredentials": ["D7KQ4ZW2MX.com.acme.shop"]}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "write {\"apps\": […]}, for applinks {\"details\": […]}", reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for member in subject.members
        where Association.knownServices.contains(member.key) && member.value.members == nil {
            findings.add(
                member.value.elements == nil ? member.value.range : member.value.opening,
                "/" + member.key.escapedForPointer,
                "the value of '\(member.key)' is \(Quoted.kind(member.value)), not an object; devices find no app in it"
            )
        }
    }
}
