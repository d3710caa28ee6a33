enum QueryInPath: LintRule {
    static let description = LintRuleDescription(
        id: "query-in-path", severity: .error, title: "a query or a fragment inside a path pattern",
        why: """
            A path pattern is compared with the path alone: "?" in it stands for one character, and "#" never occurs in a \
            path. Components have "?" and "#" for these parts; "paths" has nothing, and leaves query and fragment out of \
            account.
            """,
        example: LintExample.components(#"{"/": "/buy?id=*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": {"id": "?*"}}"#),
        fix: "move it to \"?\" or \"#\" of a component", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let seen = fault(of: site) else { continue }
            let comparison =
                seen == .query
                ? "in which '?' of a pattern stands for any one character and the URL's query is not looked at"
                : "which ends before the URL's '#'"
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(site.text)) holds \(seen.rawValue); devices compare all of it with the path of the URL, "
                    + "\(comparison), so it does not match the URL that it looks like",
                fix: site.rule.form == .path
                    ? "write a component, and move it to \"?\" or \"#\" there; \"paths\" has nothing for it" : nil)
        }
    }

    enum Fault: String {
        case query = "a query"
        case fragment = "a fragment"
    }

    static func fault(of site: PatternSite) -> Fault? {
        guard site.part == .path, HostInPath.fault(of: site) == nil else { return nil }
        // Decoded paths may hold a `#`.
        if site.rule.isPercentEncoded, site.literal.utf8.contains(UInt8(ascii: "#")) { return .fragment }
        var rest = site.literal.utf8[...]
        while let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            rest = rest[rest.index(after: mark)...]
            let name = rest.prefix(while: mayStandInName)
            if !name.isEmpty, rest[name.endIndex...].first == UInt8(ascii: "=") { return .query }
            rest = rest[name.endIndex...]
        }
        return nil
    }

    /// Whether a byte is one of those that names of query items usually consist of.
    static func mayStandInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
