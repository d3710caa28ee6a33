// A JSON value that remembers where in the text it stood. Findings point at lines and columns through it.

/// A JSON value with the bytes that it came from.
public struct JSONNode: Sendable, Equatable {
    public let value: JSONValue
    /// The bytes of the value in the text, as offsets from its first byte.
    public let range: Range<Int>

    public init(value: JSONValue, range: Range<Int>) {
        self.value = value
        self.range = range
    }

    /// The value of a key. Where a key stands twice, which of the two counts is undefined: the last one is
    /// taken.
    public subscript(key: String) -> JSONNode? {
        guard case .object(let members) = value else { return nil }
        return members.last { $0.key == key }?.value
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

    /// The value as it is where of equal keys the first counts.
    var withFirstMembersAlone: JSONNode {
        switch value {
        case .array(let elements): JSONNode(value: .array(elements.map(\.withFirstMembersAlone)), range: range)
        case .object(let members):
            JSONNode(value: .object(Self.firstOfEachKey(members)), range: range)
        case .null, .bool, .number, .string: self
        }
    }

    private static func firstOfEachKey(_ members: [JSONMember]) -> [JSONMember] {
        // By bytes: to Swift's String two spellings of one accented letter are equal, to JSON they are two keys.
        var seen: Set<[UInt8]> = []
        return members.filter { seen.insert(Array($0.key.utf8)).inserted }.map {
            JSONMember(key: $0.key, keyRange: $0.keyRange, value: $0.value.withFirstMembersAlone)
        }
    }

    /// The strings of an array; elements of another type are left out, as Apple leaves them out.
    public var strings: [String]? { elements?.compactMap(\.string) }
}

public indirect enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number as it was written: no precision is lost.
    case number(String)
    case string(String)
    case array([JSONNode])
    /// Members in the order of the text, duplicates included.
    case object([JSONMember])
}

public struct JSONMember: Sendable, Equatable {
    public let key: String
    /// The bytes of the key, quotes included.
    public let keyRange: Range<Int>
    public let value: JSONNode

    public init(key: String, keyRange: Range<Int>, value: JSONNode) {
        self.key = key
        self.keyRange = keyRange
        self.value = value
    }
}

/// A place in a text, both numbers from 1. The column counts Unicode scalars, as editors do.
public struct SourcePosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public var description: String { "\(line):\(column)" }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
