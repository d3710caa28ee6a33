// What probably happened where a text is not JSON. A guess changes the words, never the verdict.

/// A cause, and where to change the text: where the parser stopped, if nothing else is said.
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

extension JSONParser {
    static let quotes = [
        "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\u{2018}", "\u{2019}", "\u{201A}", "\u{2032}", "\u{2033}", "«",
        "»",
        "\u{FF02}",
    ]
    /// Lists of objects: where one is written without braces, these are what is missing.
    private static let listsOfObjects: Set<ExactText> = ["details", "components"]
    private static let lists: Set<ExactText> = ["details", "components", "apps", "appIDs", "paths"]

    /// Where a value should begin.
    func causeAtValue() -> LocatedCause? {
        if let cause = causeOfSign() { return cause }
        guard let frame = frames.last else { return causeOfText().map { LocatedCause($0) } }
        let isInObject = frame.isObject
        switch current {
        case UInt8(ascii: ","):
            if isInObject { return LocatedCause(.missingValue(key: frame.key?.text ?? ""), at: frame.key?.range) }
            return LocatedCause(.strayComma)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if isInObject { return LocatedCause(.missingValue(key: frame.key?.text ?? ""), at: frame.key?.range) }
            return causeOfBracket()
        case UInt8(ascii: ":"), UInt8(ascii: "="): return nil
        default: return causeOfWord()
        }
    }

    /// Where a key should begin.
    func causeAtKey() -> LocatedCause? {
        if let cause = causeOfSign() { return cause }
        switch current {
        case UInt8(ascii: ","): return LocatedCause(.strayComma)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0A
            let isDoubled = bytes[index - 1] == UInt8(ascii: "{") && !Array("\"{}[]\r\n".utf8).contains(next)
            if isDoubled { return LocatedCause(.template, at: index - 1..<index) }
            let key = parentKey
            let isList = frames.last?.latest == nil && key.map { Self.lists.contains(ExactText($0)) } == true
            guard let opening = frames.last?.opening, isList else { return LocatedCause(.missingKey) }
            return LocatedCause(.bracesForList(key: key), at: opening..<opening + 1)
        case UInt8(ascii: "]"): return causeOfBracket()
        case UInt8(ascii: ":"): return LocatedCause(.missingKey)
        default: return causeOfWord()
        }
    }

