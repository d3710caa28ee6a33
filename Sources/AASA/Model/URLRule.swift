// One rule of an entry: a component, or a path of the older form, with all that decides whether a URL matches it.
// https://developer.apple.com/documentation/bundleresources/applinks/details/components

/// A component or a path.
public struct URLRule: Sendable {
    public enum Form: Sendable, Hashable {
        /// An object of `components`.
        case component
        /// A string of `paths`.
        case path
        /// An element of a wrong type: Apple's reader lets it match everything.
        case wrongType
    }

    public enum Query: Sendable, Hashable {
        case any
        /// The whole query, still encoded.
        case whole(Pattern)
        /// Single items, in the order of the file; items that are not listed do not count.
        case items([Item])

        public struct Item: Sendable, Hashable {
            public let name: String
            public let pattern: Pattern
            /// The name as the matcher looks it up.
            let key: [Unicode.Scalar]

            init(name: String, pattern: Pattern) {
                self.name = name
                self.pattern = pattern
                key = Array(name.unicodeScalars)
            }
        }
    }

    public let form: Form
    public let isExclusion: Bool
    /// nil: any path.
    public let path: Pattern?
    public let query: Query
    /// nil: any fragment.
    public let fragment: Pattern?
    public let isCaseSensitive: Bool
    /// Whether URL and pattern are compared in encoded form; where not, the URL alone is decoded.
    public let isPercentEncoded: Bool
    /// RFC 6901, such as `/applinks/details/0/components/2`.
    public let pointer: String
    public let node: JSONNode

    /// Whether every URL matches.
    public var isUnconstrained: Bool {
        // Every path begins with a slash.
        (path.map { $0.isUnconstrained || $0.elements == [.scalar("/"), .anyRun] } ?? true) && query.isUnconstrained
            && (fragment?.isUnconstrained ?? true)
    }

    init(
        form: Form, isExclusion: Bool, path: Pattern?, query: Query, fragment: Pattern?, isCaseSensitive: Bool,
        isPercentEncoded: Bool, pointer: String, node: JSONNode
    ) {
        self.form = form
        self.isExclusion = isExclusion
        self.path = path
        self.query = query
        self.fragment = fragment
        self.isCaseSensitive = isCaseSensitive
        self.isPercentEncoded = isPercentEncoded
        self.pointer = pointer
        self.node = node
    }

    /// A component: its own keys first, then the entry's defaults, then those of applinks. Any key is taken over.
    init(component node: JSONNode, defaults: [JSONNode], variables: SubstitutionVariables, pointer: String) {
        guard node.members != nil else {
            self.init(matchingEverything: node, pointer: pointer)
            return
        }
        func value(_ key: String) -> JSONNode? {
            if let own = node[key] { return own }
            for level in defaults { if let value = level[key] { return value } }
            return nil
        }
        func flag(_ key: String, _ standard: Bool) -> Bool { value(key).map(LenientBoolean.read) ?? standard }
        func pattern(_ key: String, isPath: Bool) -> Pattern? {
            value(key)?.string.map { Pattern($0, isPath: isPath, variables: variables) }
        }
        self.init(
            form: .component, isExclusion: flag("exclude", false), path: pattern("/", isPath: true),
            query: Self.query(value("?"), variables), fragment: pattern("#", isPath: false),
            isCaseSensitive: flag("caseSensitive", true), isPercentEncoded: flag("percentEncoded", true),
            pointer: pointer, node: node)
    }

    /// A path: always case-sensitive, `NOT ` in front excludes; query and fragment do not count.
    init(path node: JSONNode, variables: SubstitutionVariables, pointer: String) {
        guard let text = node.string else {
            self.init(matchingEverything: node, pointer: pointer)
            return
        }
        // Bytes, since a blank with a combining mark behind it is one character.
        let isExclusion =
            text.utf8.prefix(3).map { $0 | 0x20 } == Array("not".utf8) && text.utf8.dropFirst(3).first == 0x20
        let pattern = Pattern(
            isExclusion ? String(text.utf8.dropFirst(4)) ?? text : text, isPath: true, variables: variables)
        self.init(
            form: .path, isExclusion: isExclusion, path: pattern, query: .any, fragment: nil, isCaseSensitive: true,
            isPercentEncoded: true, pointer: pointer, node: node)
    }

