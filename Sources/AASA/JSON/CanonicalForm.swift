// The canonical form: two files with the same one mean the same. Key order, white space, escapes and the spelling of a
// number do not count; the order of an array does, since `details` and `components` are read in order.

extension JSONNode {
    /// UTF-8 bytes of the canonical form. Hash them to compare meaning.
    public var canonicalForm: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        write(to: &output)
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let flag): output += (flag ? "true" : "false").utf8
        case .number(let lexeme): output += Self.canonicalNumber(lexeme).utf8
        case .string(let string): Self.write(string, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (position, element) in elements.enumerated() {
                if position > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            // Duplicates stay, in the order of the text: which of them counts is undefined, so they are not dropped.
            let sorted = members.enumerated().map { (key: Array($0.element.key.utf8), offset: $0.offset, $0.element) }
                .sorted { left, right in
                    left.key == right.key ? left.offset < right.offset : left.key.lexicographicallyPrecedes(right.key)
                }
            output.append(UInt8(ascii: "{"))
            for (position, entry) in sorted.enumerated() {
                if position > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(entry.2.key, to: &output)
                output.append(UInt8(ascii: ":"))
                entry.2.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0..<0x20:
                output += "\\u00".utf8
                output += (byte < 16 ? "0" : "").utf8
                output += String(byte, radix: 16).utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// The digits without zeros at either end, and the power of ten: `1.0`, `1` and `1e0` are one number, and no two
    /// numbers become one, however long they are. An exponent beyond all sense keeps its own spelling.
    static func canonicalNumber(_ lexeme: String) -> String {
        let parts = lexeme.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        guard let written = parts.first, let exponent = parts.count > 1 ? Int(parts[1]) : 0 else { return lexeme }
        let isNegative = written.hasPrefix("-")
        let mantissa = written.drop { $0 == "-" }.split(separator: ".")
        var digits = Substring(mantissa.joined()).drop { $0 == "0" }
        let length = digits.utf8.count
        while digits.last == "0" { digits.removeLast() }
        guard !digits.isEmpty else { return "0" }
        let fraction = mantissa.count > 1 ? mantissa[1].utf8.count : 0
        let (power, overflow) = exponent.addingReportingOverflow(length - digits.utf8.count - fraction)
        if overflow { return lexeme }
        return (isNegative ? "-" : "") + digits + (power == 0 ? "" : "e\(power)")
    }
}
