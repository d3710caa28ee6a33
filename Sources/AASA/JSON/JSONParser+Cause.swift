// What probably happened where a text is not JSON. A guess changes the words, never the verdict; where no repair bears it
// out, none is made.

extension JSONParser {
    // MARK: By the place where the parser stopped

    /// Where a value should begin.
    func causeAtValue() -> LocatedCause? {
        if let cause = causeOfSign() { return cause }
        guard let frame = frames.last else { return causeOfText().map { LocatedCause($0) } }
        switch current {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
            if frame.isObject, let key = frame.key {
                // `"apps": ],`
                let opening = missingOpening("[", before: index)
                let isList = current == UInt8(ascii: "]") && isMended(by: opening.edits)
                return isList ? opening.located : LocatedCause(.missingValue(key: key.text), at: key.range)
            }
            guard current == UInt8(ascii: ",") else { return causeOfBracket() }
            // `"apps": [,`
            let closing = missingClosing(1, before: index)
            return isMended(by: closing.edits) ? closing.located : LocatedCause(.strayComma)
        case UInt8(ascii: ":"): return nil
        default: return causeOfWord(isKey: false)
        }
    }

    /// Where a key should begin.
    func causeAtKey() -> LocatedCause? {
        if let cause = causeOfSign() { return cause }
        switch current {
        case UInt8(ascii: ","): return LocatedCause(.strayComma)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return causeOfOpening()
        case UInt8(ascii: "]"): return causeOfBracket()
        case UInt8(ascii: ":"): return LocatedCause(.missingKey)
        default: return causeOfWord(isKey: true)
        }
    }

