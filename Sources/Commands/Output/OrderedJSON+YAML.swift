// JSON values as YAML, for `config show`: what it prints can be read back.

import Evidence

extension OrderedJSON {
    /// Block style, two spaces per level; an empty list or mapping is `[]` or `{}`.
    var yaml: String { lines(0).joined(separator: "\n") }

    private func lines(_ depth: Int) -> [String] {
        let indentation = String(repeating: "  ", count: depth)
        switch self {
        case .object(let members) where !members.isEmpty:
            return members.flatMap { key, value -> [String] in
                let head = "\(indentation)\(Self.plain(key)):"
                guard value.isBlock else { return ["\(head) \(value.scalar)"] }
                return [head] + value.lines(depth + 1)
            }
        case .array(let elements) where !elements.isEmpty:
            return elements.flatMap { element -> [String] in
                guard element.isBlock else { return ["\(indentation)- \(element.scalar)"] }
                var lines = element.lines(depth + 1)
                lines[0] = "\(indentation)- \(lines[0].drop { $0 == " " })"
                return lines
            }
        default: return [indentation + scalar]
        }
    }

    private var isBlock: Bool {
        switch self {
        case .object(let members): !members.isEmpty
        case .array(let elements): !elements.isEmpty
        default: false
        }
    }

    private var scalar: String {
        if case .string(let text) = self { return Self.plain(text) }
        return self.text(isPretty: false)
    }

    /// A text that YAML reads as itself stays bare; any other is written as JSON, which is YAML too. A `$` would begin a
    /// variable.
    private static func plain(_ text: String) -> String {
        let text = text.replacing("$", with: "$$")
        let isWord =
            text.first.map { $0.isASCII && ($0.isLetter || $0 == "/") } == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/_.+-".contains($0)) }
        let isDuration = text.wholeMatch(of: /([0-9]+(ms|d|h|m|s))+/) != nil
        let words: Set = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
        return isDuration || isWord && !words.contains(text.lowercased())
            ? text : OrderedJSON.string(text).text(isPretty: false)
    }
}
