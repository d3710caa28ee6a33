enum AppInSeveralEntries: LintRule {
    static let description = LintRuleDescription(
        id: "app-in-several-entries", severity: .warning, title: "one app in several entries",
        why: """
            How the entries of one app play together is not documented: whether an exclusion in the one keeps a URL from the \
            other is open.
            """,
        example: LintExample.details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/buy/*\"}]},\n  "
                + "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/sell/*\"}]}"),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#, #"{"/": "/sell/*"}"#),
        fix: "put all rules of the app into one entry", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        var first: [String: Int] = [:]
        for (index, entry) in subject.entries.enumerated() {
            for appID in entry.appIDs {
                guard let other = first[appID] else {
                    first[appID] = index
                    continue
                }
                guard other != index else { continue }
                let earlier = subject.entries[other]
                let first = place(of: appID, in: earlier)
                findings.add(
                    place(of: appID, in: entry), entry.pointer,
                    "the app \(Quoted.json(appID)) has an entry at \(subject.position(of: first.lowerBound)) already"
                        + "\(rules(of: earlier)); how two entries of one app play together is not documented",
                    related: [.init(range: first, pointer: earlier.pointer, message: "the app's other entry")])
            }
        }
    }

    /// What tells the entry from others where all stand in one line.
    private static func rules(of entry: AppLinks.Entry) -> String {
        entry.rules.isEmpty ? "" : ", with " + Quoted.list(entry.rules)
    }

    /// Where the entry names the app.
    static func place(of appID: String, in entry: AppLinks.Entry) -> Range<Int> {
        if let element = entry.node["appIDs"]?.elements?.last(where: { $0.string == appID }) { return element.range }
        if let single = entry.node["appID"], single.string == appID { return single.range }
        return entry.node.opening
    }
}