    init(matchingEverything node: JSONNode, pointer: String) {
        self.init(
            form: .wrongType, isExclusion: false, path: nil, query: .any, fragment: nil, isCaseSensitive: true,
            isPercentEncoded: true, pointer: pointer, node: node)
    }

    /// A string, or an object of strings. One value of another type makes Apple drop the whole constraint.
    private static func query(_ node: JSONNode?, _ variables: SubstitutionVariables) -> Query {
        if let text = node?.string { return .whole(Pattern(text, isPath: false, variables: variables)) }
        guard let members = node?.members, !members.isEmpty else { return .any }
        var items: [Query.Item] = []
        // Of a name that stands twice the last one counts, as everywhere here.
        for member in node?.lastMembers ?? members {
            guard let text = member.value.string else { return .any }
            items.append(.init(name: member.key, pattern: Pattern(text, isPath: false, variables: variables)))
        }
        return .items(items)
    }
}

/// Booleans as Apple reads them: numbers and strings by their boolean value. Only JSON's own two are safe to write.
enum LenientBoolean {
    /// `null`, arrays and objects are false: also for `caseSensitive` and `percentEncoded`, whose default is true.
    static func read(_ node: JSONNode) -> Bool {
        switch node.value {
        case .bool(let value): value
        case .number(let lexeme): Double(lexeme).map { $0 != 0 } ?? false
        case .string(let text): isTrue(text)
        case .null, .array, .object: false
        }
    }

    /// As NSString's boolValue: white space, a sign and zeros are skipped; then Y, T or a digit from 1 to 9 is true.
    private static func isTrue(_ text: String) -> Bool {
        var rest = text.drop(while: \.isWhitespace)
        if let sign = rest.first, sign == "+" || sign == "-" { rest = rest.dropFirst() }
        rest = rest.drop { $0 == "0" }
        return rest.first.map { "YyTt123456789".contains($0) } ?? false
    }
}

extension URLRule.Query {
    var isUnconstrained: Bool {
        switch self {
        case .any: true
        case .whole(let pattern): pattern.isUnconstrained
        case .items(let items): items.allSatisfy { $0.pattern.isUnconstrained }
        }
    }
}

extension JSONNode {
    /// The members of an object without those that a later one of the same key replaces.
    var lastMembers: [JSONMember]? {
        guard let members else { return nil }
        var seen: Set<[UInt8]> = []
        let kept = members.reversed().filter { seen.insert(Array($0.key.utf8)).inserted }
        return kept.reversed()
    }
}

/// A rule in one line: as people read it in the file, and as two files are compared by it.
extension URLRule {
    /// The rule as the file has it, on one line and without its comment.
    public var written: String {
        switch (form, node.value) {
        // An entry without a list of rules stands in place of one.
        case (.wrongType, .object), (.wrongType, .array): "(no list of rules: every URL)"
        case (.component, .object(let members)):
            JSONNode(value: .object(members.filter { $0.key != "comment" }), range: node.range).written
        default: node.written
        }
    }

    /// Equal for rules that say the same, be one of them a path and the other a component. Without what `defaults` add,
    /// which are a difference of their own.
    var ownMeaning: String {
        switch form {
        case .wrongType: "any"
        case .path: (isExclusion ? "NOT " : "") + (path?.text ?? "")
        case .component: meaningOfComponent
        }
    }

    private var meaningOfComponent: String {
        var text = node["/"]?.string ?? "*"
        if let query = node["?"] {
            if let string = query.string {
                text += "?\(string)"
            } else if let members = query.members {
                text += "?" + members.map { "\($0.key)=\($0.value.string ?? "*")" }.sorted().joined(separator: "&")
            }
        }
        if let fragment = node["#"]?.string { text += "#\(fragment)" }
        for flag in ["caseSensitive", "percentEncoded"] {
            if let node = node[flag] { text += " (\(flag): \(LenientBoolean.read(node)))" }
        }
        return node["exclude"].map(LenientBoolean.read) ?? false ? "NOT \(text)" : text
    }
}

extension JSONNode {
    /// The value on one line, as people write it.
    var written: String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let lexeme): lexeme
        case .string(let text): text.writtenAsJSON
        case .array(let elements): "[" + elements.map(\.written).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { "\($0.key.writtenAsJSON): \($0.value.written)" }.joined(separator: ", ") + "}"
        }
    }
}

extension String {
    /// The text as a JSON file has it: in double quotes, with JSON's escapes for quotes, backslashes and controls.
    var writtenAsJSON: String {
        var result = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
