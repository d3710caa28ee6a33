enum MisspeltKey: LintRule {
    static let description = LintRuleDescription(
        id: "misspelt-key", severity: .warning, title: "a key that looks like a misspelling",
        why: """
            Devices ignore keys that they do not know, and keys are case-sensitive. A misspelt "/" lets its component match \
            every path.
            """,
        example: LintExample.components(#"{"path": "/buy/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "correct the key", reference: LintReference.applinks)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let names = subject.members.contains { Association.knownServices.contains($0.key) }
        if names { look(at: subject.members, "", KeySuggestion.services, &findings) }
        for member in subject.members where Association.knownServices.contains(member.key) && member.key != "applinks" {
            look(at: member.value.members ?? [], "/\(member.key)", KeySuggestion.ofService, &findings)
        }
        guard let applinks = subject.applinks else { return }
        look(at: applinks.node.members ?? [], "/applinks", KeySuggestion.ofApplinks, &findings)
        for entry in subject.entries {
            look(at: entry.node.members ?? [], entry.pointer, KeySuggestion.ofEntry, &findings)
            for rule in entry.rules where rule.form == .component {
                // A misspelt "exclude" is an error of its own.
                let members = rule.node.members?.filter { !ExcludeNotRead.isMisspelt($0.key, in: rule.node) }
                look(at: members ?? [], rule.pointer, KeySuggestion.ofComponent, &findings)
            }
        }
        for defaults in subject.defaults {
            look(at: defaults.node.members ?? [], defaults.pointer, KeySuggestion.ofComponent, &findings)
        }
    }

    private static func look(
        at members: [JSONMember], _ pointer: @autoclosure () -> String, _ candidates: KeySuggestion.Candidates,
        _ findings: inout FindingSink
    ) {
        for member in members
        where !findings.isFull && MisplacedKey.home(of: member.key, among: candidates) == nil && member.key != "exclude"
        {
            guard let meant = KeySuggestion.nearest(to: member.key, among: candidates) else { continue }
            findings.add(
                member.keyRange, pointer() + "/" + member.key.escapedForPointer,
                "devices do not know the key \(Quoted.json(member.key)) and ignore it; did you mean \"\(meant)\"?",
                fix: "write \"\(meant)\"")
        }
    }
}
