// JSON as the channels write it: sorted keys, so that the same alert gives the same bytes.

import Foundation

enum JSONText {
    static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// The object with more members in front, which must have other names than its own.
    static func adding(_ members: some Encodable, to object: Data) throws -> Data {
        let head = try encoded(members)
        guard head.count > 2, object.count > 2, object.first == UInt8(ascii: "{") else {
            return head.count > 2 ? head : object
        }
        return head.dropLast() + Data(",".utf8) + object.dropFirst()
    }

    static func decoded<Value: Decodable>(_ type: Value.Type, _ answer: TransportAnswer) -> Value? {
        try? JSONDecoder().decode(type, from: answer.body)
    }
}
