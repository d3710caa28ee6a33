// Finds the cause of a syntax error from the character at the error or from the beginning of the text. It tries no
// repairs and does not guess: if neither shows the cause, the error has only the parser's message.

/// A cause, and the bytes to fix: nil means those where the parser stopped.
struct LocatedCause {
    let cause: JSONSyntaxError.Cause
    var range: Range<Int>?
    var opening: Range<Int>?

    init(_ cause: JSONSyntaxError.Cause, at range: Range<Int>? = nil, opening: Range<Int>? = nil) {
        self.cause = cause
        self.range = range
        self.opening = opening
    }
}

// MARK: How the text begins

extension JSONParser {
    /// Beginnings of texts that are not JSON.
    private static let beginnings: [(text: String, cause: JSONSyntaxError.Cause)] = [
        ("{\\rtf", .richText), ("-----BEGIN", .signed), ("MIME-Version:", .signed), ("<<<<<<<", .mergeConflict),
        ("<?", .template), ("<%", .template), ("${", .template),
    ]

    /// The cause if the text is something other than JSON; nil if JSON can begin here.
    func causeOfBeginning() -> JSONSyntaxError.Cause? {
        guard let first = current else { return .empty }
        // JSON begins with ASCII characters, so a zero among the first two bytes shows a wider encoding.
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) || bytes.prefix(2).contains(0) {
            return .utf16
        }
        // A DER sequence with a long length.
        if first == 0x30, index + 1 < bytes.count, [0x80, 0x82, 0x83].contains(bytes[index + 1]) { return .signed }
        if !begins(with: "<?xml"), let known = Self.beginnings.first(where: { begins(with: $0.text) }) {
            return known.cause
        }
        let isMarkup =
            first == UInt8(ascii: "<")
            && bytes[index...].dropFirst().first.map { "!?".utf8.contains($0) || Self.isLetter($0) } == true
        if !isMarkup, beginsAsValue(first) { return nil }
        if namesService, !begins(with: "<br"), let words = firstWords { return .wrapped(words) }
        return isMarkup ? causeOfMarkup() : causeOfText()
    }

    /// Whether the text has a service as a key, as in `callback({"applinks": {`, `applinks: {` of a script, or
    /// `&quot;applinks&quot;: {` of a page.
    private var namesService: Bool {
        let text = Array(bytes[index...].prefix(AssociationFile.sizeLimit))
        return Association.knownServices.contains { service in
            var rest = text[...]
            while let found = rest.firstRange(of: Array(service.utf8)) {
                rest = rest[found.upperBound...]
                let signs = rest.prefix(32).filter { !Self.isBlank($0) }
                if ["\":{", "':{", ":{", "&quot;:{", "\\\":{"].contains(where: { signs.starts(with: $0.utf8) }) {
                    return true
                }
            }
            return false
        }
    }

    /// Whether a JSON value, or an attempt at one, begins with this byte.
    private func beginsAsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "t"): begins(with: "true")
        case UInt8(ascii: "f"): begins(with: "false")
        case UInt8(ascii: "n"): begins(with: "null")
        case 0x80...: causeOfCharacter() != nil
        default: Array("{[\"'-/#\\<0123456789".utf8).contains(byte)
        }
    }

    private func causeOfText() -> JSONSyntaxError.Cause { firstWords.map { .plainText($0) } ?? .invalidUTF8 }

    /// The first words show what the text is: a server error, headers, a script. nil if it is not text.
    private var firstWords: String? {
        var head = bytes[index...].prefix(1024)
        // Drop non-ASCII bytes at the end: the cut can split a character.
        while head.endIndex < bytes.count, let last = head.last, last >= 0x80 { head.removeLast() }
        guard let text = String(utf8: head),
            head.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) })
        else { return nil }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func causeOfMarkup() -> JSONSyntaxError.Cause {
        let text = String(decoding: bytes[index...].prefix(4096), as: UTF8.self)
        let lower = text.lowercased()
        // PHP prints its own errors as markup, but that is not a page.
        if lower.hasPrefix("<br"), lower.contains(" on line ") { return causeOfText() }
        let isHTML = lower.contains("<html") || lower.hasPrefix("<!doctype html")
        let isXML = lower.hasPrefix("<?xml") || lower.contains("xmlns=")
        return isXML && !isHTML ? .xml(firstWords ?? "") : .htmlPage
    }
}

