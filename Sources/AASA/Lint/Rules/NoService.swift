enum NoService: LintRule {
    static let description = LintRuleDescription(
        id: "no-service", severity: .error, title: "none of the services that Apple knows",
        why: """
            Devices ask for applinks, webcredentials, appclips, activitycontinuation, authsrv, messagefilter and \
            classificationreport. Keys are case-sensitive. Without one of them the file is valid and does nothing.
            """,
        example:
            #"{"appLinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}]}]}}"#,
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "add applinks, webcredentials or appclips; keys are case-sensitive",
        reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let root = subject.file?.document.root, let members = root.members,
            !members.contains(where: { Association.knownServices.contains($0.key) })
        else { return }
        let keys = members.isEmpty ? "it is empty" : "it has \(Quoted.list(members.lazy.map(\.key)))"
        let meant = members.prefix(100).lazy.compactMap { member in
            KeySuggestion.nearest(to: member.key, among: KeySuggestion.services).map { (member, $0) }
        }.first
        if let (member, service) = meant {
            findings.add(
                member.keyRange, "/" + member.key.escapedForPointer,
                "the file names no service that devices ask for: \(keys)", fix: "write '\(service)'")
        } else {
            findings.add(root.opening, "", "the file names no service that devices ask for: \(keys)")
        }
    }
}
