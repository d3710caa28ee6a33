enum SharedURLSpace: LintRule {
    static let description = LintRuleDescription(
        id: "shared-url-space", severity: .note, title: "two apps open the same URLs",
        why: """
            The order of the entries is documented to decide; a report from iOS 15 has the last app win. Where only one of the \
            apps is installed it opens the URL whatever the order.
            """,
        example: LintExample.details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/buy/*\"}]},\n  "
                + "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.staff\"], \"components\": [{\"/\": \"/buy/*\"}]}"),
        fixedExample: LintExample.details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [{\"/\": \"/buy/*\"}]},\n  "
                + "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.staff\"], \"components\": [{\"/\": \"/staff/*\"}]}"),
        fix: "give each app paths of its own, or accept that either may open", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        let overlaps = subject.overlaps.filter { $0.rules.count >= 2 }
        guard let first = overlaps.first, let one = first.rules.first, let other = first.rules.last else { return }
        let more = overlaps.count - 1
        findings.add(
            other.range, other.pointer,
            "\(Quoted.escaped(first.example)) is opened by several apps: by the rule \(subject.name(one)) too; apps: "
                + Quoted.list(first.appIDs)
                + (more == 0 ? "" : more == 1 ? "; so is 1 more URL" : "; so are \(more) more URLs"),
            related: [.init(one, "this rule opens the URL for another app")]
                + overlaps.dropFirst().compactMap { overlap in
                    overlap.rules.last.map {
                        .init($0, "this rule opens \(Quoted.escaped(overlap.example)) for several apps")
                    }
                },
            example: first.example)
    }
}