// MARK: The character at the fault

extension JSONParser {
    private static let signs: [(text: String, cause: JSONSyntaxError.Cause)] = [
        ("'", .singleQuotes), ("//", .comment), ("/*", .comment), ("#", .comment), ("<!--", .comment),
        ("<<<<<<<", .mergeConflict), ("=======", .mergeConflict), (">>>>>>>", .mergeConflict),
        ("{%", .template), ("<%", .template), ("<?", .template), ("${", .template),
    ]

    /// The cause that the character here shows, outside of a string.
    private func causeOfSign() -> LocatedCause? {
        guard current != nil else { return LocatedCause(.cutShort) }
        // The parser may have consumed the first brace of a template tag.
        for place in [index, max(0, index - 1)] where isTemplateTag(at: place) {
            return LocatedCause(.template, at: place..<place + 1)
        }
        if let cause = Self.signs.first(where: { begins(with: $0.text) })?.cause { return LocatedCause(cause) }
        return causeOfCharacter().map { LocatedCause($0) }
    }

    /// `{{ name }}` or `{% tag %}`. In `{{"`, or in `{{` at the end of a line, one brace is too many.
    private func isTemplateTag(at place: Int) -> Bool {
        guard bytes[place] == UInt8(ascii: "{"), place + 1 < bytes.count else { return false }
        if bytes[place + 1] == UInt8(ascii: "%") { return true }
        guard bytes[place + 1] == UInt8(ascii: "{") else { return false }
        let name = bytes[(place + 2)...].first { $0 != 0x20 && $0 != 0x09 }
        return name.map { !Array("\"{}\r\n".utf8).contains($0) } ?? false
    }

    /// Quotation marks that are not quotes in JSON.
    static let quotes = "\u{201C}\u{201D}\u{201E}\u{201F}\u{2018}\u{2019}\u{201A}\u{2032}\u{2033}«»\u{FF02}"
        .unicodeScalars.map { String($0) }

    /// East Asian punctuation, and the JSON punctuation that belongs in its place.
    private static let wideSigns: [Unicode.Scalar: String] = [
        "\u{FF1A}": "':'", "\u{FF0C}": "','", "\u{3001}": "','", "\u{FF1B}": "','", "\u{FF5B}": "'{'",
        "\u{FF5D}": "'}'", "\u{FF3B}": "'['", "\u{FF3D}": "']'",
    ]

    /// The ASCII text that replaces a wide or invisible character.
    static func plainSign(of text: String) -> String {
        let wide = text.unicodeScalars.first.flatMap { wideSigns[$0] }
        return wide.map { $0.filter { $0 != "'" } } ?? " "
    }

    private func causeOfCharacter() -> JSONSyntaxError.Cause? {
        guard let scalar = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first else {
            return nil
        }
        if Self.quotes.contains(String(scalar)) { return .typographicQuotes }
        if let wanted = Self.wideSigns[scalar] { return .typographicSign(scalar, wanted: "a plain " + wanted) }
        return scalar.isInvisible ? .typographicSign(scalar, wanted: "a plain space") : nil
    }

    /// A closing bracket that does not match the innermost array or object.
    private func causeOfBracket() -> LocatedCause? {
        guard let found = current, "]}".utf8.contains(found), let frame = frames.last, found != frame.closing else {
            return nil
        }
        // If it matches an outer bracket, the innermost one is not closed.
        let isOpen = frames.contains { $0.closing == found }
        return isOpen ? notClosed([frame], before: index) : LocatedCause(.surplusBracket(Self.text(found)))
    }

