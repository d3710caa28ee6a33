import Foundation

/// JSON as a reader of our output meets it. A path that leads nowhere gives `absent`, which equals nothing.
enum JSONValue: Decodable, Equatable, Sendable {
    case null
    case absent
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(_ text: String) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    init(_ data: Data) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: data)
    }

    init(from decoder: any Decoder) throws {
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

    subscript(_ key: String) -> JSONValue {
        if case .object(let members) = self { members[key] ?? .absent } else { .absent }
    }

    subscript(_ index: Int) -> JSONValue {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .absent }
    }

    var keys: Set<String> { if case .object(let members) = self { Set(members.keys) } else { [] } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var string: String? { if case .string(let value) = self { value } else { nil } }
    var int: Int? { if case .number(let value) = self { Int(exactly: value.rounded(.towardZero)) } else { nil } }
}