    /// Where the colon should stand.
    func causeAfterKey() -> LocatedCause? {
        guard let frame = frames.last, let key = frame.key else { return nil }
        let isAdjacent = key.range.upperBound == index
        guard let byte = current else { return LocatedCause(.cutShort) }
        if isAdjacent, let cause = causeOfQuotes(behind: key.range, key.text) { return cause }
        if let cause = causeOfSign() { return cause }
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "}"):
            guard let latest = frame.latest else {
                if byte == UInt8(ascii: ","), Self.lists.contains(ExactText(key.text)) {
                    return LocatedCause(.wrongSign(found: ",", wanted: ":"))
                }
                return LocatedCause(.bracesForList(key: parentKey), at: frame.opening..<frame.opening + 1)
            }
            guard latest.isString, let before = keyBefore(latest.range) else {
                return LocatedCause(.missingValue(key: key.text), at: key.range)
            }
            return LocatedCause(.missingListBrackets(key: before), at: latest.range)
        case UInt8(ascii: "="), UInt8(ascii: ";"), UInt8(ascii: "-"):
            return LocatedCause(
                .wrongSign(
                    found: bytes[index...].starts(with: [0x3D, 0x3E]) ? "=>" : String(UnicodeScalar(byte)), wanted: ":")
            )
        case UInt8(ascii: "]"): return causeOfBracket()
        default:
            return isAdjacent && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "{") && byte != UInt8(ascii: "[")
                ? LocatedCause(.textAfterString(key.text), at: key.range)
                : LocatedCause(.missingColon(key: key.text), at: key.range)
        }
    }

    /// Where a comma or the closing bracket should stand.
    func causeAfterValue() -> LocatedCause? {
        guard let frame = frames.last, let latest = frame.latest else { return nil }
        guard let byte = current else { return causeAtEnd() }
        let isAdjacent = latest.range.upperBound == index
        let text = latest.isString ? String(decoding: bytes[latest.range].dropFirst().dropLast(), as: UTF8.self) : nil
        if isAdjacent, let text, let cause = causeOfQuotes(behind: latest.range, text) { return cause }
        if let cause = causeOfSign() { return cause }
        switch byte {
        case UInt8(ascii: ":"):
            if frame.isObject { return LocatedCause(.wrongSign(found: ":", wanted: ",")) }
            let key = parentKey
            if let key, Self.listsOfObjects.contains(ExactText(key)) {
                return LocatedCause(.missingEntryBraces(list: key), at: latest.range)
            }
            return LocatedCause(.bracketsForObject(key: key), at: frame.opening..<frame.opening + 1)
        case UInt8(ascii: ";"), UInt8(ascii: "."):
            return LocatedCause(.wrongSign(found: String(UnicodeScalar(byte)), wanted: ","))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return causeOfBracket()
        case UInt8(ascii: "\""): return missingComma(after: latest.range)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return frame.isObject ? LocatedCause(.missingKey) : missingComma(after: latest.range)
        default:
            if !latest.isString, isAdjacent, frame.isObject || bytes[latest.range].allSatisfy({ $0 < 0x7B }) {
                return causeOfWord(from: latest.range.lowerBound)
            }
            if let text, !hasLineBreak(latest.range.upperBound..<index) {
                return LocatedCause(.textAfterString(text), at: latest.range)
            }
            return causeOfWord()
        }
    }

    /// Behind the outermost value.
    func causeAfter(_ root: JSONNode) -> LocatedCause? {
        switch root.value {
        case .string where current == UInt8(ascii: ":"):
            return LocatedCause(.missingOuterBraces, at: root.range)
        case .number, .bool, .null: return causeOfText().map { LocatedCause($0, at: root.range) }
        default: break
        }
        if let cause = causeOfSign() { return cause }
        switch current {
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            let rest = bytes[index...].filter { !Self.isBlank($0) }
            let isAllBrackets = rest.allSatisfy { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]") }
            return LocatedCause(isAllBrackets ? .surplusBracket(sign(of: bytes[index])) : .closedTooEarly)
        case UInt8(ascii: ","), UInt8(ascii: "\""):
            let rest = bytes[(index + (current == UInt8(ascii: ",") ? 1 : 0))...].drop(while: Self.isBlank)
            let isMember = root.members != nil && rest.first == UInt8(ascii: "\"")
            let end = root.range.upperBound
            return LocatedCause(
                isMember ? .closedTooEarly : rest.isEmpty ? .trailingComma(position(of: index)) : .severalDocuments,
                at: isMember ? end - 1..<end : nil)
        default: return LocatedCause(.severalDocuments)
        }
    }

    /// Inside of a string that ends with its line, or holds what must be escaped.
    func causeInString(from start: Int) -> LocatedCause? {
        let text = bytes[start..<index]
        if let byte = current, byte != 0x0A, byte != 0x0D { return LocatedCause(.controlCharacter(byte)) }
        let isCut = current == nil && ![UInt8(ascii: "}"), UInt8(ascii: "]")].contains(lastSign ?? 0)
        if isCut { return LocatedCause(.cutShort) }
        for place in text.indices {
            if let quote = Self.quotes.first(where: { bytes[place...].starts(with: $0.utf8) }) {
                return LocatedCause(.smartQuotes, at: place..<place + quote.utf8.count)
            }
        }
        return LocatedCause(.unclosedString(line: position(of: start).line), at: start - 1..<index)
    }

    func causeInNumber() -> LocatedCause? {
        guard current != nil else { return LocatedCause(.cutShort) }
        var start = index
        while start > 0, Self.isNumeric(bytes[start - 1]) { start -= 1 }
        return causeOfWord(from: start)
    }

    // MARK: Parts

    /// The key that the innermost open array or object is the value of.
    private var parentKey: String? { frames.dropLast().last?.key?.text }

    /// The last byte of the text that is no blank.
    private var lastSign: UInt8? { bytes.last { !Self.isBlank($0) } }

    private func hasLineBreak(_ range: Range<Int>) -> Bool { bytes[range].contains { $0 == 0x0A || $0 == 0x0D } }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || Array("+-.eE".utf8).contains(byte)
    }

    /// Causes that one sign shows, wherever it stands outside of a string.
    private func causeOfSign() -> LocatedCause? {
        guard let byte = current else { return LocatedCause(.cutShort) }
        switch byte {
        case UInt8(ascii: "#"): return LocatedCause(.comment)
        case UInt8(ascii: "/") where holds("//") || holds("/*") && !holds("/*\""): return LocatedCause(.comment)
        case UInt8(ascii: "'"), UInt8(ascii: "`"):
            return LocatedCause(holds("```") ? .codeFence : .singleQuotes)
        case UInt8(ascii: "\\") where holds("\\\""): return LocatedCause(.escapedQuotes)
        case UInt8(ascii: "&") where holds("&quot;") || holds("&#34;"): return LocatedCause(.htmlEntities)
        case UInt8(ascii: "<"), UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "|"):
            if ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].contains(where: holds) {
                return LocatedCause(.mergeConflict)
            }
            if holds("<!--") { return LocatedCause(.comment) }
            if holds("<%") || holds("<?") { return LocatedCause(.template) }
        case UInt8(ascii: "{") where holds("{%"):
            return LocatedCause(.template)
        case UInt8(ascii: "$") where holds("${") || holds("$("), UInt8(ascii: "%") where holds("%%") || holds("%{"):
            return LocatedCause(.template)
        default: break
        }
        if Self.quotes.contains(where: { bytes[index...].starts(with: $0.utf8) }) { return LocatedCause(.smartQuotes) }
        let scalar = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first
        guard let scalar, byte > 0x7F, scalar != "\u{FFFD}", TypographicCharacter.isTypographic(scalar) else {
            return nil
        }
        return LocatedCause(.invisibleCharacter(scalar))
    }

    func holds(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    /// Something is glued to the closing quote of a string.
    private func causeOfQuotes(behind range: Range<Int>, _ text: String) -> LocatedCause? {
        guard let byte = current else { return nil }
        let isSign = Array(" \t\r\n,:]}".utf8).contains(byte)
        if isSign { return nil }
        if byte == UInt8(ascii: "\"") {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0A
            return Array(" \t\r\n,:]}".utf8).contains(next) ? LocatedCause(.doubledQuote) : nil
        }
        guard text.isEmpty || byte != UInt8(ascii: "{") && byte != UInt8(ascii: "[") else { return nil }
        if text.isEmpty { return LocatedCause(.doubledQuote, at: range) }
        // What stands in the string belongs behind it: its closing quote is the opening one of the next string.
        let last = text.unicodeScalars.last { $0 != " " }
        if let last, ":,[{".unicodeScalars.contains(last) {
            return LocatedCause(.unclosedString(line: position(of: range.lowerBound).line), at: range)
        }
        return nil
    }

    private func missingComma(after range: Range<Int>) -> LocatedCause {
        let end = range.upperBound
        return LocatedCause(
            .missingComma(after: position(of: end), isLineEnd: hasLineBreak(end..<index)), at: end - 1..<end)
    }

    /// The text ends behind a value: brackets may be missing, or more than that.
    private func causeAtEnd() -> LocatedCause? {
        guard let frame = frames.last, frames.count <= 2, let end = bytes.lastIndex(where: { $0 > 0x20 }) else {
            return LocatedCause(.cutShort)
        }
        return LocatedCause(
            .missingBracket(sign(of: frame.closing), opened: position(of: frame.opening)), at: end..<end + 1,
            opening: frame.opening..<frame.opening + 1)
    }

    private func sign(of byte: UInt8) -> String { String(UnicodeScalar(byte)) }

    /// A closing bracket of the wrong kind: what mends the text best is what happened.
    private func causeOfBracket() -> LocatedCause? {
        guard isDiagnosing, let frame = frames.last, let found = current else { return nil }
        let mended: [(change: [UInt8], cause: JSONSyntaxError.Cause)] = [
            ([frame.closing, found], .missingBracket(sign(of: frame.closing), opened: position(of: frame.opening))),
            (
                [frame.closing],
                .wrongBracket(sign(of: found), wanted: sign(of: frame.closing), opened: position(of: frame.opening))
            ),
            ([], .surplusBracket(sign(of: found))),
        ]
        var best: (reach: Int, cause: JSONSyntaxError.Cause)?
        for (change, cause) in mended {
            let reach = reach(replacing: index, with: change)
            if reach > best?.reach ?? -1 { best = (reach, cause) }
        }
        guard let cause = best?.cause else { return nil }
        let opening = frame.opening..<frame.opening + 1
        guard case .missingBracket = cause, let end = bytes[..<index].lastIndex(where: { $0 > 0x20 }) else {
            return LocatedCause(cause, opening: opening)
        }
        return LocatedCause(cause, at: end..<end + 1, opening: opening)
    }

    /// How far the text is JSON where one byte is replaced, counted from its end; more than all of it where it is.
    private func reach(replacing offset: Int, with change: [UInt8]) -> Int {
        var parser = JSONParser(bytes: Array(bytes[..<offset]) + change + bytes[(offset + 1)...])
        parser.isDiagnosing = false
        do {
            _ = try parser.parseDocument()
            return bytes.count + 1
        } catch {
            return error.offset - change.count + 1
        }
    }

    /// The text up to the next blank or sign of JSON.
    func word(from start: Int? = nil) -> String { String(decoding: wordBytes(from: start), as: UTF8.self) }

    /// Its bytes, which need not be UTF-8.
    private func wordBytes(from start: Int? = nil) -> ArraySlice<UInt8> {
        bytes[(start ?? index)...].prefix(200).prefix { $0 > 0x20 && !Array(",:\"[]{}".utf8).contains($0) }
    }

    /// Text where a value or a key in quotes should stand.
    private func causeOfWord(from start: Int? = nil) -> LocatedCause? {
        let start = start ?? index
        let word = word(from: start)
        guard !word.isEmpty, !word.utf8.allSatisfy(Self.isNumeric) else { return nil }
        let end = wordBytes(from: start).endIndex
        switch word.lowercased() {
        case "true", "yes", "on": return LocatedCause(.wrongLiteral(word, meant: "true"), at: start..<end)
        case "false", "no", "off": return LocatedCause(.wrongLiteral(word, meant: "false"), at: start..<end)
        case "none", "null", "nil", "undefined", "nan":
            return LocatedCause(.wrongLiteral(word, meant: "null"), at: start..<end)
        default: break
        }
        let scalar = word.unicodeScalars.first ?? " "
        guard scalar != "\u{FFFD}", scalar.value >= 0x20 else { return nil }
        if end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
            return LocatedCause(.missingOpeningQuote(word), at: start..<end)
        }
        return LocatedCause(.unquotedText(word), at: start..<end)
    }

    private func keyBefore(_ range: Range<Int>) -> String? {
        // The key of the value before is the string before its colon.
        var place = range.lowerBound - 1
        while place >= 0, bytes[place] <= 0x20 || bytes[place] == UInt8(ascii: ":") { place -= 1 }
        guard place > 0, bytes[place] == UInt8(ascii: "\"") else { return nil }
        guard let start = bytes[..<place].lastIndex(of: UInt8(ascii: "\"")) else { return nil }
        return String(decoding: bytes[(start + 1)..<place], as: UTF8.self)
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

/// What stands in the place of the file, where its first bytes show it.
extension JSONParser {
    /// Causes that show in the first bytes of the whole file.
    func causeOfWhole() -> JSONSyntaxError.Cause? {
        guard let first = current else { return .empty }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return .utf32 }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return .utf16 }
        if bytes.starts(with: [0x1F, 0x8B]) { return .gzip }
        if bytes.prefix(2).contains(0) { return causeOfZeros() }
        if holds("<<<<<<< ") { return .mergeConflict }
        if first == UInt8(ascii: "<") { return causeOfTag() }
        if holds("{\\rtf") { return .richText }
        if holds("```") { return .codeFence }
        if holds("---\n") || holds("---\r") { return causeOfRule() }
        // DER of a SEQUENCE with a long length, or its PEM form.
        if bytes.starts(with: [0x30, 0x82]) || bytes.starts(with: [0x30, 0x83]) || bytes.starts(with: [0x30, 0x80])
            || holds("-----BEGIN")
        {
            return .signed
        }
        return beginsAsValue(first) ? nil : causeOfText()
    }

    /// Whether a JSON value, or an attempt at one, begins with this byte.
    private func beginsAsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "-"),
            UInt8(ascii: "/"), UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "t"): holds("true")
        case UInt8(ascii: "f"): holds("false")
        case UInt8(ascii: "n"): holds("null")
        default: Self.quotes.contains { bytes[index...].starts(with: $0.utf8) }
        }
    }

    /// Text that begins as no JSON does.
    func causeOfText() -> JSONSyntaxError.Cause? {
        var head = bytes[index...].prefix(4096)
        // A character that was cut in two is none of the file's faults.
        while head.endIndex < bytes.count, let last = head.last, last >= 0x80 { head.removeLast() }
        let isText =
            head.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
            && String(validating: head, as: UTF8.self) != nil
        guard isText else { return .binary }
        let text = String(decoding: head, as: UTF8.self)
        let scalar = text.unicodeScalars.first ?? " "
        if TypographicCharacter.isTypographic(scalar) { return .invisibleCharacter(scalar) }
        if text.hasPrefix("HTTP/") { return .httpHeaders }
        if text.hasPrefix("version https://git-lfs") { return .gitLFSPointer }
        if text.hasPrefix("bplist") { return .savedPage }
        let lower = text.lowercased()
        if lower.hasPrefix("mime-version:") || lower.hasPrefix("content-type:") || lower.hasPrefix("from: <saved by") {
            return lower.contains("pkcs7") ? .signedMessage : lower.contains("text/html") ? .savedPage : .httpHeaders
        }
        if ["module.exports", "export ", "const ", "var ", "let ", "window.", "callback(", "jsonp("].contains(
            where: lower.hasPrefix)
        {
            return .script
        }
        let services = Association.knownServices.map { $0.lowercased() + ":" }
        if services.contains(where: lower.hasPrefix) { return .yaml }
        return .plainText
    }

    /// A line of `---` begins YAML; a second one ends the front matter of a page.
    private func causeOfRule() -> JSONSyntaxError.Cause {
        let head = String(decoding: bytes[index...].prefix(4096), as: UTF8.self)
        let lines = head.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropFirst()
        guard let end = lines.firstIndex(where: { $0 == "---" }) else { return .yaml }
        let body = lines[(end + 1)...].first { !$0.allSatisfy(\.isWhitespace) }
        return body?.first == "{" || body?.first(where: { !$0.isWhitespace }) == "{" ? .frontMatter : .yaml
    }

    private func causeOfTag() -> JSONSyntaxError.Cause {
        let text = String(decoding: bytes[index...].prefix(65_536), as: UTF8.self).lowercased()
        if text.hasPrefix("<?php") || text.hasPrefix("<?=") { return .phpSource }
        if text.hasPrefix("<%") { return .template }
        if text.hasPrefix("<!--"), !text.contains("<html") { return .comment }
        if text.contains("<plist") { return .propertyList }
        let isPage = ["<html", "<!doctype html", "<body", "<head", "<div", "<pre", "<p", "<script", "<meta"].contains(
            where: text.contains)
        guard isPage else { return text.hasPrefix("<?xml") || text.contains("</") ? .xml : .htmlPage }
        let holdsFile =
            Association.knownServices.contains { text.contains("\($0.lowercased())\"") }
            || Association.knownServices.contains { text.contains("\($0.lowercased())&quot;") }
        return holdsFile && (text.contains("<pre") || !text.contains("<script")) ? .savedPage : .htmlPage
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
}
