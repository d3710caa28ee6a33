enum QueryItemWithoutEffect: LintRule {
    static let description = LintRuleDescription(
        id: "query-item-without-effect", severity: .warning, title: "a query item that no URL has, with the value *",
        why: """
            The name can be no item's, so the item counts as missing; "*" takes a missing item too, and the component works as \
            if the condition were not there. With any other value it would break.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"?color": "*"}}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"color": "?*"}}"#),
        fix: "remove the item, or write its name as the URL has it; \"?*\" asks for a value",
        reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems where site.takesAll && !site.member.key.utf8.contains(UInt8(ascii: "=")) {
            let reason: String
            switch site.fault {
            case .leadingSign(let sign): reason = "as '\(sign)' is no part of a name"
            case .notEncoded(let scalar): reason = "as \(PatternNotEncoded.name(scalar)) never occurs in an encoded URL"
            case .dividingSign, nil: continue
            }
            findings.add(
                site.member.keyRange, site.pointer,
                "no query item is called \(Quoted.json(site.member.key)), \(reason); it works since '*' takes a missing item "
                    + "too")
        }
    }
}
