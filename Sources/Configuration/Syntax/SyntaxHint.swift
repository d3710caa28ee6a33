// libyaml's words name what it was doing. What somebody did wrong shows in the line where it stopped, or just above.

/// What to change where YAML cannot be read; the line itself is never quoted, since it may hold a secret.
enum SyntaxHint {
    /// - Parameters:
    ///   - message: libyaml's words.
    ///   - position: where it stopped.
    ///   - text: the whole file.
    /// - Returns: `; indent with blanks, not with tabs`, or nothing.
    static func of(_ message: String, at position: SourcePosition, in text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let near = lines.prefix(position.line).suffix(2)
        guard let line = near.last else { return "" }
        let next = line.dropFirst(position.column - 1).first
        if next == "\t" || line.prefix(while: \.isWhitespace).contains("\t") {
            return "; indent with blanks, not with tabs"
        }
        if message.contains("alias") || message.contains("anchor") {
            return "; a text that begins with '*' or '&' needs quotation marks, such as \"*.example.com\""
        }
        if let next, "@`%".contains(next), message.contains("cannot start any token") {
            return "; a text that begins with '\(next)' needs quotation marks"
        }
        if near.contains(where: hasBareVariable) {
            return "; between { } or [ ] a variable needs quotation marks: \"${NAME}\""
        }
        if let index = near.lastIndex(where: lacksBlank) {
            return "; is a blank missing after the colon at line \(index + 1)?"
        }
        if message.contains("mapping values are not allowed") {
            return "; a text with a colon and a blank in it needs quotation marks"
        }
        return ""
    }

    /// `${` outside quotation marks, in a line with a flow collection around it.
    private static func hasBareVariable(_ line: Substring) -> Bool {
        var quote: Character?
        var depth = 0
        var last: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "{", last == "$" {
                if depth > 0 { return true }
            } else if "{[".contains(character) {
                depth += 1
            }
            last = character
        }
        return false
    }

    /// `key:value`, where a URL or a time of day is no key.
    static func lacksBlank(_ line: Substring) -> Bool {
        let content = line.drop { $0 == " " || $0 == "-" }
        let key = content.prefix { $0.isASCII && ($0.isLetter || $0 == "_") }
        let rest = content.dropFirst(key.count)
        guard !key.isEmpty, rest.first == ":", let next = rest.dropFirst().first else { return false }
        return !next.isWhitespace && !rest.hasPrefix("://")
    }
}
