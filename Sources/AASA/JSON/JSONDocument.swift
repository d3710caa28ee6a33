// Parsed JSON whose values keep their source positions, so that findings can point at lines and columns.

/// A JSON text, parsed strictly by RFC 8259, with the position of every value.
///
/// A leading byte order mark is accepted, as by Apple's CDN (observed). Other strict parsers reject it.
public struct JSONDocument: Sendable {
    public let root: JSONNode
    /// Whether the text begins with a UTF-8 byte order mark.
    public let hasByteOrderMark: Bool
    let duplicates: Duplicates
    let lines: LineTable

    /// A key that occurs more than once in one object, with the positions of the first occurrence and of a later one.
    public struct DuplicateKey: Sendable, Equatable {
        public let key: String
        public let first: SourcePosition
        public let second: SourcePosition
    }

    /// The duplicate keys, at most 64. Which occurrence counts is undefined (RFC 8259, 4).
    public var duplicateKeys: [DuplicateKey] {
        duplicates.listed.map {
            DuplicateKey(
                key: $0.key, first: position(of: $0.first.lowerBound), second: position(of: $0.second.lowerBound))
        }
    }

    /// A repeated key, with its first occurrence.
    struct Duplicate {
        let key: String
        /// The bytes of the two keys, quotes included.
        let first: Range<Int>
        let second: Range<Int>
        let pointer: String
    }

    /// A hostile file can repeat thousands of keys: the first ones are listed, the others only counted.
    struct Duplicates {
        private(set) var listed: [Duplicate] = []
        private(set) var count = 0
        private static let maximumListed = 64

        /// `frames`: the open arrays and objects, the outermost first. The innermost already has the key as its latest.
        mutating func add(
            _ key: (text: String, first: Range<Int>, second: Range<Int>), in frames: [JSONParser.Frame]
        ) {
            count += 1
            guard listed.count < Self.maximumListed else { return }
            let steps = frames.map { $0.isObject ? ($0.key?.text ?? "").escapedForPointer : String($0.count) }
            listed.append(
                Duplicate(
                    key: key.text, first: key.first, second: key.second, pointer: steps.map { "/" + $0 }.joined()))
        }
    }

    /// The maximum nesting of arrays and objects, which bounds the parser's stack. No real file comes near.
    package static let maximumDepth = 256

    /// Parses a text. Time and memory grow linearly with its size.
    /// - Throws: `JSONSyntaxError` for the first error.
    public init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes: bytes)
        root = try parser.parseDocument()
        hasByteOrderMark = parser.hasByteOrderMark
        duplicates = parser.duplicates
        lines = LineTable(bytes)
    }

    /// The line and column of a byte offset. An offset outside the text counts as the nearer end.
    public func position(of offset: Int) -> SourcePosition { lines.position(of: offset) }
}

/// A JSON value and the bytes that it was parsed from.
public struct JSONNode: Sendable, Equatable {
    public let value: JSONValue
    /// Byte offsets from the start of the text.
    public let range: Range<Int>

    /// The value of a key; nil if the key is absent or this is not an object. The last of duplicate keys counts.
    public subscript(key: String) -> JSONNode? {
        guard case .object(let members) = value else { return nil }
        return members.last { $0.key.isExactly(key) }?.value
    }

    public var elements: [JSONNode]? {
        if case .array(let elements) = value { elements } else { nil }
    }

    public var members: [JSONMember]? {
        if case .object(let members) = value { members } else { nil }
    }

    public var string: String? {
        if case .string(let string) = value { string } else { nil }
    }

    /// The same value with only the first of duplicate keys, at every depth.
    var keepingFirstDuplicates: JSONNode {
        switch value {
        case .array(let elements): JSONNode(value: .array(elements.map(\.keepingFirstDuplicates)), range: range)
        case .object(let members):
            JSONNode(value: .object(Self.firstOfEachKey(members)), range: range)
        case .null, .bool, .number, .string: self
        }
    }

    private static func firstOfEachKey(_ members: [JSONMember]) -> [JSONMember] {
        var seen: Set<ExactText> = []
        return members.filter { seen.insert(ExactText($0.key)).inserted }.map {
            JSONMember(key: $0.key, keyRange: $0.keyRange, value: $0.value.keepingFirstDuplicates)
        }
    }

    /// The strings of an array, without elements of other types, as Apple reads it; nil if this is not an array.
    public var strings: [String]? { elements?.compactMap(\.string) }
}

public indirect enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number as written: no precision is lost.
    case number(String)
    case string(String)
    case array([JSONNode])
    /// In file order, duplicates included.
    case object([JSONMember])
}

public struct JSONMember: Sendable, Equatable {
    public let key: String
    /// Byte offsets of the key, quotes included.
    package let keyRange: Range<Int>
    public let value: JSONNode

    /// The key in the form in which it is compared.
    var name: ExactText { ExactText(key) }
}

/// A position in a text. Line and column start at 1; the column counts Unicode scalars, as editors do.
public struct SourcePosition: Codable, Sendable, Hashable, Comparable, CustomStringConvertible {
    public let line: Int
    public let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public var description: String { "\(line):\(column)" }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// Finds the line and column of a byte offset. A line ends with LF, CR LF or a single CR, as in editors.
struct LineTable: Sendable {
    /// Where each line begins.
    private let starts: [Int]
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte order mark does not count as a column.
        var starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
        for (index, byte) in bytes.enumerated() {
            let isEnd =
                byte == lineFeed || byte == carriageReturn && (index + 1 == bytes.count || bytes[index + 1] != lineFeed)
            if isEnd { starts.append(index + 1) }
        }
        self.starts = starts
    }

    /// Offsets outside the text count as the nearer end.
    func position(of offset: Int) -> SourcePosition {
        let offset = min(max(starts[0], offset), bytes.count)
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        // Continuation bytes do not begin a character.
        return SourcePosition(line: low + 1, column: 1 + bytes[starts[low]..<offset].count { $0 & 0xC0 != 0x80 })
    }
}

private let lineFeed: UInt8 = 0x0A
private let carriageReturn: UInt8 = 0x0D

/// A text that is equal only to the same bytes; String also compares canonically equivalent texts as equal.
struct ExactText: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    init(_ text: String) { self.text = text }

    init(stringLiteral text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// nil if the bytes are not UTF-8. Like `init(validating:as:)`, which needs macOS 15.
    init?(utf8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // `decoding:` replaces invalid bytes.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}

extension StringProtocol {
    package func isExactly(_ other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}

extension Sequence where Element == String {
    package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }

    package var uniqued: [String] {
        var seen: Set<ExactText> = []
        return filter { seen.insert(ExactText($0)).inserted }
    }
}
