enum RoutePlaceholder: LintRule {
    static let description = LintRuleDescription(
        id: "route-placeholder", severity: .error, title: "a placeholder of a web framework in a path",
        why: """
            ":id", "{id}", "[id]" and "<id>" are the notation of routers. Devices know "*", "?" and "$(name)" alone and compare \
            the rest as it stands, so the pattern matches no real URL.
            """,
        example: LintExample.components(#"{"/": "/users/:id"}"#),
        fixedExample: LintExample.components(#"{"/": "/users/?*"}"#),
        fix: "write \"*\", \"?*\" for at least one character, or a substitution variable",
        reference: LintReference.components)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for site in subject.patterns {
            guard let part = placeholder(in: site) else { continue }
            findings.add(
                site.node.range, site.pointer,
                "\(Quoted.json(part)) in \(Quoted.json(site.text)) is not a wildcard; devices compare it as it stands",
                fix: "write \(Quoted.json(site.text.replacing(part, with: "?*")))")
        }
    }

    static func placeholder(in site: PatternSite) -> String? {
        guard site.part == .path || site.part == .fragment, site.pattern != nil else { return nil }
        for segment in site.literal.split(separator: "/") {
            if segment.first == ":", segment.dropFirst().first?.isLetter == true, segment.dropFirst().allSatisfy(isName)
            {
                return String(segment)
            }
            for (open, close) in [("{", "}"), ("[", "]"), ("<", ">")] as [(Character, Character)] {
                guard let start = segment.firstIndex(of: open), let end = segment[start...].firstIndex(of: close) else {
                    continue
                }
                let name = segment[segment.index(after: start)..<end]
                let isSet = open == "[" && segment.index(after: end) < segment.endIndex
                if !isSet, name.first?.isLetter == true, name.allSatisfy({ isName($0) || $0 == "." }) {
                    return String(segment[start...end])
                }
            }
        }
        return nil
    }

    private static func isName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "-"
    }
}
