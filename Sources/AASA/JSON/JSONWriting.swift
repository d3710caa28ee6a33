// Values as text: in canonical form, as people write them, and quoted in messages.

extension JSONNode {
    /// The canonical form as UTF-8 bytes, equal for files with the same meaning. It ignores key order, white space,
    /// escapes and the spelling of numbers. It keeps the order of arrays, because `details` and `components` are read
    /// in order. Hash the bytes to compare files.
    package var canonicalForm: [UInt8] {
        var writer = JSONWriter(isCanonical: true)
        writer.output.reserveCapacity(range.count)
        writer.write(self)
        return writer.output
    }

    /// The value on one line, as people write it.
    var written: String { written(limit: .max) }

    /// The same, cut after about `limit` bytes. Callers shorten it further.
    func written(limit: Int) -> String {
        var writer = JSONWriter(isCanonical: false, limit: limit)
        writer.write(self)
        return String(decoding: writer.output, as: UTF8.self)
    }

    /// The digits without zeros at either end, and the power of ten: `1.0`, `1` and `1e0` become equal. Different
    /// numbers stay different, however long they are. A number stays as written if its exponent overflows Int.
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

extension String {
    /// The text as a JSON string: in double quotes, with quotes, backslashes and controls escaped.
    package var writtenAsJSON: String {
        var writer = JSONWriter(isCanonical: false)
        writer.write(self)
        return String(decoding: writer.output, as: UTF8.self)
    }
}

private struct JSONWriter {
    let isCanonical: Bool
    /// No value begins after this many bytes, and no string has more scalars than this.
    var limit = Int.max
    var output: [UInt8] = []

    mutating func write(_ node: JSONNode) {
        guard output.count <= limit else { return }
        switch node.value {
        case .null: output += "null".utf8
        case .bool(let flag): output += (flag ? "true" : "false").utf8
        case .number(let lexeme): output += (isCanonical ? JSONNode.canonicalNumber(lexeme) : lexeme).utf8
        case .string(let text): write(text)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() where output.count <= limit {
                if index > 0 { output += (isCanonical ? "," : ", ").utf8 }
                write(element)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in (isCanonical ? Self.sorted(members) : members).enumerated()
            where output.count <= limit {
                if index > 0 { output += (isCanonical ? "," : ", ").utf8 }
                write(member.key)
                output += (isCanonical ? ":" : ": ").utf8
                write(member.value)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// By the bytes of the keys. Duplicates stay, in file order: which one counts is undefined, so none is dropped.
    private static func sorted(_ members: [JSONMember]) -> [JSONMember] {
        let keyed = members.enumerated().map { (key: Array($0.element.key.utf8), offset: $0.offset, $0.element) }
        return keyed.sorted { left, right in
            left.key == right.key ? left.offset < right.offset : left.key.lexicographicallyPrecedes(right.key)
        }.map(\.2)
    }

    mutating func write(_ text: String) {
        output.append(UInt8(ascii: "\""))
        var scalars = 0
        for byte in text.utf8 {
            // Continuation bytes belong to the scalar before them.
            if byte & 0xC0 != 0x80 {
                if scalars == limit { break }
                scalars += 1
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0x0A where !isCanonical: output += "\\n".utf8
            case 0x0D where !isCanonical: output += "\\r".utf8
            case 0x09 where !isCanonical: output += "\\t".utf8
            case 0..<0x20:
                output += (byte < 16 ? "\\u000" : "\\u00").utf8
                output += String(byte, radix: 16, uppercase: !isCanonical).utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}

/// Text of a file, quoted in a message. Files are untrusted: their text must not control a terminal or a log.
enum Quoted {
    static let maximumScalars = 80

    /// Text that is not a JSON string, in single quotes, escaped and shortened.
    static func text(_ text: String, limit: Int = maximumScalars) -> String { "'" + escaped(text, limit: limit) + "'" }

    /// A JSON string in double quotes, escaped and shortened.
    static func json(_ text: String, limit: Int = maximumScalars) -> String {
        // A shortened text keeps its closing quote. Only the part that is shown is read.
        let head = String(text.unicodeScalars.prefix(limit + 1))
        return "\"" + escaped(String(head.writtenAsJSON.unicodeScalars.dropFirst().dropLast()), limit: limit) + "\""
    }

    /// Escapes control, invisible and bidirectional characters as `\u{200B}`. A shortened text ends in `…`.
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

    static func list(_ texts: some Collection<String>, limit: Int = 3) -> String {
        list(texts, limit: limit) { json($0) }
    }

    /// The rules as the file writes them, at most `limit`.
    static func list(_ rules: some Collection<URLRule>, limit: Int = 3) -> String {
        list(rules, limit: limit) { escaped($0.written(limit: maximumScalars)) }
    }

    private static func list<Item>(
        _ items: some Collection<Item>, limit: Int, _ describe: (Item) -> String
    ) -> String {
        items.prefix(limit).map(describe).joined(separator: ", ") + more(items.count, beyond: limit)
    }

    /// The end of a shortened list, such as ` and 3 more`.
    static func more(_ count: Int, beyond limit: Int) -> String {
        count > limit ? " and \(count - limit) more" : ""
    }

    /// The component for a path of `paths`. A leading `NOT ` becomes `exclude`.
    static func component(_ path: String, isExclusion: Bool) -> String {
        let isNot = path.hasPrefix("NOT ")
        return "{\"/\": \(json(isNot ? String(path.dropFirst(4)) : path))"
            + (isNot || isExclusion ? ", \"exclude\": true}" : "}")
    }

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
        guard !scalar.isTerminalControl, !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        return switch scalar.properties.generalCategory {
        case .unassigned, .spaceSeparator, .nonspacingMark, .enclosingMark: false
        default: true
        }
    }
}

extension String {
    /// The text; if it has more than `limit` bytes, its first `limit / 4` scalars.
    func cut(beyond limit: Int) -> String {
        utf8.count <= limit ? self : String(unicodeScalars.prefix(limit / 4)) + "…"
    }

    /// Without spaces, line breaks and invisible characters at either end.
    var trimmingBlanks: String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.isInvisible || scalar.value < 0x20
        }
        let start = unicodeScalars.drop(while: isBlank)
        var end = start
        while let last = end.last, isBlank(last) { end.removeLast() }
        return String(end)
    }
}
