// The forms of values: how each is read, what its messages say, its JSON Schema and its words in the documentation.

import Evidence
import Facts

extension Form where Value == Duration {
    /// The range for durations without their own.
    private static var usual: ClosedRange<Duration> { .seconds(0.1)...Duration.seconds(3650 * 86_400) }

    static var duration: Form { .duration(in: usual) }

    /// Both ends of `range` are allowed. `takesNull`: whether null counts as absent.
    static func duration(in range: ClosedRange<Duration>, takesNull: Bool = false) -> Form {
        let (least, most) = (range.lowerBound.notation, range.upperBound.notation)
        let words = range == usual ? "at least \(least)" : "\(least) to \(most)"
        let units = "([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$"
        let pattern = (range.contains(.zero) ? "^" : "^(?=.*[1-9])") + units
        let schema: OrderedJSON = ["type": "string", "pattern": .string(.orVariable(pattern)), "minLength": 2]
        return Form(
            shape: Shape(words: "duration, \(words)", schema: schema, takesNull: takesNull),
            show: { .string($0.notation) }
        ) {
            field in
            guard let (text, _) = field.scalar("a duration such as 5m") else { return nil }
            let duration: Duration
            do throws(DurationFault) {
                duration = try parseDuration(text.value)
            } catch {
                let found = field.node.summary(isConcealed: field.isConcealed)
                field.reading.error(
                    "expected a duration such as 5m for '\(field.key)' \(field.section.title), found "
                        + "\(found)\(text.reason(error.reason))", at: text.position)
                return nil
            }
            guard range.contains(duration) else {
                return field.refuse(text, "must be \(least) to \(most), found \(text.quoted)")
            }
            return duration
        }
    }
}

extension Form where Value == Duration? {
    /// null is a value, which differs from an absent key.
    static var durationOrNull: Form {
        let form = Form<Duration>.duration
        let shape = Shape(words: form.shape.words + ", or null", schema: form.shape.schema.orNull)
        return Form(shape: shape, show: { $0.map(form.show) ?? .null }) { field in
            if field.node.isNull { return .some(nil) }
            return form.read(field).map { .some($0) }
        }
    }
}

extension Form where Value == Int {
    static func integer(in range: ClosedRange<Int>) -> Form {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        let schema: OrderedJSON = [
            "type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
        ]
        let shape = Shape(words: "\(range.lowerBound) to \(range.upperBound)", schema: .orVariable(schema))
        return Form(shape: shape, show: { .integer($0) }) { field in
            field.bare(expected) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
        }
    }
}

extension Form where Value == Double {
    /// A number above zero.
    static func number(upTo maximum: Int) -> Form {
        let schema: OrderedJSON = ["type": "number", "exclusiveMinimum": 0, "maximum": .integer(maximum)]
        let shape = Shape(words: "number above 0, up to \(maximum)", schema: .orVariable(schema))
        return Form(shape: shape, show: { .number($0) }) { field in
            field.bare("a number above 0 and up to \(maximum)") { text in
                // `Double` would also read `0x10`, `inf` and `nan`.
                let isDecimal = text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
                return Double(text).flatMap { isDecimal && $0 > 0 && $0 <= Double(maximum) ? $0 : nil }
            }
        }
    }
}

extension Form where Value == Bool {
    static var boolean: Form {
        let shape = Shape(words: "`true`, `false`", schema: .orVariable(["type": "boolean"]))
        return Form(shape: shape, show: { .bool($0) }) { field in
            field.bare("true or false") { text in
                switch text {
                case "true", "True", "TRUE": true
                case "false", "False", "FALSE": false
                default: nil
                }
            }
        }
    }
}

extension Form where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    /// One of the words of an enumeration.
    static var choice: Form {
        let words = Value.allCases.map(\.rawValue)
        let expected = "one of \(words.joined(separator: ", "))"
        return Form(shape: .oneOf(words), show: { .string($0.rawValue) }) { field in
            guard let (text, _) = field.scalar(expected) else { return nil }
            return Value(rawValue: text.value)
                ?? field.mismatch(expected, isConcealed: false, text.suggestion(among: words))
        }
    }
}

extension Shape {
    /// `summary`: for the documentation, in place of the words.
    static func oneOf(_ words: [String], words summary: String? = nil) -> Shape {
        let schema = OrderedJSON.orVariable(["enum": .array(words.map { .string($0) })])
        return Shape(words: summary ?? words.map { "`\($0)`" }.joined(separator: ", "), schema: schema)
    }
}

/// Texts.
extension Form {
    /// `expected`: for messages about another type. `pattern`: for the schema. `parse` reports what is wrong.
    static func text(
        _ expected: String, words: String, pattern: String? = nil, isConcealed: Bool = false,
        parse: @escaping @Sendable (ScalarText, Field) -> Value?, show: @escaping @Sendable (Value) -> String
    ) -> Form {
        let shape = Shape(words: words, schema: .text(pattern), takesNull: true)
        return Form(shape: shape, isConcealed: isConcealed, show: { .string(show($0)) }) { field in
            field.text(expected).flatMap { parse($0, field) }
        }
    }

    /// One of some words, as an element of a list.
    static func word(
        _ expected: String, among words: [String], preposition: String = "in",
        hint: @escaping @Sendable (ScalarText) -> String? = { _ in nil },
        value: @escaping @Sendable (String) -> Value?, show: @escaping @Sendable (Value) -> String
    ) -> Form {
        Form(shape: .oneOf(words), show: { .string(show($0)) }) { field in
            guard let text = field.text(expected) else { return nil }
            return value(text.value)
                ?? field.unexpected(
                    text, "one of \(words.joined(separator: ", "))", hint(text) ?? text.suggestion(among: words),
                    word: preposition)
        }
    }
}

