enum ComponentsAndPathsDiffer: LintRule {
    static let description = LintRuleDescription(
        id: "components-and-paths-differ", severity: .warning,
        title: "\"components\" and \"paths\" do not say the same",
        why: """
            Systems from iOS 13 on read "components" alone, older ones "paths" alone. Here they open different URLs. TN3155 \
            advises not to mix the two forms. Compared exactly, with an example URL; an exclusion and no match count as one.
            """,
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}], "paths": ["/sell/*"]}"#),
        fixedExample: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}], "paths": ["/buy/*"]}"#),
        fix: "make them agree, or drop \"paths\"", reference: LintReference.technote)

    /// So many entries are compared exactly; the rest of a hostile file is let pass.
    private static let maximumComparisons = 10

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let applinks = subject.applinks else { return }
        var comparisons = 0
        for entry in subject.entries where entry.form == .components {
            guard let paths = entry.node.member("paths"), paths.value.elements != nil,
                comparisons < maximumComparisons,
                ReachBudget.weight(of: entry.rules) + ReachBudget.weight(of: entry.olderRules)
                    <= ReachBudget.maximumWeight
            else { continue }
            comparisons += 1
            let modern = alone(entry, "components", in: applinks)
            let comparison = BehaviourDiff.compare(alone(entry, "paths", in: applinks), modern, budget: .lint)
            guard let change = comparison.changes.first(where: { ($0.from == .opens) != ($0.to == .opens) }) else {
                continue
            }
            findings.add(
                paths.keyRange, entry.pointer + "/paths",
                "iOS 12 and older read these paths and not \"components\", and the two differ: "
                    + "\(Quoted.text(change.example)) is \(Self.words(change.from)) by \"paths\" and \(Self.words(change.to)) by "
                    + "\"components\"", example: change.example)
        }
    }

    /// A file in which one app has one of the entry's two lists.
    private static func alone(_ entry: AppLinks.Entry, _ list: String, in applinks: AppLinks) -> AppLinks {
        func member(_ key: String, _ value: JSONNode) -> JSONMember {
            JSONMember(key: key, keyRange: entry.node.range, value: value)
        }
        func node(_ value: JSONValue) -> JSONNode { JSONNode(value: value, range: entry.node.range) }
        let members = (entry.node.members ?? []).filter { $0.key == list || $0.key == "defaults" }
        let app = member("appID", node(.string("app")))
        let details = member("details", node(.array([node(.object(members + [app]))])))
        let context = (applinks.node.members ?? []).filter { ["defaults", "substitutionVariables"].contains($0.key) }
        return AppLinks(node(.object(context + [details])))
    }

    private static func words(_ behaviour: LinkBehaviour) -> String {
        switch behaviour {
        case .opens: "opened"
        case .blocked: "excluded"
        case .notMatched: "not matched"
        }
    }
}
