// A rule in one line: as people read it in the file, and as two files are compared by it.

extension URLRule {
    /// The rule as the file has it, on one line and without its comment.
    public var written: String {
        switch (form, node.value) {
        // An entry without a list of rules stands in place of one.
        case (.wrongType, .object), (.wrongType, .array): "(no list of rules: every URL)"
        case (.component, .object(let members)):
            JSONNode(value: .object(members.filter { $0.key != "comment" }), range: node.range).written
        default: node.written
        }
    }

    /// Equal for rules that say the same, be one of them a path and the other a component. Without what `defaults` add,
    /// which are a difference of their own.
    var ownMeaning: String {
        switch form {
        case .wrongType: "any"
        case .path: (isExclusion ? "NOT " : "") + (path?.text ?? "")
        case .component: meaningOfComponent
        }
    }

    private var meaningOfComponent: String {
        var text = node["/"]?.string ?? "*"
        if let query = node["?"] {
            if let string = query.string {
                text += "?\(string)"
            } else if let members = query.members {
                text += "?" + members.map { "\($0.key)=\($0.value.string ?? "*")" }.sorted().joined(separator: "&")
            }
        }
        if let fragment = node["#"]?.string { text += "#\(fragment)" }
        for flag in ["caseSensitive", "percentEncoded"] {
            if let node = node[flag] { text += " (\(flag): \(LenientBoolean.read(node)))" }
        }
        return node["exclude"].map(LenientBoolean.read) ?? false ? "NOT \(text)" : text
    }
}

extension JSONNode {
    /// The value on one line, as people write it.
    var written: String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let lexeme): lexeme
        case .string(let text): text.writtenAsJSON
        case .array(let elements): "[" + elements.map(\.written).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { "\($0.key.writtenAsJSON): \($0.value.written)" }.joined(separator: ", ") + "}"
        }
    }
}

extension String {
    /// The text as a JSON file has it: in double quotes, with JSON's escapes for quotes, backslashes and controls.
    var writtenAsJSON: String {
        var result = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
