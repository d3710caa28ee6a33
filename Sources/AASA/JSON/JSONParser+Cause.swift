// What probably happened where a text is not JSON. A guess changes the words, never the verdict.

extension JSONParser {
    /// Causes that show in the first bytes of the whole file.
    func causeOfWhole() -> JSONSyntaxError.Cause? {
        guard let first = current else { return .empty }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return .utf32 }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return .utf16 }
        if bytes.starts(with: [0x1F, 0x8B]) { return .gzip }
        if bytes.prefix(2).contains(0) { return causeOfZeros() }
        if first == UInt8(ascii: "<") { return .htmlPage }
        if bytes.starts(with: Array("{\\rtf".utf8)) { return .richText }
        // DER of a SEQUENCE with a long length, or its PEM form.
        if bytes.starts(with: [0x30, 0x82]) || bytes.starts(with: [0x30, 0x83]) || bytes.starts(with: [0x30, 0x80])
            || bytes.starts(with: Array("-----BEGIN".utf8))
        {
            return .signed
        }
        return nil
    }

    /// A byte of zero at the beginning: wide characters, of which JSON's first two are ASCII, or no text at all.
    private func causeOfZeros() -> JSONSyntaxError.Cause {
        func isText(width: Int, at place: Int) -> Bool {
            let head = Array(bytes.prefix(2 * width))
            return !head.isEmpty && head.count % width == 0
                && head.indices.allSatisfy { index in
                    index % width == place
                        ? (0x20...0x7E).contains(head[index]) || (0x09...0x0D).contains(head[index]) : head[index] == 0
                }
        }
        if isText(width: 4, at: 0) || isText(width: 4, at: 3) { return .utf32 }
        return isText(width: 2, at: 0) || isText(width: 2, at: 1) ? .utf16 : .binary
    }

    /// Causes that show at the place of the fault.
    func localCause() -> JSONSyntaxError.Cause? {
        guard let byte = current else { return .cutShort }
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "#"): return .comment
        case UInt8(ascii: "'"): return .singleQuotes
        default: break
        }
        for quote in ["\u{201C}", "\u{201D}", "\u{201E}", "\u{2018}", "\u{2019}"]
        where bytes[index...].starts(with: quote.utf8) { return .smartQuotes }
        return nil
    }

    /// Causes of text behind a complete value.
    func trailingCause() -> JSONSyntaxError.Cause? {
        localCause() ?? .severalDocuments
    }

    /// The character at the place of the fault, safe to print.
    func describeCurrent() -> String {
        guard index < bytes.count else { return "the end of the file" }
        let scalars = String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self).unicodeScalars
        guard let scalar = scalars.first, scalar != "\u{FFFD}" else {
            return "the byte 0x" + String(bytes[index], radix: 16, uppercase: true)
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return "the character U+" + String(scalar.value, radix: 16, uppercase: true)
        default:
            return "'\(scalar)'"
        }
    }
}
