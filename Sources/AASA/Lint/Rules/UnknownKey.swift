enum UnknownKey: LintRule {
    static let description = LintRuleDescription(
        id: "unknown-key", severity: .note, title: "a key that devices ignore",
        why: "Devices ignore keys of a service, of applinks or of an entry that they do not know; they have no effect.",
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "name": "shop", "components": [{"/": "/buy/*"}]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "remove it, unless another program reads it", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for member in subject.members where Association.knownServices.contains(member.key) && member.key != "applinks" {
            look(at: member.value, "/\(member.key)", KeySuggestion.ofService, &findings)
        }
        guard let applinks = subject.applinks else { return }
        look(at: applinks.node, "/applinks", KeySuggestion.ofApplinks, &findings)
        for entry in subject.entries { look(at: entry.node, entry.pointer, KeySuggestion.ofEntry, &findings) }
    }

    private static func look(
        at node: JSONNode, _ pointer: @autoclosure () -> String, _ known: KeySuggestion.Candidates,
        _ findings: inout FindingSink
    ) {
        for member in node.members ?? []
        where !findings.isFull && !known.keys.contains(member.key) && !isRemark(member.key)
            && !Association.knownServices.contains(member.key)
            && KeySuggestion.nearest(to: member.key, among: known) == nil
            && MisplacedKey.home(of: member.key, among: known) == nil && member.key != "exclude"
        {
            findings.add(
                member.keyRange, pointer() + "/" + member.key.escapedForPointer,
                "devices ignore the key \(Quoted.json(member.key)) here")
        }
    }

    /// Where people put remarks, since JSON has no comments.
    private static func isRemark(_ key: String) -> Bool {
        ["comment", "comments", "_comment", "//"].contains(key)
    }
}