extension Form where Value: CustomStringConvertible & SendableMetatype {
    /// A text whose value is shown by its `description`.
    static func text(
        _ expected: String, words: String, pattern: String? = nil, isConcealed: Bool = false,
        parse: @escaping @Sendable (ScalarText, Field) -> Value?
    ) -> Form {
        text(expected, words: words, pattern: pattern, isConcealed: isConcealed, parse: parse, show: \.description)
    }

    /// A text that `parse` accepts. Otherwise the message asks for `expected`.
    static func text(
        _ expected: String, words: String, pattern: String? = nil, parse: @escaping @Sendable (String) -> Value?
    ) -> Form {
        text(expected, words: words, pattern: pattern) { parse($0.value) ?? $1.unexpected($0, expected) }
    }
}

extension Form where Value == String {
    static func text(_ expected: String, words: String = "text", isConcealed: Bool = false) -> Form {
        text(expected, words: words, isConcealed: isConcealed) { text, _ in text.value }
    }

    /// A path, resolved against the configuration's folder.
    static var path: Form { text("a path", words: "path") { $1.reading.place($0.value) } }

    /// A name that is safe in logs, metrics and command lines, and unique in its list. `kind`: what has the name.
    static func name(of kind: String) -> Form {
        let words = "1 to 64 letters, digits, `-`, `_`, `.`"
        return text("the name of a \(kind)", words: words, pattern: "^[A-Za-z0-9_.-]{1,64}$") { text, field in
            guard isName(text.value) else {
                field.reading.error(
                    "the name of a \(kind) has 1 to 64 letters, digits, '-', '_' and '.'", at: text.position)
                return nil
            }
            if let line = field.section.siblings?.line(before: text) {
                field.reading.error(
                    "\(kind) \(text.quoted) is listed twice; first at line \(line)", at: text.position)
            }
            return text.value
        }
    }

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
}

/// Lists and mappings.
extension Form {
    /// `check`: the rules of the whole list.
    static func list<Element>(
        of element: Form<Element>, atLeast least: Int? = nil, atMost most: Int? = nil, isUnique: Bool = false,
        check: @escaping @Sendable ([SourceNode], [Element], Field) -> [Element] = { _, elements, _ in elements }
    ) -> Form where Value == [Element] {
        var schema: [(String, OrderedJSON)] = [("type", "array"), ("items", element.shape.schema)]
        if let least { schema.append(("minItems", .integer(least))) }
        if let most { schema.append(("maxItems", .integer(most))) }
        if isUnique { schema.append(("uniqueItems", true)) }
        let limit = most.map { ", at most \($0)" } ?? ""
        let shape = Shape(
            words: "list of \(element.shape.words)\(element.shape.words == "mapping" ? "s" : "")\(limit)",
            schema: .object(schema), takesNull: true,
            settings: element.shape.settings, isList: true)
        let show: @Sendable ([Element]) -> OrderedJSON = { .array($0.map { element.show($0).withoutNulls }) }
        return Form(shape: shape, isConcealed: element.isConcealed, show: show) { field in
            guard let nodes = field.elements() else { return nil }
            let siblings = Siblings()
            let elements = nodes.compactMap { node in
                element.read(field.element(node, siblings))
            }
            return check(nodes, elements, field)
        }
    }

    /// A section. `check`: the rules about several settings.
    static func mapping(
        _ settings: [Setting<Value>], _ initial: Value, _ kind: MappingKind = .section, isConcealed: Bool = false,
        schema rules: OrderedJSON = .object([]),
        check: @escaping @Sendable (inout Value, Section) -> Void = { _, _ in }
    ) -> Form where Value: Sendable {
        let facts = settings.map { $0.facts(in: initial) }
        let shape = Shape(words: "mapping", schema: .mapping(facts, rules), takesNull: true, settings: facts)
        return Form(shape: shape, isConcealed: isConcealed, show: { settings.show($0) }) { field in
            guard let entries = field.entries(kind.expected) else { return nil }
            let section = field.section(entries, title: kind.title(of: field, entries))
            var value = initial
            section.read(settings, into: &value)
            check(&value, section)
            return value
        }
    }
}

/// How messages name a mapping.
enum MappingKind: Sendable {
    /// By its key.
    case section
    /// An element of a list, by the list's key. `expected`: for messages about another type.
    case part(expected: String)
    /// An element of a list, by its name if it has a valid one. `noun`: what has the name; nil: its name does not
    /// count.
    case entry(_ noun: String? = nil, expected: String)

    var expected: String {
        switch self {
        case .section: "a mapping"
        case .part(let expected), .entry(_, let expected): expected
        }
    }

    func title(of field: Field, _ entries: [SourceNode.Entry]) -> String {
        switch self {
        case .entry(let noun?, _):
            if case .scalar(let name, _) = entries.first(where: { $0.key == "name" })?.value.content,
                Form<String>.isName(name)
            {
                return "in \(noun) '\(name)'"
            }
            fallthrough
        case .entry: return "in an entry of '\(field.key)'"
        case .section where field.section.path.isEmpty: return "in '\(field.key)'"
        case .section, .part: return "in '\(field.key)' \(field.section.title)"
        }
    }
}
