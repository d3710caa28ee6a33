enum EntryWithoutApp: LintRule {
    static let description = LintRuleDescription(
        id: "entry-without-app", severity: .error, title: "an entry of \"details\" names no app",
        why: "An entry applies to the apps of its \"appIDs\" or \"appID\". Without one its rules have no effect.",
        example: LintExample.details(#"{"appid": "D7KQ4ZW2MX.com.acme.shop", "components": [{"/": "/buy/*"}]}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#),
        fix: "add \"appIDs\": [\"PREFIX.bundle.id\"]", reference: LintReference.details)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        for entry in subject.entries where entry.appIDs.isEmpty {
            if let list = entry.node.member("appIDs") {
                guard let elements = list.value.elements else { continue }
                let said = elements.isEmpty ? "is empty" : "holds no string"
                findings.add(
                    list.value.range, entry.pointer + "/appIDs",
                    "\"appIDs\" \(said); the rules of this entry apply to no app")
            } else if let single = entry.node.member("appID") {
                findings.add(
                    single.value.elements == nil ? single.value.range : single.value.opening, entry.pointer + "/appID",
                    "\"appID\" is \(Quoted.kind(single.value)), not a string; the rules of this entry apply to no app")
            } else {
                findings.add(
                    entry.node.opening, entry.pointer,
                    "this entry has neither \"appIDs\" nor \"appID\"; its rules apply to no app")
            }
        }
    }
}
