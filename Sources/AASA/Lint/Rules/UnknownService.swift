enum UnknownService: LintRule {
    static let description = LintRuleDescription(
        id: "unknown-service", severity: .note, title: "a top-level key that is no service of Apple's",
        why: "Devices take any key for a service that nobody asks for: it does no harm and has no effect.",
        example: #"{"webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}, "version": 3}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "remove it, unless another program reads it", reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard subject.members.contains(where: { Association.knownServices.contains($0.key) }) else { return }
        for member in subject.members
        where !Association.knownServices.contains(member.key)
            && KeySuggestion.nearest(to: member.key, among: KeySuggestion.services) == nil
            && MisplacedKey.home(of: member.key, among: KeySuggestion.services) == nil
        {
            findings.add(
                member.keyRange, "/" + member.key.escapedForPointer,
                "\(Quoted.json(member.key)) is no service that devices ask for; they ignore it")
        }
    }
}
