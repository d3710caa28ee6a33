enum SharedURLSpace: LintRule {
    static let description = LintRuleDescription(
        id: "shared-url-space", severity: .warning, title: "two apps open the same URLs",
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
        // A third app that shares what two share already is told once.
        var told: Set<String> = []
        for overlap in subject.overlaps {
            guard overlap.rules.count >= 2, let one = overlap.rules.first, let other = overlap.rules.last,
                told.insert(other.pointer).inserted
            else { continue }
            findings.add(
                other.range, other.pointer,
                "\(Quoted.text(overlap.example)) is opened by several apps: by the rule \(subject.name(one)) too; apps: "
                    + Quoted.list(overlap.appIDs),
                related: [.init(one, "this rule opens the URL for another app")], example: overlap.example)
        }
    }
}
