// JSON output with the keys in the order of the contract, and `null` for absent values: every report has every key.
// JSONEncoder cannot do this. Within another document it is encoded like any value.

import AASA
import Foundation

/// A JSON value with its keys in order.
package indirect enum OrderedJSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([OrderedJSON])
    case object([(String, OrderedJSON)])

    /// Those of an object; none of another value.
    package var members: [(String, OrderedJSON)] {
        if case .object(let members) = self { members } else { [] }
    }

    /// `null` for nil.
    package static func optional(_ value: String?) -> OrderedJSON { value.map { .string($0) } ?? .null }
    package static func optional(_ value: Int?) -> OrderedJSON { value.map { .integer($0) } ?? .null }
    package static func optional(_ value: Double?) -> OrderedJSON { value.map { .number($0) } ?? .null }
    package static func optional(_ value: Bool?) -> OrderedJSON { value.map { .bool($0) } ?? .null }
    package static func optional(_ value: Date?) -> OrderedJSON { value.map { .string($0.rfc3339) } ?? .null }

    /// The JSON text, indented by two spaces per level, or on one line.
    package func text(isPretty: Bool) -> String {
        var output = ""
        write(to: &output, indentation: isPretty ? 0 : nil)
        return output
    }

    private func write(to output: inout String, indentation: Int?) {
        switch self {
        case .null: output += "null"
        case .bool(let value): output += value ? "true" : "false"
        case .integer(let value): output += String(value)
        case .number(let value): output += value.isFinite ? String(Self.rounded(value)) : "null"
        case .string(let value): Self.write(value, to: &output)
        case .array(let elements):
            Self.writeList(elements.map { (nil, $0) }, "[", "]", to: &output, indentation: indentation)
        case .object(let members):
            Self.writeList(members.map { ($0.0, $0.1) }, "{", "}", to: &output, indentation: indentation)
        }
    }

    private static func writeList(
        _ items: [(String?, OrderedJSON)], _ opening: String, _ closing: String, to output: inout String,
        indentation: Int?
    ) {
        output += opening
        for (index, (key, value)) in items.enumerated() {
            if index > 0 { output += indentation == nil ? ", " : "," }
            if let indentation { output += "\n" + String(repeating: "  ", count: indentation + 1) }
            if let key {
                write(key, to: &output)
                output += ": "
            }
            value.write(to: &output, indentation: indentation.map { $0 + 1 })
        }
        if let indentation, !items.isEmpty { output += "\n" + String(repeating: "  ", count: indentation) }
        output += closing
    }

    /// Milliseconds to the microsecond: more digits are noise.
    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    /// Also escapes characters that control a terminal, because people read reports there.
    private static func write(_ string: String, to output: inout String) {
        let written = string.writtenAsJSON
        // Most texts are plain ASCII.
        guard !written.utf8.allSatisfy({ $0 < 0x7F }) else {
            output += written
            return
        }
        for scalar in written.unicodeScalars {
            guard scalar.isTerminalControl else {
                output.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let hex = String(unit, radix: 16, uppercase: true)
                output += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            }
        }
    }
}

extension OrderedJSON: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try value.isFinite ? container.encode(Self.rounded(value)) : container.encodeNil()
        case .string(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        // As a dictionary, because an encoder does not change its keys.
        case .object(let members): try container.encode(Dictionary(members) { first, _ in first })
        }
    }
}

extension OrderedJSON: Decodable {
    /// The keys of an object in the order of the alphabet.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let elements = try? container.decode([OrderedJSON].self) {
            self = .array(elements)
        } else {
            let members = try container.decode([String: OrderedJSON].self)
            self = .object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
    }
}
