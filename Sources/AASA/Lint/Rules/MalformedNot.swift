enum MalformedNot: LintRule {
    static let description = LintRuleDescription(
        id: "malformed-not", severity: .error, title: "a NOT that does not exclude",
        why: """
            In "paths" the four characters "NOT " in front exclude, with exactly one blank. Written otherwise they are part of \
            the pattern, which then matches nothing. In a component there is "exclude" and no NOT.
            """,
        example: LintExample.paths(#""NOT/help/*", "/buy/*""#),
        fixedExample: LintExample.paths(#""NOT /help/*", "/buy/*""#),
        fix: "write \"NOT /path\" in \"paths\", \"exclude\": true in a component",
        reference: LintReference.archivedGuide)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let seen = fault(of: site) else { continue }
            findings.add(
                site.node.range, site.pointer, "\(Quoted.json(site.node.string ?? "")) excludes nothing: \(seen)")
        }
    }

    static func fault(of site: PatternSite) -> String? {
        guard site.part == .path, site.node.string?.utf8.first != UInt8(ascii: "/") else { return nil }
        let text = site.node.string?.prefix(40).lowercased() ?? ""
        if site.rule.form == .component {
            return text.hasPrefix("not ") || text.hasPrefix("not/") ? "a component has no NOT" : nil
        }
        if site.rule.isExclusion {
            let rest = site.text.unicodeScalars.first
            return rest == nil || rest?.properties.isWhitespace == true ? "exactly one blank follows NOT" : nil
        }
        if text.trimmingBlanks.hasPrefix("not "), !text.hasPrefix("not ") { return "a blank stands in front of NOT" }
        if text == "not" { return "no path follows NOT" }
        if text.hasPrefix("not"), let next = text.unicodeScalars.dropFirst(3).first,
            next == "/" || next == "*" || next == ":" || next.properties.isWhitespace
        {
            return "exactly one blank follows NOT"
        }
        if text.hasPrefix("!") { return "'!' is no sign of exclusion" }
        return nil
    }
}
