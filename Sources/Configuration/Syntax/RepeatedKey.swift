/// Renames one key in the text of a file, in as many characters.
enum RepeatedKey {
    /// - Parameters:
    ///   - name: the key as YAML read it.
    ///   - position: where YAML says that it starts.
    ///   - scalars: the text; changed in place.
    ///   - number: makes the placeholder unique.
    /// - Returns: the placeholder, or nil where the text there is not literally the name (an alias, escapes).
    static func rename(
        _ name: String, at position: SourcePosition, in scalars: inout [Unicode.Scalar], number: Int
    ) -> String? {
        let wanted = Array(name.unicodeScalars)
        guard !wanted.isEmpty, let first = Unicode.Scalar(0xF0000 + UInt32(number)),
            var start = index(of: position, in: scalars)
        else { return nil }
        if start < scalars.count, scalars[start] == "\"" || scalars[start] == "'" { start += 1 }
        let end = start + wanted.count
        guard end <= scalars.count, Array(scalars[start..<end]) == wanted else { return nil }
        // Private-use characters: no honest key has them, and YAML lets them stand in a plain one.
        let placeholder = [first] + [Unicode.Scalar](repeating: "\u{F8000}", count: wanted.count - 1)
        scalars.replaceSubrange(start..<end, with: placeholder)
        return String(String.UnicodeScalarView(placeholder))
    }

    private static func index(of position: SourcePosition, in scalars: [Unicode.Scalar]) -> Int? {
        var line = 1
        var index = 0
        while line < position.line {
            guard index < scalars.count else { return nil }
            switch scalars[index] {
            case "\r":
                if index + 1 < scalars.count, scalars[index + 1] == "\n" { index += 1 }
                line += 1
            case "\n", "\u{85}", "\u{2028}", "\u{2029}":
                line += 1
            default: break
            }
            index += 1
        }
        index += position.column - 1
        return index <= scalars.count ? index : nil
    }
}
