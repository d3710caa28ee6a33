// The edits for syntax errors that have one right answer.

extension JSONSyntaxError {
    /// The edits that correct this place; nil if a person has to decide, as for a missing bracket.
    func edits(in bytes: [UInt8]) -> [LintEdit]? {
        guard let cause else { return nil }
        switch cause.id {
        case "trailing-comma": return [LintEdit(range, "")]
        case "missing-comma":
            // Between two values on one line, a quote may be missing instead.
            guard bytes[range.upperBound..<offset].contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
            return [LintEdit(range.upperBound..<range.upperBound, ",")]
        case "typographic-sign":
            return String(utf8: bytes[range]).map { [LintEdit(range, JSONParser.plainSign(of: $0))] }
        case "typographic-quotes", "single-quotes":
            return PlainQuotes(bytes).edits(from: range.lowerBound, isOpening: range.lowerBound == offset)
        default: return nil
        }
    }
}

/// Replaces typographic and single quotes with double quotes, in the whole text. A pattern may contain such a character
/// too, so a quote closes a string only before JSON punctuation.
private struct PlainQuotes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// `isOpening`: if false, the quote at `start` closes a string that a plain quote opened.
    func edits(from start: Int, isOpening: Bool) -> [LintEdit] {
        var edits: [LintEdit] = []
        var index = start
        if !isOpening, let quote = quote(at: start) {
            edits.append(LintEdit(quote, "\""))
            index = quote.upperBound
        }
        while index < bytes.count {
            guard let opening = quote(at: index) else {
                index += 1
                continue
            }
            guard let closing = closing(of: opening) else { return edits }
            for quote in [opening, closing] where !isPlain(quote) { edits.append(LintEdit(quote, "\"")) }
            index = closing.upperBound
        }
        return edits
    }

    private func isPlain(_ quote: Range<Int>) -> Bool { bytes[quote.lowerBound] == UInt8(ascii: "\"") }

    /// nil if it is not certain: a string must end on its line, and must need no escapes.
    private func closing(of opening: Range<Int>) -> Range<Int>? {
        var index = opening.upperBound
        while index < bytes.count, bytes[index] >= 0x20 {
            if let quote = quote(at: index) {
                if isPlain(opening), isPlain(quote) || isBeforePunctuation(quote) { return quote }
                if !isPlain(opening), isBeforePunctuation(quote) { return quote }
                if isPlain(quote) { return nil }
            }
            if bytes[index] == UInt8(ascii: "\\") {
                guard isPlain(opening) else { return nil }
                index += 1
            }
            index += 1
        }
        return nil
    }

    private func isBeforePunctuation(_ quote: Range<Int>) -> Bool {
        guard let next = bytes[quote.upperBound...].first(where: { !JSONParser.isBlank($0) }) else { return true }
        return ",:]}".utf8.contains(next)
    }

    private func quote(at index: Int) -> Range<Int>? {
        if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") { return index..<index + 1 }
        guard bytes[index] >= 0xC2 else { return nil }
        return JSONParser.quotes.first { bytes[index...].starts(with: $0.utf8) }.map { index..<index + $0.utf8.count }
    }
}
