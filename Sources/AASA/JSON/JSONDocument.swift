/// A parsed JSON text: strict RFC 8259, with every value's place.
///
/// A byte order mark is let pass and noted: Apple's CDN was seen to accept a file that begins with one, while strict
/// parsers elsewhere refuse it.
public struct JSONDocument: Sendable {
    public let root: JSONNode
    public let hasByteOrderMark: Bool
    /// Keys that stand more than once in one object: which of them counts is undefined.
    public let duplicateKeys: [DuplicateKey]
    private let lines: LineTable

    public struct DuplicateKey: Sendable, Equatable {
        public let key: String
        public let first: SourcePosition
        public let second: SourcePosition
    }

    /// Arrays and objects may be nested this deep; no real file comes near, and the parser's stack stays bounded.
    public static let maximumDepth = 256

    /// Time and memory grow linearly with the text.
    /// - Throws: `JSONSyntaxError` at the first fault.
    public init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes: bytes)
        root = try parser.parseDocument()
        hasByteOrderMark = parser.hasByteOrderMark
        let lines = LineTable(bytes)
        duplicateKeys = parser.duplicates.map {
            DuplicateKey(key: $0.key, first: lines.position(of: $0.first), second: lines.position(of: $0.second))
        }
        self.lines = lines
    }

    public func position(of offset: Int) -> SourcePosition { lines.position(of: offset) }
}

/// Finds line and column of a byte offset.
struct LineTable: Sendable {
    private let starts: [Int]
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        var starts = [0]
        for index in bytes.indices where bytes[index] == 0x0A { starts.append(index + 1) }
        self.starts = starts
        self.bytes = bytes
    }

    func position(of offset: Int) -> SourcePosition {
        let offset = min(max(0, offset), bytes.count)
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        // Continuation bytes do not begin a character.
        var column = bytes[starts[low]..<offset].count { $0 & 0xC0 != 0x80 } + 1
        if low == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]), offset >= 3 { column -= 1 }
        return SourcePosition(line: low + 1, column: column)
    }
}
