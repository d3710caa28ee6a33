// The JSON format of the product: sorted keys in snake case, instants in UTC, null for missing values. A client of a
// daemon reads with this decoder what the daemon wrote with this encoder.

import AASA
import Evidence
import Foundation

package enum ReportJSON {
    package static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    /// For people and pipes: in lines, without characters that control a terminal.
    package static func text(_ value: some Encodable) throws -> String {
        let encoder = encoder
        encoder.outputFormatting.insert(.prettyPrinted)
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        guard !text.utf8.allSatisfy({ $0 < 0x7F }) else { return text }
        // Such a character can only be inside a string. The encoder escapes those of ASCII.
        return text.unicodeScalars.reduce(into: "") { escaped, scalar in
            if scalar.value > 0x7E, scalar.isTerminalControl {
                escaped += escape(scalar)
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let hex = String(unit, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }.joined()
    }
}

extension OrderedJSON {
    /// A report within a document that is built by hand.
    package static func report(_ value: some Encodable) -> OrderedJSON {
        // Reports contain only strings, numbers and dates, which cannot fail to encode.
        (try? JSONDecoder().decode(OrderedJSON.self, from: ReportJSON.encoder.encode(value))) ?? .null
    }
}

// The code that the compiler generates for an optional property calls these. They are in this module, so they win over
// the library's own, which omit the key.
extension KeyedEncodingContainer {
    package mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try encode(value, forKey: key)
    }

    package mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encode(value, forKey: key) }
    package mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encode(value, forKey: key) }
    package mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encode(value, forKey: key) }
    package mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encode(value, forKey: key) }
    package mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encode(value, forKey: key) }
}
