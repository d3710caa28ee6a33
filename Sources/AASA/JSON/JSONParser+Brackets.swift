// Brackets that are missing, too many or of the wrong kind.

extension JSONParser {
    /// Lists of objects: where one is written without braces, these are what is missing.
    static let listsOfObjects: Set<ExactText> = ["details", "components"]
    static let lists: Set<ExactText> = ["details", "components", "apps", "appIDs", "paths"]

    static func isList(_ key: String?) -> Bool { key.map { lists.contains(ExactText($0)) } ?? false }

    /// The key that the innermost open array or object is the value of.
    var parentKey: String? { frames.dropLast().last?.key?.text }

    /// The text ends behind a value: brackets may be missing, or more than that.
    func causeAtEnd() -> LocatedCause? {
        guard let frame = frames.last, let end = bytes.lastIndex(where: { $0 > 0x20 }) else {
            return LocatedCause(.cutShort)
        }
        if let repair = missingWhereLinesShow(), isMended(by: repair.edits) { return repair.located }
        guard frames.count <= 2 else { return LocatedCause(.cutShort) }
        let missing = signs(of: frames.reversed().map(\.closing))
        return LocatedCause(
            .missingBracket(missing, opened: position(of: frame.opening)), at: end..<end + 1,
            opening: frame.opening..<frame.opening + 1)
    }

    /// A closing bracket of the wrong kind, or one too many: what mends the text best is what happened.
    func causeOfBracket() -> LocatedCause? {
        guard let frame = frames.last, let found = current else { return nil }
        let here = index..<index + 1
        let opening = frame.opening..<frame.opening + 1
        var repairs = missingWhereLinesShow().map { [$0] } ?? []
        // A list that was begun without its bracket.
        if frame.isObject, found == UInt8(ascii: "]"), let latest = frame.latest, Self.isList(frame.key?.text),
            bytes[latest.range.lowerBound] != found - 2
        {
            repairs.append(missingOpening("[", before: latest.range.lowerBound))
        }
        repairs.append(missingClosing(1, before: index))
        repairs.append(
            JSONRepair(
                .wrongBracket(sign(of: found), wanted: sign(of: frame.closing), opened: position(of: frame.opening)),
                opening: opening, .init(here, [frame.closing])))
        repairs.append(JSONRepair(.surplusBracket(sign(of: found)), opening: opening, .delete(here)))
        if frames.count > 1 { repairs.append(missingClosing(2, before: index)) }
        return best(of: repairs)
    }

    /// An array or object where a key should stand.
    func causeOfOpening() -> LocatedCause? {
        guard let frame = frames.last, let found = current else { return nil }
        var repairs: [JSONRepair] = []
        if let latest = frame.latest {
            repairs += missingWhereLinesShow().map { [$0] } ?? []
            // The comma that was read before the bracket.
            let comma = endOfToken(before: index) - 1
            if bytes[comma] == UInt8(ascii: ",") {
                repairs.append(missingClosing(1, before: comma))
                if frames.count > 1 { repairs.append(missingClosing(2, before: comma)) }
            }
            if !latest.isString, Self.isList(frame.key?.text) {
                repairs.append(missingOpening("[", before: latest.range.lowerBound))
            }
        } else if Self.isList(parentKey) {
            repairs.append(otherKind(frame, .bracesForList(key: parentKey)))
        }
        repairs.append(JSONRepair(.surplusBracket(sign(of: found)), .delete(index..<index + 1)))
        repairs.append(JSONRepair(.missingKey, .insert("\"\":", at: index)))
        return best(of: repairs)
    }

    /// A colon behind an element of an array.
    func causeOfKeyInArray() -> LocatedCause? {
        guard let frame = frames.last, let latest = frame.latest else { return nil }
        let key = parentKey
        let start = latest.range.lowerBound
        var repairs = [missingOpening("{", before: start)] + (missingWhereLinesShow().map { [$0] } ?? [])
        let comma = endOfToken(before: start) - 1
        let isBehindComma = bytes[comma] == UInt8(ascii: ",")
        repairs.append(missingClosing(1, before: isBehindComma ? comma : start, comma: !isBehindComma))
        let pair = otherKind(frame, .bracketsForObject(key: key))
        if let key, Self.listsOfObjects.contains(ExactText(key)), let end = closing(of: frame.opening) {
            repairs.append(
                JSONRepair(
                    .missingEntryBraces(list: key), at: latest.range, .insert("{", at: start), .insert("}", at: end)))
        }
        return best(of: repairs + [pair])
    }

    func missingClosing(_ count: Int, before place: Int, comma: Bool = false) -> JSONRepair {
        closing(frames.suffix(count).map { ($0.opening, $0.closing) }, before: place, comma: comma)
    }

