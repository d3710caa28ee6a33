// A validator for JSON Schema, as far as the schemas of this repository need one.

import Foundation

/// A validator for: `$ref` within the document, `type`, `enum`, `const`, `required`, `properties`, `additionalProperties`,
/// `propertyNames`, `items`, `minItems`, `maxItems`, `minProperties`, `maxProperties`, `uniqueItems`, `pattern`, `minLength`, `maxLength`,
/// `minimum`, `maximum`, `exclusiveMinimum`, `anyOf`, `oneOf`, `allOf`, `not`, `if`, `then`, `else`.
package struct SchemaJudge {
    private let document: JSONValue
    /// The targets of the references that it followed.
    package private(set) var visited: Set<String> = []
    /// Keys of a schema that the validator does not support. They must be empty, or a test could pass unchecked.
    package private(set) var unknown: Set<String> = []

    package init(_ document: JSONValue) { self.document = document }

    private static let known: Set = [
        "$ref", "type", "enum", "const", "required", "properties", "additionalProperties", "propertyNames", "items",
        "minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems", "pattern", "minLength", "maxLength",
        "minimum",
        "maximum", "exclusiveMinimum", "anyOf", "oneOf", "allOf", "not", "if", "then", "else",
        // These keys do not change which values are valid here.
        "description", "title", "default", "examples", "format", "$schema", "$id", "$defs", "deprecated",
    ]

    /// The errors in a value, one per line.
    package mutating func faults(of value: JSONValue, _ schema: JSONValue, at place: String = "$") -> [String] {
        if case .bool(let isAllowed) = schema { return isAllowed ? [] : ["\(place) is not allowed"] }
        unknown.formUnion(schema.keys.subtracting(Self.known))
        var faults: [String] = []
        if let reference = schema["$ref"].string {
            visited.insert(reference)
            guard let target = target(of: reference) else { return ["\(place): \(reference) leads nowhere"] }
            faults += self.faults(of: value, target, at: place)
        }
        faults += scalarFaults(value, schema, place) + objectFaults(value, schema, place)
        faults += arrayFaults(value, schema, place) + combinedFaults(value, schema, place)
        return faults
    }

    private func target(of reference: String) -> JSONValue? {
        guard reference.hasPrefix("#") else { return nil }
        return reference.dropFirst().split(separator: "/").reduce(document) { $0[String($1)] }.present
    }

    private func scalarFaults(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        var faults: [String] = []
        if let type = schema["type"].present {
            let names = type.string.map { [$0] } ?? type.elements.compactMap(\.string)
            if !names.contains(where: { Self.isOf(value, $0) }) { faults.append("\(place) is no \(names)") }
        }
        if let words = schema["enum"].present, !words.elements.contains(value) {
            faults.append("\(place) is none of the enum")
        }
        if let constant = schema["const"].present, constant != value { faults.append("\(place) is not the constant") }
        if let text = value.string {
            if let pattern = schema["pattern"].string, text.range(of: pattern, options: .regularExpression) == nil {
                faults.append("\(place) '\(text)' is not like \(pattern)")
            }
            if let least = schema["minLength"].number, Double(text.count) < least {
                faults.append("\(place) is short")
            }
            if let most = schema["maxLength"].number, Double(text.count) > most { faults.append("\(place) is long") }
            if schema["format"].string == "date-time", (try? Date(text, strategy: .iso8601)) == nil {
                faults.append("\(place) '\(text)' is no instant")
            }
        }
        if let number = value.number {
            if let least = schema["minimum"].number, number < least { faults.append("\(place) is too small") }
            if let least = schema["exclusiveMinimum"].number, number <= least {
                faults.append("\(place) is too small")
            }
            if let most = schema["maximum"].number, number > most { faults.append("\(place) is too large") }
        }
        return faults
    }

    private static func isOf(_ value: JSONValue, _ type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.bool, "boolean"), (.number, "number"), (.string, "string"), (.array, "array"),
            (.object, "object"):
            true
        case (.number(let number), "integer"): number == number.rounded()
        default: false
        }
    }

    private mutating func objectFaults(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        guard case .object(let members) = value else { return [] }
        var faults: [String] = []
        for key in schema["required"].elements.compactMap(\.string) where members[key] == nil {
            faults.append("\(place).\(key) is missing")
        }
        if let least = schema["minProperties"].number, Double(members.count) < least {
            faults.append("\(place) has too few members")
        }
        if let most = schema["maxProperties"].number, Double(members.count) > most {
            faults.append("\(place) has too many members")
        }
        let properties = schema["properties"].members
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            if let names = schema["propertyNames"].present {
                faults += self.faults(of: .string(key), names, at: "\(place) (key)")
            }
            if let property = properties[key] {
                faults += self.faults(of: member, property, at: "\(place).\(key)")
            } else if let others = schema["additionalProperties"].present {
                faults += self.faults(of: member, others, at: "\(place).\(key)")
            }
        }
        return faults
    }

    private mutating func arrayFaults(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        guard case .array(let elements) = value else { return [] }
        var faults: [String] = []
        if let least = schema["minItems"].number, Double(elements.count) < least { faults.append("\(place) is short") }
        if let most = schema["maxItems"].number, Double(elements.count) > most { faults.append("\(place) is long") }
        if schema["uniqueItems"] == .bool(true),
            elements.indices.contains(where: { index in
                elements[..<index].contains(elements[index])
            })
        {
            faults.append("\(place) repeats an element")
        }
        if let items = schema["items"].present {
            for (index, element) in elements.enumerated() {
                faults += self.faults(of: element, items, at: "\(place)[\(index)]")
            }
        }
        return faults
    }

    private mutating func combinedFaults(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        var faults: [String] = []
        for part in schema["allOf"].elements { faults += self.faults(of: value, part, at: place) }
        for key in ["anyOf", "oneOf"] {
            guard let parts = schema[key].present?.elements else { continue }
            var fitting = 0
            var reasons: [String] = []
            for part in parts {
                let found = self.faults(of: value, part, at: place)
                fitting += found.isEmpty ? 1 : 0
                reasons += found
            }
            if fitting == 0 { faults.append("\(place) fits nothing of \(key): \(reasons.joined(separator: "; "))") }
            if key == "oneOf", fitting > 1 { faults.append("\(place) fits several of oneOf") }
        }
        if let not = schema["not"].present, self.faults(of: value, not, at: place).isEmpty {
            faults.append("\(place) is what it must not be")
        }
        if let condition = schema["if"].present {
            let holds = self.faults(of: value, condition, at: place).isEmpty
            if let then = schema[holds ? "then" : "else"].present { faults += self.faults(of: value, then, at: place) }
        }
        return faults
    }
}
