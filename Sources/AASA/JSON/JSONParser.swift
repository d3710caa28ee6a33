// The parser proper: one pass over the bytes, no recursion deeper than `JSONDocument.maximumDepth`. Guesses at the
// cause of a fault lie in JSONParser+Cause.swift, strings and numbers in JSONParser+Scalars.swift.

struct JSONParser {
    let bytes: [UInt8]
    var index = 0
    var hasByteOrderMark = false
    var duplicates: [(key: String, first: Int, second: Int)] = []

    /// More duplicates than these are not listed: a hostile file may hold thousands.
    private static let maximumDuplicates = 32

    init(bytes: [UInt8]) { self.bytes = bytes }

    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func parseDocument() throws(JSONSyntaxError) -> JSONNode {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            hasByteOrderMark = true
            index = 3
        }
        skipBlanks()
        if let whole = causeOfWhole() {
            throw fault("expected a JSON object", cause: whole)
        }
        let root = try parseValue(depth: 0)
        skipBlanks()
        guard index == bytes.count else {
            throw fault("expected the end of the file, found \(describeCurrent())", cause: trailingCause())
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
        default: throw fault("expected a value, found \(describeCurrent())", cause: localCause())
        }
        return JSONNode(value: value, range: start..<index)
    }

    private mutating func parseWord(_ word: String, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        guard bytes[index...].starts(with: word.utf8) else {
            throw fault("expected a value, found \(describeCurrent())", cause: localCause())
        }
        index += word.utf8.count
        return value
    }

    private mutating func parseArray(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        try checkDepth(depth)
        index += 1
        var elements: [JSONNode] = []
        skipBlanks()
        if current == UInt8(ascii: "]") {
            index += 1
            return .array(elements)
        }
        while true {
            skipBlanks()
            elements.append(try parseValue(depth: depth))
            skipBlanks()
            switch current {
            case UInt8(ascii: ","):
                try step(pastCommaBefore: UInt8(ascii: "]"))
            case UInt8(ascii: "]"):
                index += 1
                return .array(elements)
            default:
                throw fault("expected ',' or ']', found \(describeCurrent())", cause: localCause())
            }
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        try checkDepth(depth)
        index += 1
        var members: [JSONMember] = []
        var keys = KeyIndex()
        skipBlanks()
        if current == UInt8(ascii: "}") {
            index += 1
            return .object(members)
        }
        while true {
            skipBlanks()
            let start = index
            guard current == UInt8(ascii: "\"") else {
                throw fault("expected a key in double quotes, found \(describeCurrent())", cause: localCause())
            }
            let key = try parseString()
            let keyRange = start..<index
            if let first = keys.place(of: key, at: start, among: members) {
                if duplicates.count < Self.maximumDuplicates { duplicates.append((key, first, start)) }
            }
            skipBlanks()
            guard current == UInt8(ascii: ":") else {
                throw fault("expected ':' after the key, found \(describeCurrent())", cause: localCause())
            }
            index += 1
            skipBlanks()
            members.append(JSONMember(key: key, keyRange: keyRange, value: try parseValue(depth: depth)))
            skipBlanks()
            switch current {
            case UInt8(ascii: ","):
                try step(pastCommaBefore: UInt8(ascii: "}"))
            case UInt8(ascii: "}"):
                index += 1
                return .object(members)
            default:
                throw fault("expected ',' or '}', found \(describeCurrent())", cause: localCause())
            }
        }
    }

    /// A comma may not stand before the closing bracket; the fault is shown at the comma, which is what to remove.
    private mutating func step(pastCommaBefore closing: UInt8) throws(JSONSyntaxError) {
        let comma = index
        index += 1
        skipBlanks()
        if current == closing {
            index = comma
            throw fault("expected another element after ','", cause: .trailingComma)
        }
    }

    private func checkDepth(_ depth: Int) throws(JSONSyntaxError) {
        guard depth <= JSONDocument.maximumDepth else {
            throw fault("arrays and objects are nested deeper than \(JSONDocument.maximumDepth)", cause: .tooDeep)
        }
    }

    func fault(_ message: String, cause: JSONSyntaxError.Cause?) -> JSONSyntaxError {
        JSONSyntaxError(
            offset: index, position: LineTable(bytes).position(of: index), message: message, cause: cause)
    }
}

/// Where each key of an object stood first. By bytes: to Swift's String two spellings of one accented letter are equal, to
/// JSON they are two keys.
private struct KeyIndex {
    /// Objects with fewer members are searched one by one, which is faster than hashing.
    private static let searched = 12
    private var places: [[UInt8]: Int] = [:]

    /// - Returns: where a key stood before; nil where it is new, and stands at `start`.
    mutating func place(of key: String, at start: Int, among members: [JSONMember]) -> Int? {
        if members.count < Self.searched {
            for member in members
            where member.key.utf8.count == key.utf8.count && member.key.utf8.elementsEqual(key.utf8) {
                return member.keyRange.lowerBound
            }
            return nil
        }
        if places.isEmpty {
            for member in members.reversed() { places[Array(member.key.utf8)] = member.keyRange.lowerBound }
        }
        let identity = Array(key.utf8)
        if let first = places[identity] { return first }
        places[identity] = start
        return nil
    }
}
