// The JSON Schema of a channel: which keys there are depends on its type.

import Evidence
import Monitoring

enum ChannelSchema {
    typealias Owner = (kind: ChannelKind, facts: SettingFacts)

    /// The keys of single types, each with the types that have it.
    static let all: [(key: String, owners: [Owner])] = {
        var keys: [(key: String, owners: [Owner])] = []
        for kind in ChannelKind.allCases {
            for facts in kind.settings.map(\.facts) {
                let index = keys.firstIndex { $0.key == facts.key }
                if let index {
                    keys[index].owners.append((kind, facts))
                } else {
                    keys.append((facts.key, [(kind, facts)]))
                }
            }
        }
        return keys
    }()

    /// `head`: `name` and `type`. `filters`: the settings after those of single types. All types have both.
    static func schema(_ head: [SettingFacts], _ filters: [SettingFacts]) -> OrderedJSON {
        let properties = head.flatMap(\.properties) + all.flatMap(Self.properties) + filters.flatMap(\.properties)
        let pairs = all.compactMap { $0.owners[0].facts.pair }
        return [
            "type": "object", "additionalProperties": false, "required": ["name", "type"],
            "properties": .object(properties), "allOf": .array(pairs + ChannelKind.allCases.map(rules)),
        ]
    }

    /// A key for all types that have it.
    private static func properties(_ key: String, _ owners: [Owner]) -> [(String, OrderedJSON)] {
        let forms = byForm(owners).map { $0.owners[0].facts }
        guard forms.count > 1 else { return forms[0].given.properties }
        let schema = OrderedJSON.object([("anyOf", .array(forms.map(\.shape.schema)))])
        let sentence = forms.map { "\($0.sentence): \($0.shape.words)" }.joined(separator: "; ")
        let shape = Shape(words: "", schema: schema, isSecret: forms[0].shape.isSecret)
        return SettingFacts(key: key, shape: shape, isRequired: true, sentence: sentence).properties
    }

    /// The types with the same form of values for a key, in order.
    static func byForm(_ owners: [Owner]) -> [(words: String, owners: [Owner])] {
        owners.map(\.facts.shape.words).withoutRepeats.map { words in
            (words, owners.filter { $0.facts.shape.words == words })
        }
    }

    /// The rules for channels of one type.
    private static func rules(of kind: ChannelKind) -> OrderedJSON {
        let own = kind.settings.map(\.facts)
        let foreign = all.filter { key, _ in !own.contains { $0.key == key } }.flatMap { $0.owners[0].facts.keys }
        var parts: [OrderedJSON] = []
        if kind == .slack {
            let others = own.dropFirst().map { OrderedJSON.isRequired($0.keys) }
            parts = [["oneOf": [.isRequired(own[0].keys), ["allOf": .array(others)]]]]
        } else {
            parts = own.filter(\.isRequired).map { .isRequired($0.keys) }
        }
        if kind == .email {
            let login = [["username"], ["password", "password_file"]]
            let none = OrderedJSON.object(login.joined().map { ($0, false) })
            parts.append(["anyOf": [["allOf": .array(login.map { .isRequired($0) })], ["properties": none]]])
        }
        if kind.isPager { parts.append(["properties": ["notify": ["items": ["not": ["const": "changes"]]]]]) }
        let values = own.map { ($0.key, $0.shape.schema) } + foreign.map { ($0, OrderedJSON.bool(false)) }
        parts.append(["properties": .object(values)])
        return [
            "if": ["required": ["type"], "properties": ["type": ["const": .string(kind.rawValue)]]],
            "then": ["allOf": .array(parts)],
        ]
    }
}

extension SettingFacts {
    /// As if it were required: null is not a value.
    fileprivate var given: SettingFacts {
        var facts = self
        facts.isRequired = true
        return facts
    }
}
