enum QueryNameNotEncoded: LintRule {
    static let description = LintRuleDescription(
        id: "query-name-not-encoded", severity: .error,
        title: "a blank or a letter beyond ASCII in a query item's name",
        why: """
            Names of items are compared exactly with those of the URL in percent-encoded form, in which blanks and letters \
            beyond ASCII do not occur. The item counts as missing, with an empty value. With "percentEncoded": false the URL \
            is decoded first (iOS 14).
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"größe": "?*"}}"#),
        fixedExample: LintExample.components(
            #"{"/": "/buy", "?": {"größe": "?*"}, "percentEncoded": false}"#,
            #"{"/": "/sell", "?": {"gr%C3%B6%C3%9Fe": "?*"}}"#),
        fix: "percent-encode the name, or set \"percentEncoded\": false", reference: LintReference.whatsNew2020)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems where !site.takesAll {
            guard case .notEncoded(let scalar)? = site.fault else { continue }
            findings.add(
                site.member.keyRange, site.pointer,
                "\(PatternNotEncoded.name(scalar)) in the item name \(Quoted.json(site.member.key)) never occurs in an encoded "
                    + "URL: \(site.consequence)")
        }
    }
}