    /// Where the colon should stand.
    func causeAfterKey() -> LocatedCause? {
        guard let frame = frames.last, let key = frame.key else { return nil }
        guard let byte = current else { return LocatedCause(.cutShort) }
        if key.range.upperBound == index, let cause = causeOfQuotes(behind: key.range) { return cause }
        if let cause = causeOfSign() { return cause }
        let here = index..<index + 1
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return causeOfLoneKey(frame, key)
        case UInt8(ascii: "="), UInt8(ascii: ";"), UInt8(ascii: "-"):
            let sign = begins(with: "=>") || begins(with: "->") ? 2 : 1
            let found = String(decoding: bytes[index..<index + sign], as: UTF8.self)
            return holds(.wrongSign(found: found, wanted: ":"), if: .init(index..<index + sign, ":"))
        default:
            return best(JSONRepair(.missingColon(key: key.text), at: key.range, .init(here, ":" + sign(of: byte))))
                ?? causeOfTextBehind(key.range)
        }
    }

    /// A key without a value may be the element of a list.
    private func causeOfLoneKey(_ frame: Frame, _ key: (text: String, range: Range<Int>)) -> LocatedCause? {
        let isComma = current == UInt8(ascii: ",")
        let wrongSign = JSONRepair(.wrongSign(found: ",", wanted: ":"), .init(index..<index + 1, ":"))
        var repairs: [JSONRepair] = []
        let list = frame.latest.map(\.key) ?? parentKey
        if isComma, Self.isList(key.text) || !Self.isList(list) { repairs.append(wrongSign) }
        if frame.latest == nil { repairs.append(otherKind(frame, .bracesForList(key: parentKey))) }
        if let latest = frame.latest, latest.isString, let before = latest.key {
            let start = latest.range.lowerBound
            let bracket = JSONRepair.Edit.insert("[", at: start)
            repairs.append(missingOpening("[", before: start))
            repairs.append(
                JSONRepair(
                    .missingListBrackets(key: before), at: latest.range, bracket,
                    .insert("]", at: endOfStrings(from: key.range.lowerBound))))
        }
        if isComma { repairs.append(wrongSign) }
        repairs.append(JSONRepair(.missingValue(key: key.text), at: key.range, .insert(":0", at: index)))
        return best(of: repairs)
    }

    /// The end of a row of strings with commas between; the last is left out where a colon follows.
    private func endOfStrings(from start: Int) -> Int {
        var tokens = JSONTokens(bytes: bytes, from: start)
        var (end, latest) = (start, start)
        while let token = tokens.next() {
            switch token.sign {
            case UInt8(ascii: "\""): (end, latest) = (latest, token.range.upperBound)
            case UInt8(ascii: ","): continue
            case UInt8(ascii: ":"): return end
            default: return latest
            }
        }
        return latest
    }

    /// Where a comma or the closing bracket should stand.
    func causeAfterValue() -> LocatedCause? {
        guard let frame = frames.last, let latest = frame.latest else { return nil }
        guard let byte = current else { return causeAtEnd() }
        let isAdjacent = latest.range.upperBound == index
        if isAdjacent, latest.isString, let cause = causeOfQuotes(behind: latest.range) { return cause }
        if let cause = causeOfSign() { return cause }
        let here = index..<index + 1
        switch byte {
        case UInt8(ascii: ":"):
            guard frame.isObject else { return causeOfKeyInArray() }
            // Only where all is mended: what comes behind a colon fits in many places.
            let opening = missingOpening("{", before: latest.range.lowerBound)
            return isMended(by: opening.edits) ? opening.located : nil
        case UInt8(ascii: ";"), UInt8(ascii: "."):
            return holds(.wrongSign(found: sign(of: byte), wanted: ","), if: .init(here, ","))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return causeOfBracket()
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["): return causeOfNoComma(frame, latest.range)
        default:
            if !latest.isString, isAdjacent { return causeOfWord(from: latest.range.lowerBound, isKey: false) }
            if latest.isString, let cause = causeOfTextBehind(latest.range) { return cause }
            return causeOfWord(isKey: frame.isObject)
        }
    }

    /// A value where a comma should stand.
    private func causeOfNoComma(_ frame: Frame, _ latest: Range<Int>) -> LocatedCause? {
        let end = latest.upperBound
        let comma = JSONRepair(
            .missingComma(after: position(of: end), isLineEnd: hasLineBreak(end..<index)), at: end - 1..<end,
            .insert(",", at: index))
        guard frame.isObject, current != UInt8(ascii: "\"") else {
            var repairs = [comma, missingClosing(1, before: index, comma: true)]
            if let quotes = quotesInString(latest) { repairs.append(quotes) }
            return best(of: repairs)
        }
        return best(
            missingClosing(1, before: index, comma: true), missingClosing(2, before: index, comma: true),
            JSONRepair(.missingKey, .insert(",\"\":", at: index)))
    }

    /// Behind the outermost value.
    func causeAfter(_ root: JSONNode) -> LocatedCause? {
        let start = root.range.lowerBound
        switch root.value {
        case .string:
            let isEnd = bytes[endOfToken(before: bytes.count) - 1] == UInt8(ascii: "\"")
            let last = endOfToken(before: bytes.count) - 1
            if isEnd, last > start,
                let cause = holds(
                    .quotedWhole, at: start..<start + 1, if: .delete(start..<start + 1), .delete(last..<last + 1))
            {
                return cause
            }
            guard current == UInt8(ascii: ":") else { break }
            return best(
                missingOpening("{", before: start),
                JSONRepair(.missingOuterBraces, at: root.range, .insert("{", at: start), .insert("}", at: bytes.count)))
        case .number, .bool, .null: return causeOfText().map { LocatedCause($0, at: root.range) }
        case .array, .object: break
        }
        if holdsMessageOfPHP(bytes[index...]) { return LocatedCause(.phpMessage) }
        if let cause = causeOfSign() { return cause }
        if begins(with: "&&") { return LocatedCause(.guardPrefix, at: root.range) }
        let isComma = current == UInt8(ascii: ",")
        let rest = bytes[(index + (isComma ? 1 : 0))..<endOfToken(before: bytes.count)].drop(while: Self.isBlank)
        switch rest.first {
        case nil: return LocatedCause(.trailingComma(position(of: index)))
        case UInt8(ascii: "\"") where root.members != nil:
            let end = root.range.upperBound
            return LocatedCause(.closedTooEarly, at: end - 1..<end)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            let isAllBrackets = rest.allSatisfy { Self.isBlank($0) || Array("]}".utf8).contains($0) }
            return LocatedCause(isAllBrackets ? .surplusBracket(sign(of: bytes[index])) : .closedTooEarly)
        default:
            // Who deletes what follows must lose nothing that the file needs.
            let holdsService = Association.knownServices.contains { name in
                ["\"\(name)\"", "\(name):"].contains { next($0, from: rest.startIndex) != nil }
            }
            return LocatedCause(
                !holdsService ? .severalDocuments : rest == bytes[root.range] ? .repeatedDocument : .secondDocument,
                at: rest.startIndex..<rest.startIndex + 1)
        }
    }

    /// Inside of a string that ends with its line, or holds what must be escaped.
    func causeInString(from start: Int) -> LocatedCause? {
        if let byte = current, byte != 0x0A, byte != 0x0D { return LocatedCause(.controlCharacter(byte)) }
        let opening = start - 1..<start
        if let cause = causeOfSwallowed(start - 1..<index, shown: start - 1..<index) { return cause }
        if current != nil {
            // The string goes on in the next line.
            let end = index + (begins(with: "\r\n") ? 2 : 1)
            if let cause = holds(.lineBreakInString, at: start - 1..<index, if: .init(index..<end, "\\n")) {
                return cause
            }
            return LocatedCause(.unclosedString(line: position(of: start).line), at: start - 1..<index)
        }
        let last = bytes.last { !Self.isBlank($0) }
        return last == UInt8(ascii: "}") || last == UInt8(ascii: "]")
            ? LocatedCause(.unclosedString(line: position(of: start).line), at: opening) : LocatedCause(.cutShort)
    }

    func causeInNumber() -> LocatedCause? {
        guard current != nil else { return LocatedCause(.cutShort) }
        var start = index
        while start > 0, Self.isNumeric(bytes[start - 1]) { start -= 1 }
        if let cause = causeOfDiff(start) { return LocatedCause(cause, at: start..<start + 1) }
        return causeOfWord(from: start, isKey: false)
    }

    // MARK: Quotes

    static let quotes = [
        "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\u{2018}", "\u{2019}", "\u{201A}", "\u{2032}", "\u{2033}", "«",
        "»", "\u{FF02}",
    ]

    func typographicQuote(at place: Int) -> Range<Int>? {
        Self.quotes.first { bytes[place...].starts(with: $0.utf8) }.map { place..<place + $0.utf8.count }
    }

    /// Something is glued to the closing quote of a string.
    private func causeOfQuotes(behind range: Range<Int>) -> LocatedCause? {
        guard let byte = current, !Self.isBlank(byte), byte == UInt8(ascii: "\"") || !JSONTokens.signs.contains(byte)
        else { return nil }
        let isEmpty = range.count == 2
        if byte == UInt8(ascii: "\"") {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0A
            guard Self.isBlank(next) || Array(",:]}".utf8).contains(next) else { return nil }
            return holds(.doubledQuote, if: .delete(index..<index + 1))
        }
        if isEmpty, let cause = holds(.doubledQuote, at: range, if: .delete(range.lowerBound..<range.lowerBound + 1)) {
            return cause
        }
        return causeOfSwallowed(range.lowerBound..<range.upperBound - 1, shown: range)
    }

    /// A string, from its opening quote on, that holds more than was meant: its closing quote is missing or of another
    /// kind, or its opening one is one too many.
    private func causeOfSwallowed(_ range: Range<Int>, shown: Range<Int>) -> LocatedCause? {
        let text = bytes[range].dropFirst()
        let opening = range.lowerBound..<range.lowerBound + 1
        if let first = text.first(where: { !Self.isBlank($0) }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let cause = holds(.strayQuote(before: sign(of: first)), at: opening, if: .delete(opening))
        {
            return cause
        }
        var tries = 0
        for place in text.indices where tries < 4 {
            guard let quote = typographicQuote(at: place) else { continue }
            let behind = bytes[quote.upperBound...].first { $0 != 0x20 && $0 != 0x09 }
            guard behind.map({ Array(",:]}\r\n".utf8).contains($0) }) ?? true else { continue }
            tries += 1
            if let cause = holds(.smartQuotes, at: quote, if: .init(quote, "\"")) { return cause }
        }
        // The closing quote stood before the signs at the end.
        let cause = JSONSyntaxError.Cause.unclosedString(line: position(of: range.lowerBound).line)
        var places: [Int] = []
        var place = text.endIndex
        while place > text.startIndex, places.count < 6,
            bytes[place - 1] == 0x20 || bytes[place - 1] == 0x09 || JSONTokens.signs.contains(bytes[place - 1])
        {
            place -= 1
            if JSONTokens.signs.contains(bytes[place]) { places.append(place) }
        }
        if current == 0x0A || current == 0x0D { places.append(endOfToken(before: text.endIndex)) }
        let repairs = places.map { JSONRepair(cause, at: shown, .insert("\"", at: $0)) }
        return best(of: repairs)
    }

    /// Text on the same line behind the closing quote of a string.
    private func causeOfTextBehind(_ range: Range<Int>) -> LocatedCause? {
        guard !hasLineBreak(range.upperBound..<index) else { return nil }
        return quotesInString(range).flatMap { best($0) }
    }

    /// The repair of a string that goes on behind its closing quote.
    private func quotesInString(_ range: Range<Int>) -> JSONRepair? {
        let text = String(decoding: bytes[range].dropFirst().dropLast(), as: UTF8.self)
        let cause = JSONSyntaxError.Cause.textAfterString(text)
        let end = endOfLine(range.upperBound)
        let quotes = (range.upperBound..<end).filter { bytes[$0] == UInt8(ascii: "\"") }
        let first = range.upperBound - 1
        // The last of the quotes that signs of JSON follow closes the string; those before belong into it.
        for (count, place) in quotes.enumerated().prefix(8) {
            let behind = bytes[(place + 1)...].first { $0 != 0x20 && $0 != 0x09 }
            guard behind.map({ Array(",:]}\r\n".utf8).contains($0) }) ?? false else { continue }
            return JSONRepair(
                cause, at: range, ([first] + quotes[..<count]).map { .insert("\\", at: $0) }, past: place + 1)
        }
        guard quotes.isEmpty, index == range.upperBound else { return nil }
        let word = index + wordBytes().count
        return JSONRepair(cause, at: range, [.delete(first..<first + 1), .insert("\"", at: word)], past: word)
    }

    // MARK: Words

    private static func isNumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || Array("+-.eE".utf8).contains(byte)
    }

    /// The text up to the next blank or sign of JSON.
    func word(from start: Int? = nil) -> String { String(decoding: wordBytes(from: start), as: UTF8.self) }

    /// Its bytes, which need not be UTF-8.
    func wordBytes(from start: Int? = nil) -> ArraySlice<UInt8> {
        bytes[(start ?? index)...].prefix(200).prefix { $0 > 0x20 && !Array(",:\"[]{}".utf8).contains($0) }
    }

    /// Text where a value or a key in quotes should stand.
    private func causeOfWord(from start: Int? = nil, isKey: Bool) -> LocatedCause? {
        let start = start ?? index
        let first = wordBytes(from: start)
        let word = String(decoding: first, as: UTF8.self)
        guard let sign = first.first, !Array("()$%@&|=+!;~^\\<>".utf8).contains(sign), sign >= 0x20,
            !first.allSatisfy(Self.isNumeric), word != "…", word.unicodeScalars.allSatisfy({ $0 != "\u{FFFD}" })
        else { return nil }
        let place = first.startIndex..<first.endIndex
        if !isKey, let meant = Self.literals[word.lowercased()],
            let cause = holds(
                meant == "null" ? .noValue(word, key: frames.last?.key?.text) : .wrongLiteral(word, meant: meant),
                at: place, if: .init(place, meant))
        {
            return cause
        }
        // Several words, up to the next sign of the line.
        let ends = Array((isKey ? ",\"[]{}:\r\n" : ",\"[]{}\r\n").utf8)
        let line = bytes[start...].prefix(200).prefix { !ends.contains($0) }
        let range = start..<endOfToken(before: line.endIndex)
        let text = String(decoding: bytes[range], as: UTF8.self)
        let quote = JSONRepair.Edit.insert("\"", at: start)
        if line.endIndex < bytes.count, bytes[line.endIndex] == UInt8(ascii: "\"") {
            return best(JSONRepair(.missingOpeningQuote(text), at: range, [quote], past: line.endIndex + 1))
        }
        return best(
            JSONRepair(
                .unquotedText(text), at: range, [quote, .insert("\"", at: range.upperBound)], past: range.upperBound))
    }

    private static let literals = [
        "true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false", "none": "null",
        "null": "null", "nil": "null", "undefined": "null", "nan": "null",
    ]

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
