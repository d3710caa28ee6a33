// The parser: one pass over the bytes, with recursion at most `JSONDocument.maximumDepth` deep. JSONParser+Cause.swift
// finds the causes of errors.

struct JSONParser {
    let bytes: [UInt8]
    var index = 0
    /// The arrays and objects that are still open, the outermost first.
    var frames: [Frame] = []
    var hasByteOrderMark = false
    var duplicates = JSONDocument.Duplicates()

    /// An array or object that is still open.
    struct Frame {
        let opening: Int
        let isObject: Bool
        /// The latest key, if this is an object.
        var key: (text: String, range: Range<Int>)?
        /// The latest complete value.
        var latest: (range: Range<Int>, isString: Bool)?
        var count = 0
        var closing: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func parseDocument() throws(JSONSyntaxError) -> JSONNode {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            hasByteOrderMark = true
            index = 3
        }
        skipBlanks()
        if let cause = causeOfBeginning() { throw fault("expected a JSON object", cause) }
        let root = try parseValue(depth: 0)
        skipBlanks()
        guard index == bytes.count else {
            throw fault("expected the end of the file, found \(describeCurrent())", causeAfter(root))
        }
        return root
    }

    mutating func skipBlanks() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func parseValue(depth: Int) throws(JSONSyntaxError) -> JSONNode {
        let start = index
        let value: JSONValue
        switch current {
        case UInt8(ascii: "{"): value = try parseObject(depth: depth + 1)
        case UInt8(ascii: "["): value = try parseArray(depth: depth + 1)
        case UInt8(ascii: "\""): value = .string(try parseString())
        case UInt8(ascii: "t"): value = try parseWord("true", .bool(true))
        case UInt8(ascii: "f"): value = try parseWord("false", .bool(false))
        case UInt8(ascii: "n"): value = try parseWord("null", .null)
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): value = .number(try parseNumber())
        default: throw faultAtValue()
        }
        return JSONNode(value: value, range: start..<index)
    }

    private mutating func parseWord(_ word: String, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        guard bytes[index...].starts(with: word.utf8) else { throw faultAtValue() }
        index += word.utf8.count
        return value
    }

    private func faultAtValue() -> JSONSyntaxError {
        fault("expected a value, found \(describeCurrent())", causeAtValue())
    }

    private mutating func parseArray(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        try checkDepth(depth)
        frames.append(Frame(opening: index, isObject: false))
        index += 1
        var elements: [JSONNode] = []
        skipBlanks()
        if current == UInt8(ascii: "]") {
            close()
            return .array(elements)
        }
        while true {
            skipBlanks()
            let element = try parseValue(depth: depth)
            note(element)
            elements.append(element)
            skipBlanks()
            switch current {
            case UInt8(ascii: ","):
                try step(pastCommaBefore: UInt8(ascii: "]"))
            case UInt8(ascii: "]"):
                close()
                return .array(elements)
            default:
                throw fault("expected ',' or ']', found \(describeCurrent())", causeAfterValue())
            }
        }
    }

    private mutating func close() {
        frames.removeLast()
        index += 1
    }

    private mutating func note(_ value: JSONNode) {
        let isString = if case .string = value.value { true } else { false }
        frames[frames.count - 1].latest = (value.range, isString)
        frames[frames.count - 1].count += 1
    }

    private mutating func parseObject(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        try checkDepth(depth)
        frames.append(Frame(opening: index, isObject: true))
        index += 1
        var members: [JSONMember] = []
        var keys = KeyIndex()
        skipBlanks()
        if current == UInt8(ascii: "}") {
            close()
            return .object(members)
        }
        while true {
            skipBlanks()
            let start = index
            guard current == UInt8(ascii: "\"") else {
                throw fault("expected a key in double quotes, found \(describeCurrent())", causeAtKey())
            }
            let key = try parseString()
            let keyRange = start..<index
            frames[frames.count - 1].key = (key, keyRange)
            if let first = keys.place(of: key, at: keyRange, among: members) {
                duplicates.add((key, first, keyRange), in: frames)
            }
            skipBlanks()
            guard current == UInt8(ascii: ":") else {
                throw fault("expected ':' after the key, found \(describeCurrent())", causeAfterKey())
            }
            index += 1
            skipBlanks()
            let value = try parseValue(depth: depth)
            note(value)
            members.append(JSONMember(key: key, keyRange: keyRange, value: value))
            skipBlanks()
            switch current {
            case UInt8(ascii: ","):
                try step(pastCommaBefore: UInt8(ascii: "}"))
            case UInt8(ascii: "}"):
                close()
                return .object(members)
            default:
                throw fault("expected ',' or '}', found \(describeCurrent())", causeAfterValue())
            }
        }
    }

    /// Rejects a comma before the closing bracket. The error points at the comma, because that is what to delete.
    private mutating func step(pastCommaBefore closing: UInt8) throws(JSONSyntaxError) {
        let comma = index
        index += 1
        skipBlanks()
        if current == closing {
            index = comma
            throw fault("expected another element after ','", .trailingComma(position(of: comma)))
        }
    }

    private func checkDepth(_ depth: Int) throws(JSONSyntaxError) {
        guard depth <= JSONDocument.maximumDepth else {
            throw fault("arrays and objects are nested deeper than \(JSONDocument.maximumDepth)", .tooDeep)
        }
    }

    func position(of offset: Int) -> SourcePosition { LineTable(bytes).position(of: offset) }

    private func fault(_ message: String, _ cause: JSONSyntaxError.Cause) -> JSONSyntaxError {
        fault(message, LocatedCause(cause))
    }

    private func fault(_ message: String, _ located: LocatedCause?) -> JSONSyntaxError {
        var range = (located?.range ?? index..<index + 1).clamped(to: 0..<bytes.count)
        // Extend the range to whole characters.
        while range.upperBound < bytes.count, bytes[range.upperBound] & 0xC0 == 0x80 {
            range = range.lowerBound..<range.upperBound + 1
        }
        return JSONSyntaxError(
            offset: index, position: position(of: index), message: message, cause: located?.cause, range: range,
            opening: located?.opening, isAtEnd: index == bytes.count || located?.cause == .cutShort)
    }
}

