// The JSON of commands: like `ReportJSON`, but the keys of their own documents are in the order of
// docs/reference/json.md.

import Foundation

/// A document whose keys are in the order of its properties. Reports inside it, which the API has too, have theirs in
/// alphabetical order.
package protocol InOrder: Codable {}

extension Detailed: InOrder where More: InOrder {}

/// A report with details, in one JSON object: the entry of a list, and what only the answer about that entry has.
@dynamicMemberLookup
package struct Detailed<Base: Codable & Sendable, More: Codable & Sendable>: Codable, Sendable {
    package var base: Base
    package var more: More

    package init(_ base: Base, _ more: More) {
        self.base = base
        self.more = more
    }

    package init(from decoder: any Decoder) throws {
        base = try Base(from: decoder)
        more = try More(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try base.encode(to: encoder)
        try more.encode(to: encoder)
    }

    package subscript<Value>(dynamicMember path: KeyPath<Base, Value>) -> Value { base[keyPath: path] }
    package subscript<Value>(dynamicMember path: KeyPath<More, Value>) -> Value { more[keyPath: path] }
}

extension OrderedJSON {
    /// What a value encodes: keys in snake case, instants in UTC, `null` for nil.
    package static func document(_ value: some Encodable) -> OrderedJSON {
        let node = JSONNode()
        // Documents contain only strings, numbers, dates and lists of them, which cannot fail to encode.
        return (try? node.take(value)) == nil ? .null : node.json
    }
}

extension String {
    /// `goalMoved` as `goal_moved`.
    package var inSnakeCase: String {
        reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}

/// A value that is being written.
private final class JSONNode: Encoder {
    private var leaf = OrderedJSON.null
    private var elements: [JSONNode]?
    private var members: [(key: String, node: JSONNode)]?
    private var isInOrder = false
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    var json: OrderedJSON {
        if let elements { return .array(elements.map(\.json)) }
        guard let members else { return leaf }
        return .object((isInOrder ? members : members.sorted { $0.key < $1.key }).map { ($0.key, $0.node.json) })
    }

    func take(_ value: some Encodable) throws {
        switch value {
        case let value as OrderedJSON: leaf = value
        case let value as String: leaf = .string(value)
        case let value as Bool: leaf = .bool(value)
        case let value as Int: leaf = .integer(value)
        case let value as Double: leaf = .number(value)
        case let value as Date: leaf = .string(value.rfc3339)
        // Its keys are data, not our own names.
        case let value as [String: String]:
            leaf = .object(value.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        default:
            isInOrder = value is any InOrder
            try value.encode(to: self)
        }
    }

    func member(_ key: any CodingKey) -> JSONNode {
        let node = JSONNode()
        members?.append((key.stringValue.inSnakeCase, node))
        return node
    }

    func element() -> JSONNode {
        let node = JSONNode()
        elements?.append(node)
        return node
    }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if members == nil { members = [] }
        return KeyedEncodingContainer(Members(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if elements == nil { elements = [] }
        return Elements(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: self) }

    var count: Int { elements?.count ?? 0 }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { _ = node.member(key) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try node.member(key).take(value) }
    // The compiler's code for an optional property calls these. Those of the standard library leave out the key.
    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try encode(value, forKey: key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encode(value, forKey: key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encode(value, forKey: key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encode(value, forKey: key) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encode(value, forKey: key) }
    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        node.member(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { node.member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { node }
    func superEncoder(forKey key: Key) -> any Encoder { node.member(key) }
}

private struct Elements: UnkeyedEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }
    var count: Int { node.count }

    func encodeNil() { _ = node.element() }
    func encode(_ value: some Encodable) throws { try node.element().take(value) }
    func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        node.element().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { node.element() }
}

private struct Single: SingleValueEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {}
    func encode(_ value: some Encodable) throws { try node.take(value) }
}
