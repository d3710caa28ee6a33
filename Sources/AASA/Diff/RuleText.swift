// A rule in one line for people, as the file writes it: without what `defaults` add, which are a difference of their own.

enum RuleText {
    static func describe(_ rule: URLRule) -> String {
        switch rule.form {
        case .wrongType: "everything"
        case .path: rule.node.string.map(describe(path:)) ?? "everything"
        case .component: describe(component: rule.node)
        }
    }

    private static func describe(path: String) -> String {
        path.prefix(4).lowercased() == "not " ? "NOT " + path.dropFirst(4) : path
    }

    private static func describe(component: JSONNode) -> String {
        var text = component["/"]?.string ?? "*"
        if let query = component["?"] {
            if let string = query.string {
                text += "?\(string)"
            } else if let members = query.members {
                text += "?" + members.map { "\($0.key)=\($0.value.string ?? "*")" }.sorted().joined(separator: "&")
            }
        }
        if let fragment = component["#"]?.string { text += "#\(fragment)" }
        for flag in ["caseSensitive", "percentEncoded"] {
            if let node = component[flag] { text += " (\(flag): \(LenientBoolean.read(node)))" }
        }
        return component["exclude"].map(LenientBoolean.read) ?? false ? "NOT \(text)" : text
    }
}
