enum EmptyService: LintRule {
    static let description = LintRuleDescription(
        id: "empty-service", severity: .warning, title: "a service lists no app",
        why: """
            The list is there and empty: the service is off, as if it were absent. That may be meant; where it is not, a \
            build step has lost the apps.
            """,
        example:
            #"{"applinks": {"apps": [], "details": []}, "webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "list the apps, or remove the service", reference: LintReference.associatedDomains)

    static func isEmpty(_ member: JSONMember) -> Bool {
        let service = member.value
        guard member.key == "applinks", let details = service["details"] else {
            let isEmptyObject = service.members?.isEmpty == true
            return member.key != "applinks" && (isEmptyObject || service["apps"]?.elements?.isEmpty == true)
        }
        return details.elements?.isEmpty == true || details.members?.isEmpty == true
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard !subject.appIDs.isEmpty else { return }
        for member in subject.members
        where Association.knownServices.contains(member.key) && member.value.members != nil && isEmpty(member) {
            let list = member.key == "applinks" ? "details" : "apps"
            findings.add(
                member.value.member(list)?.value.range ?? member.keyRange, "/\(member.key)/\(list)",
                "'\(member.key)' lists no app; for devices the service is off")
        }
    }
}
