enum ComponentsBeyondPaths: LintRule {
    static let description = LintRuleDescription(
        id: "components-beyond-paths", severity: .note, title: "\"components\" say what \"paths\" cannot",
        why: """
            Systems before iOS 13 read "paths" alone, which has no query, no fragment and no other settings. Apart from these \
            the two lists agree.
            """,
        example: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy", "?": {"id": "?*"}}], "paths": ["/buy"]}"#
        ),
        fixedExample: LintExample.details(
            #"{"appIDs": ["D7KQ4ZW2MX.com.acme.shop"], "components": [{"/": "/buy"}], "paths": ["/buy"]}"#),
        fix: "accept that iOS 12 opens other URLs, or drop \"paths\"", reference: LintReference.technote)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for difference in subject.listDifferences where difference.isBeyondPaths {
            findings.add(
                difference.paths.keyRange, difference.pointer,
                difference.message + "; apart from what \"paths\" cannot express they agree",
                example: difference.example)
        }
    }
}
