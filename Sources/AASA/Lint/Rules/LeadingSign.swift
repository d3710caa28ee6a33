enum LeadingSign: LintRule {
    static let description = LintRuleDescription(
        id: "leading-sign", severity: .error, title: "a query pattern that begins with ?, or a fragment pattern with #",
        why: """
            "?" is compared with what follows the URL's question mark, and "#" with what follows its hash sign. A question mark \
            in a pattern stands for any one character, so "?a=1" asks for one more character in front of a=1; a fragment that \
            begins with # does not occur.
            """,
        example: LintExample.components(#"{"/": "/buy", "?": "?color=*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy", "?": "color=*"}"#),
        fix: "take the sign out", reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns where isFault(site) {
            let sign = site.part == .query ? "?" : "#"
            let rest = String(site.text.unicodeScalars.dropFirst())
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(site.text)) is compared with what follows the URL's '\(sign)', so it does not match a URL that "
                    + "ends in \(Quoted.json(site.text))",
                fix: rest.isEmpty ? nil : "write \(Quoted.json(rest))")
        }
    }

    static func isFault(_ site: PatternSite) -> Bool {
        guard site.pattern != nil else { return false }
        let text = site.text.utf8
        switch site.part {
        case .fragment: return text.first == UInt8(ascii: "#")
        case .query:
            // "?*" is right: at least one character. A name and its "=" behind the sign show what was meant.
            guard text.first == UInt8(ascii: "?") else { return false }
            let name = text.dropFirst().prefix(while: QueryInPath.mayStandInName)
            return !name.isEmpty && text[name.endIndex...].first == UInt8(ascii: "=")
        case .path, .queryItem: return false
        }
    }
}
