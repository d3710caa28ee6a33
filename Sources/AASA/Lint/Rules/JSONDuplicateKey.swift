enum JSONDuplicateKey: LintRule {
    static let description = LintRuleDescription(
        id: "json-duplicate-key", severity: .warning, title: "a key stands twice in one object",
        why: """
            Which of the two counts is undefined (RFC 8259, 4), and Apple documents nothing: a device may take the first or the \
            last, and all that the other one says is lost in silence. This program goes on with the last. Most often an app was added as a second "details" or "applinks".
            """,
        example: LintExample.components(#"{"/": "/buy/*", "/": "/sell/*"}"#),
        fixedExample: LintExample.components(#"{"/": "/buy/*"}"#, #"{"/": "/sell/*"}"#),
        fix: "keep one of the two", reference: LintReference.json + "#section-4")

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let root = subject.file?.document.root else { return }
        var path: [String] = []
        visit(root, &path, subject, &findings)
    }

    /// The parser has bounded the depth.
    private static func visit(
        _ node: JSONNode, _ path: inout [String], _ subject: LintSubject, _ findings: inout FindingSink
    ) {
        switch node.value {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                visit(element, &path, subject, &findings)
                path.removeLast()
            }
        case .object(let members):
            // By bytes: to Swift's String two spellings of one accented letter are equal, to JSON they are two keys.
            var seen: [[UInt8]: Range<Int>] = [:]
            for member in members {
                path.append(member.key)
                if members.count > 1 {
                    let key = Array(member.key.utf8)
                    if let first = seen[key] {
                        let pointer = path.map { "/" + $0.escapedForPointer }.joined()
                        findings.add(
                            member.keyRange, pointer,
                            "the key \(Quoted.json(member.key)) stands at \(subject.position(of: first.lowerBound)) already; "
                                + "which of the two a device reads is undefined; what follows here is judged by the last one",
                            related: [.init(range: first, pointer: pointer, message: "the first of the two")])
                    } else {
                        seen[key] = member.keyRange
                    }
                }
                visit(member.value, &path, subject, &findings)
                path.removeLast()
            }
        default: break
        }
    }
}
