enum ComponentsAndPathsDiffer: LintRule {
    static let description = LintRuleDescription(
        id: "components-and-paths-differ", severity: .warning,
        title: "\"components\" and \"paths\" do not say the same",
        why: """
            Systems from iOS 13 on read "components" alone, older ones "paths" alone. Here they open different URLs. TN3155 \
            advises not to mix the two forms. Compared exactly, with an example URL; an exclusion and no match count as one. What \
            "paths" cannot express is a note of its own.
            """,
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}], "paths": ["/sell/*"]}"#),
        fixedExample: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy/*"}], "paths": ["/buy/*"]}"#),
        fix: "make them agree, or drop \"paths\"", reference: LintReference.technote)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for difference in subject.listDifferences where !difference.isBeyondPaths {
            findings.add(
                difference.paths.keyRange, difference.pointer, difference.message, example: difference.example)
        }
    }
}
