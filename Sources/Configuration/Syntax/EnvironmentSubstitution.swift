/// `${NAME}` and `${NAME:-default}` in the text of one scalar; `$$` is a dollar.
///
/// It works on scalars after the YAML is parsed: a value cannot bring keys or lists of its own.
struct EnvironmentSubstitution {
    /// What cannot be filled in, in words that name variables and never hold their values.
    struct Fault: Error, Equatable {
        let message: String
    }

    let environment: [String: String]

    /// - Throws: `Fault` at the first variable that is unset or misspelled.
    func apply(to text: String) throws(Fault) -> String {
        guard text.contains("$") else { return text }
        var result = ""
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            switch rest.first {
            case "$":
                result += "$"
                rest = rest.dropFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw Fault(message: "'${' has no closing '}'; a literal dollar is written '$$'")
                }
                result += try value(of: rest[..<end].dropFirst())
                rest = rest[rest.index(after: end)...]
            default:
                result += "$"
            }
        }
        return result + rest
    }

    /// `expression` is what stands between the braces.
    private func value(of expression: Substring) throws(Fault) -> String {
        let separator = expression.firstRange(of: ":-")
        let name = String(expression[..<(separator?.lowerBound ?? expression.endIndex)])
        let isName =
            name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || isLetter($0) || (48...57).contains($0) }
            && name.utf8.first.map { !(48...57).contains($0) } == true
        guard isName else {
            throw Fault(
                message: "'${…}' holds no name of a variable; write ${NAME} or ${NAME:-default}, "
                    + "and '$$' for a literal dollar")
        }
        let value = environment[name]
        guard let separator else {
            guard let value else {
                throw Fault(
                    message: "environment variable '\(name)' is not set; set it or write ${\(name):-default}")
            }
            return value
        }
        // As in a shell, `:-` stands in for an empty value too.
        if let value, !value.isEmpty { return value }
        return String(expression[separator.upperBound...])
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
