enum RegularExpression: LintRule {
    static let description = LintRuleDescription(
        id: "regular-expression", severity: .error, title: "a regular expression in a pattern",
        why: """
            Patterns have "*" for any run of characters, "?" for one, and "$(name)" for a variable. Devices compare everything \
            else as it stands: "[a-z]*" and "\\d+" match no real URL, and "/buy/.*" matches only what has the dot.
            """,
        example: LintExample.components(#"{"/": "/items/[0-9]+"}"#),
        fixedExample: LintExample.components(#"{"/": "/items/?*"}"#),
        fix: "write \"*\" for any run of characters, \"?\" for one, \"$(digit)\" or \"$(alpha)\" for one of a class",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let part = expression(in: site) else { continue }
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(part)) in \(Quoted.json(site.text)) is written as a regular expression; devices compare it as it "
                    + "stands")
        }
    }

    /// The part that only a regular expression has.
    static func expression(in site: PatternSite) -> String? {
        guard site.part == .path || site.part == .fragment, site.pattern != nil,
            // Most patterns have none of these, and the search below takes a tenth of a linter's time.
            site.text.utf8.contains(where: #"\()[]+.^$"#.utf8.contains), RoutePlaceholder.placeholder(in: site) == nil
        else { return nil }
        let text = site.literal
        for sign in ["\\d", "\\w", "\\s", "\\.", "\\/", "(?", ".+", "[^", "]*", "]+", "]{", ")*", ")+", ")?"] {
            guard let place = text.firstRange(of: sign) else { continue }
            // A sign behind a bracket is shown with all between the brackets.
            let opening: Character? = sign.first == "]" ? "[" : sign.first == ")" ? "(" : nil
            let start = opening.flatMap { text[..<place.lowerBound].lastIndex(of: $0) } ?? place.lowerBound
            return String(text[start..<place.upperBound])
        }
        // A path of hidden files may be excluded; nobody opens one.
        if text.contains("/.*"), !site.rule.isExclusion { return ".*" }
        if text.hasPrefix("^") { return "^" }
        if text.hasSuffix("$"), site.text.hasSuffix("$"), text.count > 1 { return "$" }
        if let open = text.firstIndex(of: "("), let bar = text[open...].firstIndex(of: "|"),
            let close = text[bar...].firstIndex(of: ")")
        {
            return String(text[open...close])
        }
        guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") else { return nil }
        let set = text[open...close]
        return set.contains("-") ? String(set) : nil
    }
}
