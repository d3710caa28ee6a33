/// A value whose key is always there: null where there is none.
package struct Nullable<Value: Encodable>: Encodable {
    package let value: Value?

    init(_ value: Value?) { self.value = value }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Nullable: Decodable where Value: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        value = container.decodeNil() ? nil : try container.decode(Value.self)
    }
}

extension Nullable: Sendable where Value: Sendable {}