    /// Brackets that are open, the outermost first, closed before a place.
    private func closing(_ open: [(place: Int, sign: UInt8)], before place: Int, comma: Bool) -> JSONRepair {
        let opening = open.last?.place ?? 0
        let text = signs(of: open.reversed().map(\.sign)) + (comma ? "," : "")
        let end = endOfToken(before: place)
        // A comma that begins its line is where the bracket belongs; else that is behind the value.
        let isAtComma = place < bytes.count && bytes[place] == UInt8(ascii: ",") && isFirstOnLine(place)
        return JSONRepair(
            .missingBracket(text, opened: position(of: opening)),
            at: isAtComma ? place..<place + 1 : max(0, end - 1)..<max(1, end), opening: opening..<opening + 1,
            .insert(text, at: place))
    }

    func missingOpening(_ bracket: String, before place: Int) -> JSONRepair {
        // Behind the colon, where that stands on another line.
        let end = endOfToken(before: place)
        let isBehindColon = end > 0 && bytes[end - 1] == UInt8(ascii: ":") && hasLineBreak(end..<place)
        return JSONRepair(
            .missingOpening(bracket), at: isBehindColon ? end - 1..<end : place..<place + 1, .insert(bracket, at: place)
        )
    }

    /// The brackets of a frame, written as those of the other kind.
    func otherKind(_ frame: Frame, _ cause: JSONSyntaxError.Cause) -> JSONRepair {
        let pair: (UInt8, UInt8) =
            frame.isObject
            ? (UInt8(ascii: "["), UInt8(ascii: "]")) : (UInt8(ascii: "{"), UInt8(ascii: "}"))
        let opening = frame.opening..<frame.opening + 1
        var edits = [JSONRepair.Edit(opening, [pair.0])]
        if let end = closing(of: frame.opening) { edits.append(.init(end..<end + 1, [pair.1])) }
        return JSONRepair(cause, at: opening, edits)
    }

    /// The first place where the indentation of the lines, or the key of a service, shows that brackets were not closed
    /// which are open for the parser.
    private func missingWhereLinesShow() -> JSONRepair? {
        guard bytes.count <= Self.largestMended else { return nil }
        var open: [OpenBracket] = []
        var tokens = JSONTokens(bytes: bytes)
        // How far the line of the latest token is indented.
        var line = 0
        while let token = tokens.next(), token.range.lowerBound <= index {
            let start = token.range.lowerBound
            line = token.indentation ?? line
            let count = missing(before: token, open)
            if count > 0 {
                let isClosing = token.sign == UInt8(ascii: "}") || token.sign == UInt8(ascii: "]")
                let end = endOfToken(before: start)
                let isBehindComma = !isClosing && end > 0 && bytes[end - 1] == UInt8(ascii: ",")
                return closing(
                    open.suffix(count).map { ($0.place, $0.closing) }, before: isBehindComma ? end - 1 : start,
                    comma: !isBehindComma && !isClosing)
            }
            if let indentation = token.indentation, let top = open.indices.last, open[top].inside == nil,
                token.sign != open[top].closing
            {
                open[top].inside = indentation
            }
            switch token.sign {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                open.append(OpenBracket(place: start, sign: token.sign, line: line))
            case UInt8(ascii: "]"), UInt8(ascii: "}"): _ = open.popLast()
            default: break
            }
        }
        return nil
    }

    private struct OpenBracket {
        let place: Int
        let sign: UInt8
        /// How far the line is indented on which it opens.
        let line: Int
        /// How far the first line is indented that begins in it.
        var inside: Int?
        var closing: UInt8 { sign == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    }

    /// How many open brackets should have been closed before a token.
    private func missing(before token: JSONTokens.Token, _ open: [OpenBracket]) -> Int {
        guard let top = open.last else { return 0 }
        let isKey =
            token.sign == UInt8(ascii: "\"")
            && bytes[token.range.upperBound...].first { !Self.isBlank($0) } == UInt8(ascii: ":")
        if isKey, open[0].sign == UInt8(ascii: "{"), open.count > 1,
            Association.isKnown(String(decoding: bytes[token.range].dropFirst().dropLast(), as: UTF8.self))
        {
            // The services are keys of the outermost object.
            return open.count - 1
        }
        guard let indentation = token.indentation else { return 0 }
        switch token.sign {
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            // It closes one further out, whose line is indented as its own.
            guard indentation < top.line,
                let owner = open.lastIndex(where: { $0.line == indentation && $0.closing == token.sign })
            else { return 0 }
            return open.count - owner - 1
        case UInt8(ascii: "{") where !isKey, UInt8(ascii: "\"") where isKey:
            // It stands beside what is in one further out.
            guard indentation <= top.line, top.inside != indentation,
                let owner = open.lastIndex(where: { $0.inside == indentation && $0.line < indentation }),
                (open[owner].sign == UInt8(ascii: "{")) == isKey
            else { return 0 }
            return open.count - owner - 1
        default: return 0
        }
    }
}
