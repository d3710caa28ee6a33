// A hash of all that a value encodes, for comparison with a stored one. It is the hash of the value's own fields in the order in
// which it encodes them, so nothing may be in it whose order is chance. JSON text would do as well, at five times the cost.

import Evidence
import Foundation

enum ValueHash {
    static func of(_ value: some Encodable) -> ContentHash {
        let sink = Sink()
        do {
            try value.encode(to: Node(sink: sink, depth: 0))
        } catch {
            // No number is refused here, so that nothing throws; if something did, the value would equal no other.
            sink.add(tag: 0xff, UUID().uuidString.utf8)
        }
        return ContentHash(of: sink.bytes)
    }

    private final class Sink {
        var bytes: [UInt8] = []

        init() { bytes.reserveCapacity(2048) }

        /// Each piece with its kind and length, so that two different sequences never make the same bytes.
        func add(tag: UInt8, _ piece: some Collection<UInt8>) {
            bytes.append(tag)
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: piece.count)) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: piece)
        }

        func add(tag: UInt8, number: UInt64) {
            bytes.append(tag)
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        }
    }

    /// A place in the value. The depth before each key says which object it is of.
    private struct Node: Encoder, SingleValueEncodingContainer {
        let sink: Sink
        let depth: UInt8
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            KeyedEncodingContainer(Keyed(node: self))
        }
        func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(node: self) }
        func singleValueContainer() -> any SingleValueEncodingContainer { self }

        func within(_ key: String) -> Node {
            sink.add(tag: depth, key.utf8)
            return Node(sink: sink, depth: depth &+ 1)
        }

        func encodeNil() { sink.bytes.append(0xf0) }
        func encode(_ value: Bool) { sink.bytes.append(value ? 0xf1 : 0xf2) }
        func encode(_ value: String) { sink.add(tag: 0xf3, value.utf8) }
        func encode(_ value: Double) { sink.add(tag: 0xf4, number: value.bitPattern) }
        func encode(_ value: Float) { encode(Double(value)) }
        func encode(_ value: Int) { sink.add(tag: 0xf5, number: UInt64(bitPattern: Int64(value))) }
        func encode(_ value: Int8) { encode(Int(value)) }
        func encode(_ value: Int16) { encode(Int(value)) }
        func encode(_ value: Int32) { encode(Int(value)) }
        func encode(_ value: Int64) { encode(Int(value)) }
        func encode(_ value: UInt) { sink.add(tag: 0xf6, number: UInt64(value)) }
        func encode(_ value: UInt8) { encode(UInt(value)) }
        func encode(_ value: UInt16) { encode(UInt(value)) }
        func encode(_ value: UInt32) { encode(UInt(value)) }
        func encode(_ value: UInt64) { encode(UInt(value)) }
        func encode(_ value: some Encodable) throws { try value.encode(to: self) }
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: Node
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { node.within(key.stringValue).encodeNil() }
        func encode(_ value: Bool, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: String, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: Double, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: Float, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: Int, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: Int8, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: Int16, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: Int32, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: Int64, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: UInt, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: UInt8, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: UInt16, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: UInt32, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: UInt64, forKey key: Key) { node.within(key.stringValue).encode(value) }
        func encode(_ value: some Encodable, forKey key: Key) throws {
            try value.encode(to: node.within(key.stringValue))
        }
        func nestedContainer<Nested>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { node.within(key.stringValue).container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            node.within(key.stringValue).unkeyedContainer()
        }
        func superEncoder() -> any Encoder { node.within("super") }
        func superEncoder(forKey key: Key) -> any Encoder { node.within(key.stringValue) }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let node: Node
        var count = 0
        var codingPath: [any CodingKey] { [] }

        private mutating func next() -> Node {
            count += 1
            return node.within("")
        }

        mutating func encodeNil() { next().encodeNil() }
        mutating func encode(_ value: Bool) { next().encode(value) }
        mutating func encode(_ value: String) { next().encode(value) }
        mutating func encode(_ value: Double) { next().encode(value) }
        mutating func encode(_ value: Float) { next().encode(value) }
        mutating func encode(_ value: Int) { next().encode(value) }
        mutating func encode(_ value: Int8) { next().encode(value) }
        mutating func encode(_ value: Int16) { next().encode(value) }
        mutating func encode(_ value: Int32) { next().encode(value) }
        mutating func encode(_ value: Int64) { next().encode(value) }
        mutating func encode(_ value: UInt) { next().encode(value) }
        mutating func encode(_ value: UInt8) { next().encode(value) }
        mutating func encode(_ value: UInt16) { next().encode(value) }
        mutating func encode(_ value: UInt32) { next().encode(value) }
        mutating func encode(_ value: UInt64) { next().encode(value) }
        mutating func encode(_ value: some Encodable) throws { try value.encode(to: next()) }
        mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            next().container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { next() }
    }
}
