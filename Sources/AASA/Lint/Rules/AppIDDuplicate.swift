enum AppIDDuplicate: LintRule {
    static let description = LintRuleDescription(
        id: "app-id-duplicate", severity: .note, title: "an app ID stands twice in one list",
        why: "Devices take it once; the second does nothing.",
        example: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.shop""#),
        fixedExample: LintExample.credentials(#""D7KQ4ZW2MX.com.acme.shop""#),
        fix: "remove the second", reference: LintReference.associatedDomains)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        var lists: [(JSONNode, String)] = subject.entries.compactMap { entry in
            entry.node["appIDs"].map { ($0, entry.pointer + "/appIDs") }
        }
        for member in subject.members where member.key != "applinks" && Association.knownServices.contains(member.key) {
            if let apps = member.value["apps"] { lists.append((apps, "/\(member.key)/apps")) }
        }
        for (list, pointer) in lists {
            var seen: [String: (range: Range<Int>, index: Int)] = [:]
            for (index, element) in (list.elements ?? []).enumerated() {
                guard let text = element.string else { continue }
                if let first = seen[text] {
                    findings.add(
                        element.range, "\(pointer)/\(index)",
                        "\(Quoted.json(text)) stands at \(subject.position(of: first.range.lowerBound)) already",
                        related: [
                            .init(
                                range: first.range, pointer: "\(pointer)/\(first.index)",
                                message: "the first of the two")
                        ])
                } else {
                    seen[text] = (element.range, index)
                }
            }
        }
    }
}
