/// A parsed JSON text: strict RFC 8259, with every value's place.
///
/// A byte order mark is let pass and noted: Apple's CDN was seen to accept a file that begins with one, while strict
/// parsers elsewhere refuse it.
public struct JSONDocument: Sendable {
    public let root: JSONNode
    public let hasByteOrderMark: Bool
    /// Keys that stand more than once in one object: which of them counts is undefined.
    public let duplicateKeys: [DuplicateKey]
    let lines: LineTable

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
