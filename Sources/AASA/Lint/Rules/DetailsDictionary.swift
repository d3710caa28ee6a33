enum DetailsDictionary: LintRule {
    static let description = LintRuleDescription(
        id: "details-dictionary", severity: .warning, title: "\"details\" is an object, the form of iOS 8",
        why: """
            An object keyed by app ID is still read, but it has no order: where several apps claim a URL, or one excludes it, \
            the outcome is undefined.
            """,
        example: #"{"applinks": {"apps": [], "details": {"D7KQ4ZW2MX.com.acme.shop": {"paths": ["/buy/*"]}}}}"#,
        fixedExample: LintExample.paths(#""/buy/*""#),
        fix: "make it an array of objects with \"appIDs\" and \"components\"", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let member = subject.applinks?.node.member("details"), member.value.members?.isEmpty == false else {
            return
        }
        findings.add(
            member.keyRange, "/applinks/details",
            "\"details\" is an object keyed by app ID; devices still read it, in an order that is not defined")
    }
}
