// Text of the file inside a message. Files come from anywhere: nothing in them may steer a terminal or a log.

enum Quoted {
    /// Longer values are cut.
    static let maximumScalars = 80

    /// Text that is no string of the file, in single quotes, escaped and cut.
    static func text(_ text: String, limit: Int = maximumScalars) -> String { "'" + escaped(text, limit: limit) + "'" }

    /// A string as the file has it: in double quotes, with JSON's escapes, cut.
    static func json(_ text: String, limit: Int = maximumScalars) -> String {
        // The last quote is kept where the text is cut. Of a long text no more is looked at than is shown.
        let head = String(text.unicodeScalars.prefix(limit + 1))
        return "\"" + escaped(String(head.writtenAsJSON.unicodeScalars.dropFirst().dropLast()), limit: limit) + "\""
    }

    /// Controls, invisible and bidirectional characters as `\u{200B}`; long texts end in `…`.
    static func escaped(_ text: String, limit: Int = maximumScalars) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return result + "…" }
            count += 1
            if isPlain(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
        return result
    }

    /// A list of strings, cut after a few.
    static func list(_ texts: some Collection<String>, limit: Int = 3) -> String {
        list(texts, limit: limit) { json($0) }
    }

    /// A list of rules as the file has them, cut after a few.
    static func list(_ rules: some Collection<URLRule>, limit: Int = 3) -> String {
        list(rules, limit: limit) { escaped($0.written(limit: maximumScalars)) }
    }

    private static func list<Item>(
        _ items: some Collection<Item>, limit: Int, _ describe: (Item) -> String
    ) -> String {
        items.prefix(limit).map(describe).joined(separator: ", ") + more(items.count, beyond: limit)
    }

    /// What is said of a list that is not shown to its end.
    static func more(_ count: Int, beyond limit: Int) -> String {
        count > limit ? " and \(count - limit) more" : ""
    }

    /// A component for a path, which `NOT ` in front excludes as in "paths".
    static func component(_ path: String, isExclusion: Bool) -> String {
        let isNot = path.hasPrefix("NOT ")
        return "{\"/\": \(json(isNot ? String(path.dropFirst(4)) : path))"
            + (isNot || isExclusion ? ", \"exclude\": true}" : "}")
    }

    /// The kind of a value, as people say it.
    static func kind(_ node: JSONNode) -> String {
        switch node.value {
        case .null: "null"
        case .bool(let value): "the boolean \(value)"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value >= 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned,
            .spaceSeparator, .nonspacingMark, .enclosingMark:
            return false
        default: return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}

extension String {
    /// The text, or its beginning where it has more bytes.
    func cut(beyond limit: Int) -> String {
        utf8.count <= limit ? self : String(unicodeScalars.prefix(limit / 4)) + "…"
    }

    /// Without blanks, line breaks and invisible characters at both ends.
    var trimmingBlanks: String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint || scalar.value < 0x20
        }
        let start = unicodeScalars.drop(while: isBlank)
        var end = start
        while let last = end.last, isBlank(last) { end.removeLast() }
        return String(end)
    }
}