    private func notClosed(_ open: [Frame], before place: Int) -> LocatedCause? {
        guard let frame = open.last else { return nil }
        let end = max(1, endOfToken(before: place))
        return LocatedCause(
            .notClosed(open.reversed().map { Self.text($0.closing) }.joined(), opened: position(of: frame.opening)),
            at: end - 1..<end, opening: frame.opening..<frame.opening + 1)
    }
}

// MARK: Where the parser stopped

extension JSONParser {
    func causeAtValue() -> LocatedCause? { causeOfSign() ?? causeOfBracket() ?? causeOfWord(from: index, isKey: false) }

    func causeAtKey() -> LocatedCause? { causeOfSign() ?? causeOfBracket() ?? causeOfWord(from: index, isKey: true) }

    func causeAfterKey() -> LocatedCause? { causeOfSign() ?? causeOfText(behind: frames.last?.key?.range) }

    /// The cause of an error where a comma or a closing bracket is expected.
    func causeAfterValue() -> LocatedCause? {
        guard let frame = frames.last, let latest = frame.latest else { return nil }
        guard let byte = current else {
            // If more than two brackets are open, more is missing than brackets.
            return frames.count <= 2 ? notClosed(frames, before: bytes.count) : LocatedCause(.cutShort)
        }
        if let cause = causeOfSign() ?? causeOfBracket() { return cause }
        if latest.isString, let cause = causeOfText(behind: latest.range) { return cause }
        let end = latest.range.upperBound
        switch byte {
        case UInt8(ascii: ":") where !frame.isObject && latest.isString:
            return frame.count == 1
                ? LocatedCause(.keyInList, at: frame.opening..<frame.opening + 1)
                : notClosed([frame], before: latest.range.lowerBound)
        case UInt8(ascii: "\""),
            UInt8(ascii: "{") where !frame.isObject, UInt8(ascii: "[") where !frame.isObject:
            let isLineEnd = bytes[end..<index].contains { $0 == 0x0A || $0 == 0x0D }
            return LocatedCause(.missingComma(after: position(of: end), isLineEnd: isLineEnd), at: end - 1..<end)
        default:
            // An app ID without quotes, such as `9DL55EF8D3.com.acme`, begins like a number.
            return end == index && !latest.isString ? causeOfWord(from: latest.range.lowerBound, isKey: false) : nil
        }
    }

    /// The cause of text after the outermost value.
    func causeAfter(_ root: JSONNode) -> LocatedCause? {
        switch root.value {
        case .number, .bool, .null:
            var text = self
            text.index = root.range.lowerBound
            return LocatedCause(text.causeOfText(), at: root.range)
        case .string, .array, .object: break
        }
        if current == UInt8(ascii: "<"), !["<?", "<%", "<<"].contains(where: begins), let words = firstWords {
            return LocatedCause(.markupBehind(words))
        }
        if let cause = causeOfSign() { return cause }
        let isComma = current == UInt8(ascii: ",")
        if isComma, endOfToken(before: bytes.count) == index + 1 {
            return LocatedCause(.trailingComma(position(of: index)))
        }
        if let sign = current, "]}".utf8.contains(sign) { return LocatedCause(.surplusBracket(Self.text(sign))) }
        let start = isComma ? bytes[(index + 1)...].firstIndex { !Self.isBlank($0) } : index
        return start.map { LocatedCause(.severalDocuments, at: $0..<$0 + 1) }
    }

