// The JSON Schema of `monitor.yaml` (draft 2020-12), for editors. Made from the settings.

import Evidence

extension OrderedJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral number: Int) { self = .integer(number) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: OrderedJSON...) { self = .array(elements) }
    package init(dictionaryLiteral members: (String, OrderedJSON)...) { self = .object(members) }

    /// In place of a secret.
    static var hidden: OrderedJSON { "***" }

    /// An object without the members that are null: mappings of a list show only what they have.
    var withoutNulls: OrderedJSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !$0.1.isNull })
    }

    fileprivate var isNull: Bool { if case .null = self { true } else { false } }

    // MARK: - Parts of a schema

    private static var variable: OrderedJSON {
        ["description": "a text with ${NAME}", "type": "string", "pattern": #"\$\{"#]
    }

    /// A value, or a text with a variable.
    static func orVariable(_ schema: OrderedJSON) -> OrderedJSON { ["anyOf": [schema, variable]] }

    /// A text. nil: any that is not empty.
    static func text(_ pattern: String? = nil) -> OrderedJSON {
        guard let pattern else { return ["type": "string", "minLength": 1] }
        return ["type": "string", "minLength": 1, "pattern": .string(.orVariable(pattern))]
    }

    /// The schema that also accepts null.
    var orNull: OrderedJSON {
        .object(
            members.map { key, value in
                switch (key, value) {
                case ("type", .string): (key, [value, "null"])
                case ("anyOf", .array(let parts)): (key, .array(parts + [["type": "null"]]))
                default: (key, value)
                }
            })
    }

    /// A mapping. `rules`: more members of the schema, about several settings.
    static func mapping(_ settings: [SettingFacts], _ rules: OrderedJSON = .object([])) -> OrderedJSON {
        let required = settings.filter { $0.isRequired && !$0.shape.isSecret }.map { OrderedJSON.string($0.key) }
        let secrets = settings.filter { $0.isRequired && $0.shape.isSecret }.map { isRequired($0.keys) }
        let parts = settings.compactMap(\.pair) + secrets + rules["allOf"]
        var members: [(String, OrderedJSON)] = [
            ("type", "object"), ("additionalProperties", false), ("required", .array(required)),
            ("properties", .object(settings.flatMap(\.properties))),
        ]
        members += rules.members.filter { $0.0 != "allOf" }
        if !parts.isEmpty { members.append(("allOf", .array(parts))) }
        return .object(members)
    }

    private subscript(key: String) -> [OrderedJSON] {
        guard case .array(let elements) = members.first(where: { $0.0 == key })?.1 else { return [] }
        return elements
    }

    static func isRequired(_ keys: [String]) -> OrderedJSON {
        ["anyOf": .array(keys.map { ["required": [.string($0)]] })]
    }
}

extension String {
    static func orVariable(_ pattern: String) -> String { pattern + #"|\$\{"# }
}

extension SettingFacts {
    /// The setting in the `properties` of its section.
    var properties: [(String, OrderedJSON)] {
        let isNullable = shape.takesNull && !isRequired
        var members: [(String, OrderedJSON)] = [("description", .string(description))]
        members += (isNullable ? shape.schema.orNull : shape.schema).members
        if let standard, !standard.isNull, shape.settings.isEmpty { members.append(("default", standard)) }
        guard shape.isSecret else { return [(key, .object(members))] }
        let path = isNullable ? OrderedJSON.text().orNull : .text()
        let note: OrderedJSON = ["description": .string("the path of a file that contains '\(key)'")]
        return [(key, .object(members)), ("\(key)_file", .object(note.members + path.members))]
    }

    /// A secret is given in one place, not in two.
    var pair: OrderedJSON? {
        guard shape.isSecret else { return nil }
        let texts = OrderedJSON.object(keys.map { ($0, ["type": "string"]) })
        return ["not": ["type": "object", "required": .array(keys.map { .string($0) }), "properties": texts]]
    }

    /// The sentence without Markdown.
    private var description: String { sentence.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.1 }.replacing("`", with: "") }
}