/// The first occurrence of each key of an object.
private struct KeyIndex {
    /// Below this many members, a linear search is faster than hashing.
    private static let searched = 12
    private var places: [ExactText: Range<Int>] = [:]

    /// - Returns: the earlier occurrence of a key; nil if it is new.
    mutating func place(of key: String, at place: Range<Int>, among members: [JSONMember]) -> Range<Int>? {
        if members.count < Self.searched {
            return members.first { $0.key.isExactly(key) }?.keyRange
        }
        if places.isEmpty {
            for member in members.reversed() { places[ExactText(member.key)] = member.keyRange }
        }
        let identity = ExactText(key)
        if let first = places[identity] { return first }
        places[identity] = place
        return nil
    }
}

extension JSONParser {
    mutating func parseString() throws(JSONSyntaxError) -> String {
        index += 1
        let start = index
        // Nearly all strings contain no escape: copy these in one piece.
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\"),
            bytes[index] >= 0x20
        { index += 1 }
        if current == UInt8(ascii: "\"") {
            let string = try validated(bytes[start..<index], at: start)
            index += 1
            return string
        }
        var decoded = Array(bytes[start..<index])
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let string = try validated(decoded[...], at: start)
                index += 1
                return string
            case UInt8(ascii: "\\"):
                try parseEscape(into: &decoded)
            case 0..<0x20:
                throw fault("a control character inside a string must be escaped", causeInString(from: start))
            default:
                decoded.append(byte)
                index += 1
            }
        }
        throw fault(
            "expected the closing quote of a string, found the end of the file", causeInString(from: start))
    }

    private mutating func validated(_ slice: ArraySlice<UInt8>, at start: Int) throws(JSONSyntaxError) -> String {
        guard let string = String(utf8: slice) else {
            index = start
            throw fault("a string contains bytes that are not UTF-8", .invalidUTF8)
        }
        return string
    }

    private mutating func parseEscape(into decoded: inout [UInt8]) throws(JSONSyntaxError) {
        let start = index
        index += 1
        guard let letter = current else {
            throw fault("expected an escape sequence, found the end of the file", .cutShort)
        }
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(letter)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = try parseHexUnit(from: start)
            if (0xD800..<0xDC00).contains(scalar), bytes[index...].starts(with: [0x5C, 0x75]) {
                index += 2
                let low = try parseHexUnit(from: start)
                if (0xDC00..<0xE000).contains(low) {
                    scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00)
                }
            }
            guard let character = Unicode.Scalar(scalar) else {
                index = start
                throw fault("an escape sequence is half of a surrogate pair", nil)
            }
            decoded.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
        default:
            index = start + 1
            let found = describeCurrent()
            index = start
            throw fault("JSON has no escape for \(found)", .unknownEscape(found))
        }
    }

    private mutating func parseHexUnit(from start: Int) throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
                let cause = current == nil ? LocatedCause(.cutShort) : nil
                index = start
                throw fault("expected four hexadecimal digits after '\\u'", cause)
            }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }

    mutating func parseNumber() throws(JSONSyntaxError) -> String {
        let start = index
        if current == UInt8(ascii: "-") { index += 1 }
        if current == UInt8(ascii: "0") {
            index += 1
        } else {
            try skipDigits()
        }
        if current == UInt8(ascii: ".") {
            index += 1
            try skipDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            try skipDigits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        let start = index
        while let byte = current, byte.isDigit { index += 1 }
        guard index > start else { throw fault("expected a digit, found \(describeCurrent())", causeInNumber()) }
    }
}