    /// The cause of an error in a string: it is not closed on its line, or contains a character that needs an escape.
    func causeInString(from start: Int) -> LocatedCause? {
        let whole = start - 1..<index
        if let byte = current, byte != 0x0A, byte != 0x0D { return LocatedCause(.controlCharacter(byte)) }
        // A typographic quote with only JSON punctuation after it was meant to close the string.
        let end = bytes[start..<index].lastIndex { !Self.isBlank($0) && !",:]}".utf8.contains($0) }
        var quote = end ?? start
        while quote > start, bytes[quote] & 0xC0 == 0x80 { quote -= 1 }
        if Self.quotes.contains(where: { bytes[quote...].starts(with: $0.utf8) }) {
            return LocatedCause(.typographicQuotes, at: quote..<quote + 1)
        }
        let last = bytes.last { !Self.isBlank($0) }
        let isCut = current == nil && last.map { !"]}".utf8.contains($0) } ?? true
        return isCut ? LocatedCause(.cutShort) : LocatedCause(.unclosedString, at: whole)
    }

    func causeInNumber() -> LocatedCause? {
        guard current != nil else { return LocatedCause(.cutShort) }
        let start = bytes[..<index].lastIndex { !Self.isNumeric($0) }.map { $0 + 1 } ?? 0
        return causeOfWord(from: start, isKey: false)
    }

    /// The cause of text directly after the closing quote of a string.
    private func causeOfText(behind string: Range<Int>?) -> LocatedCause? {
        guard let string, string.upperBound == index, let byte = current, !Self.isBlank(byte),
            !",:[]{}".utf8.contains(byte)
        else { return nil }
        // If the quote opens another string, a comma is missing. A quote alone is one too many.
        let next = bytes[index...].dropFirst().first ?? 0x20
        if byte == UInt8(ascii: "\""), !Self.isBlank(next), !",:]}".utf8.contains(next) { return nil }
        let text = String(decoding: bytes[string].dropFirst().dropLast(), as: UTF8.self)
        return LocatedCause(.textAfterString(text), at: string)
    }

    /// A value or key without quotes, up to the next punctuation of its line; nil for an expression of a program.
    private func causeOfWord(from start: Int, isKey: Bool) -> LocatedCause? {
        let line = bytes[start...].prefix(200).prefix { !",:\"[]{}\r\n".utf8.contains($0) }
        let range = start..<max(start, endOfToken(before: line.endIndex))
        let text = String(decoding: bytes[range], as: UTF8.self)
        let isPlain = text.utf8.allSatisfy { byte in
            Self.isLetter(byte) || Self.isNumeric(byte) && byte != UInt8(ascii: "+") || " _*/?".utf8.contains(byte)
        }
        // The `e` of a number does not make it a word.
        let isWord = text.utf8.contains { Self.isLetter($0) && !Self.isNumeric($0) || "_*/".utf8.contains($0) }
        let endsWithColon = line.endIndex < bytes.count && bytes[line.endIndex] == UInt8(ascii: ":")
        guard isPlain, isWord, isKey || !endsWithColon, !Self.words.contains(text.lowercased()) else { return nil }
        return LocatedCause(.unquotedText(text), at: range)
    }

    /// Literals of programs: quotes around them would change the meaning.
    private static let words: Set<String> = [
        "true", "false", "null", "none", "nil", "undefined", "nan", "infinity", "yes", "no", "on", "off",
    ]
}

extension JSONParser {
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        byte.isDigit || "+-.eE".utf8.contains(byte)
    }

    private static func text(_ byte: UInt8) -> String { String(UnicodeScalar(byte)) }

    private func begins(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private func endOfToken(before place: Int) -> Int {
        bytes[..<place].lastIndex { !Self.isBlank($0) }.map { $0 + 1 } ?? 0
    }

    /// The character at `index`, safe to print.
    func describeCurrent() -> String {
        guard index < bytes.count else { return "the end of the file" }
        let scalars = String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self).unicodeScalars
        guard let scalar = scalars.first, scalar != "\u{FFFD}" else {
            return "the byte 0x" + String(bytes[index], radix: 16, uppercase: true)
        }
        return scalar.isTerminalControl || scalar.properties.generalCategory == .unassigned
            ? "the character U+" + String(scalar.value, radix: 16, uppercase: true) : "'\(scalar)'"
    }
}
