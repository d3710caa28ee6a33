enum BroadPattern: LintRule {
    static let description = LintRuleDescription(
        id: "broad-pattern", severity: .warning, title: "a pattern of slashes and wildcards alone",
        why: """
            "*" takes slashes too, and devices add a final slash before they compare. So "/*/*" is not "two levels": it takes \
            /about and each page but the first, also those that the app does not show.
            """,
        example: LintExample.components(#"{"/": "/*/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/products/*"}"#),
        fix: "begin the pattern with the folder that is meant, or exclude the pages that are not",
        reference: LintReference.technote)

    /// Pages that nearly every site has.
    private static let pages: [(text: String, url: MatchableURL)] = [
        "/about", "/privacy", "/terms", "/login", "/blog/first-post", "/admin/users/1", "/assets/app.js", "/index.html",
    ].compactMap { text in MatchableURL(text).map { (text, $0) } }

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries {
            for rule in entry.rules where !findings.isFull && isBroad(rule) {
                let taken = pages.filter { rule.matches($0.url) }.map(\.text)
                guard !taken.isEmpty else { continue }
                let member = rule.node.member("/")
                findings.add(
                    member?.value.range ?? rule.node.range, rule.pointer + (member == nil ? "" : "/~1"),
                    "\(Quoted.json(rule.path?.text ?? "")) also matches \(taken.prefix(3).joined(separator: ", ")): '*' takes "
                        + "slashes, and a final slash is added to each path", example: taken.first)
            }
        }
    }

    private static func isBroad(_ rule: URLRule) -> Bool {
        guard !rule.isExclusion, !WholeSite.isWholeSite(rule), rule.query == .any,
            rule.fragment?.isUnconstrained ?? true,
            let elements = rule.path?.elements, elements.contains(.anyRun), elements.count <= 12
        else { return false }
        return elements.allSatisfy { $0 == .anyRun || $0 == .anyScalar || $0 == .scalar("/") }
    }
}
