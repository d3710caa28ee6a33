enum ServiceWithoutApps: LintRule {
    static let description = LintRuleDescription(
        id: "service-without-apps", severity: .error, title: "a service has no usable list of apps",
        why: """
            applinks reads "details", all other services read "apps" alone. Where the list is missing or of another type the \
            service names no app. So it is where a file names no app in any of its services.
            """,
        example: #"{"webcredentials": {"apps": "D7KQ4ZW2MX.com.acme.shop"}}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "list the apps, or remove the service", reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let namesNoApp = subject.appIDs.isEmpty
        for member in subject.members
        where Association.knownServices.contains(member.key) && member.value.members != nil {
            let pointer = "/" + member.key.escapedForPointer
            if let fault = fault(of: member) {
                findings.add(member.keyRange, pointer, fault)
            } else if namesNoApp, EmptyService.isEmpty(member) {
                findings.add(
                    member.keyRange, pointer,
                    "'\(member.key)' names no app, nor does any other service of the file; devices have nothing to open"
                )
            }
        }
    }

    /// What is wrong with the lists; an empty one is no fault of itself.
    private static func fault(of member: JSONMember) -> String? {
        let (name, service) = (member.key, member.value)
        let apps = service["apps"]
        if name == "applinks" {
            if let details = service["details"] {
                if details.elements != nil || details.members != nil { return nil }
                return "\"details\" is \(Quoted.kind(details)), not an array; devices find no app for any link"
            }
            if apps?.elements?.isEmpty == false { return nil }
            return apps == nil
                ? "'applinks' has no \"details\"; devices find no app for any link"
                : "'applinks' has \"apps\" but no \"details\"; devices find no app for any link"
        }
        guard let apps else {
            // Nothing was to be listed; `empty-service` tells it.
            if service.members?.isEmpty == true { return nil }
            return service["details"] == nil
                ? "'\(name)' has no \"apps\"; devices find no app for it"
                : "'\(name)' has \"details\", which devices read for applinks only, and no \"apps\""
        }
        if apps.elements == nil {
            return "\"apps\" of '\(name)' is \(Quoted.kind(apps)), not an array; devices ignore it"
        }
        return nil
    }
}
