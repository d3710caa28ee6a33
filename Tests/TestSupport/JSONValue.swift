import Foundation

/// JSON as readers of our output see it. A path that does not exist gives `absent`, which equals nothing.
package enum JSONValue: Decodable, Equatable, Sendable {
    case null
    case absent
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(_ text: String) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    package init(_ data: Data) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: data)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package subscript(_ key: String) -> JSONValue { members[key] ?? .absent }

    package subscript(_ index: Int) -> JSONValue { elements.indices.contains(index) ? elements[index] : .absent }

    /// nil if the value is absent.
    package var present: JSONValue? { if case .absent = self { nil } else { self } }
    package var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
    package var keys: Set<String> { Set(members.keys) }
    package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var number: Double? { if case .number(let value) = self { value } else { nil } }
    package var int: Int? { number.flatMap { Int(exactly: $0.rounded(.towardZero)) } }
}
