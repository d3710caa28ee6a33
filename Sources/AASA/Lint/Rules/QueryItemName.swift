enum QueryItemName: LintRule {
    static let description = LintRuleDescription(
        id: "query-item-name", severity: .error, title: "a query item's name with ?, &, = or # in it",
        why: """
            The object form of "?" names each item as it stands between the signs of the query: in ?a=1&b=2 the items are a and \
            b. No item is called "?a" or "a=1". A name that no item has counts as a missing item with an empty value.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": {"color=red": "*"}}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"color": "red"}}"#),
        fix: "write the bare name as the key, and its value behind it", reference: LintReference.query)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.queryItems {
            guard let sign = sign(of: site) else { continue }
            findings.add(
                site.member.keyRange, site.pointer,
                "no query item is called \(Quoted.json(site.member.key)), as '\(sign)' is no part of a name: "
                    + site.consequence)
        }
    }

    private static func sign(of site: QueryItemSite) -> Unicode.Scalar? {
        switch site.fault {
        // "*" asks nothing of the item, under this name or the right one.
        case .leadingSign(let sign): site.takesAll && !site.member.key.utf8.contains(UInt8(ascii: "=")) ? nil : sign
        case .dividingSign(let sign): sign
        case .notEncoded, nil: nil
        }
    }
}
