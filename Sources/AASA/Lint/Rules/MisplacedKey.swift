enum MisplacedKey: LintRule {
    static let description = LintRuleDescription(
        id: "misplaced-key", severity: .warning, title: "a known key in a place where devices do not read it",
        why: """
            Each key counts in one place: "details" in applinks, "appIDs" and "components" in an entry of it, "/" in a \
            component, "apps" in the other services. Elsewhere devices ignore it.
            """,
        example:
            #"{"webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"], "appIDs": ["D7KQ4ZW2MX.com.acme.staff"]}}"#,
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.staff""#),
        fix: "move it to where it belongs", reference: LintReference.details)

    /// Where keys belong, in words.
    private static let homes: [String: String] = {
        var homes: [String: String] = [:]
        for key in ["details", "substitutionVariables"] { homes[key] = "in \"applinks\"" }
        for key in ["appID", "appIDs", "components", "paths"] { homes[key] = "in an entry of \"details\"" }
        for key in ["/", "?", "#", "caseSensitive", "percentEncoded"] { homes[key] = "in a component" }
        homes["defaults"] = "in \"applinks\" or in an entry of \"details\""
        homes["apps"] = "in a service other than \"applinks\""
        return homes
    }()

    /// Where the key belongs, if devices know it and it counts for nothing among these.
    static func home(of key: String, among candidates: KeySuggestion.Candidates) -> String? {
        // In a component "paths" is a misspelt "/".
        let isMisspelling = key == "paths" && candidates.keys.contains("/")
        return candidates.keys.contains(key) || isMisspelling ? nil : homes[key]
    }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for member in subject.members where !Association.knownServices.contains(member.key) {
            add(member, "", KeySuggestion.services, &findings)
        }
        for service in subject.members
        where Association.knownServices.contains(service.key) && service.key != "applinks" {
            for member in service.value.members ?? [] {
                add(
                    member, "/\(service.key)", KeySuggestion.ofService, &findings,
                    hint: ["appID", "appIDs", "details", "paths", "components"].contains(member.key)
                        ? "; \(Quoted.json(service.key)) has \"apps\" alone, a list of app IDs" : "")
            }
        }
        guard let applinks = subject.applinks else { return }
        for member in applinks.node.members ?? [] { add(member, "/applinks", KeySuggestion.ofApplinks, &findings) }
        for entry in subject.entries {
            for member in entry.node.members ?? [] { add(member, entry.pointer, KeySuggestion.ofEntry, &findings) }
            for rule in entry.rules where rule.form == .component {
                for member in rule.node.members ?? [] {
                    add(member, rule.pointer, KeySuggestion.ofComponent, &findings)
                }
            }
        }
    }

    private static func add(
        _ member: JSONMember, _ pointer: @autoclosure () -> String, _ candidates: KeySuggestion.Candidates,
        _ findings: inout FindingSink, hint: String = ""
    ) {
        guard let home = home(of: member.key, among: candidates) else { return }
        findings.add(
            member.keyRange, pointer() + "/" + member.key.escapedForPointer,
            "devices do not read \(Quoted.json(member.key)) here; it belongs \(home)\(hint)",
            fix: hint.isEmpty ? "move it \(home)" : "move the app IDs to \"apps\"")
    }
}
