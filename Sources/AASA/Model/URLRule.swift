// One rule of an entry: a component, or a path of the older format, with everything that decides whether a URL matches.
// https://developer.apple.com/documentation/bundleresources/applinks/details/components

/// One rule of an entry: an object of `components`, or a string of `paths`. The first rule that matches a URL decides.
/// https://developer.apple.com/documentation/bundleresources/applinks/details/components
public struct URLRule: Sendable {
    public enum Form: Sendable, Hashable {
        /// An object of `components`.
        case component
        /// A string of `paths`.
        case path
        /// An element of the wrong type, or an entry without a list of rules. Apple lets it match every URL.
        case wrongType
    }

    /// The condition on the query of a URL.
    public enum Query: Sendable, Hashable {
        case any
        /// A pattern for the whole query, without `?`.
        case whole(Pattern)
        /// Patterns for single query items, in file order. Other items of the URL are ignored.
        case items(QueryItems)
    }

    public let form: Form
    /// If true, a URL that matches does not open the app.
    public let isExclusion: Bool
    /// nil: any path.
    public let path: Pattern?
    public let query: Query
    /// nil: any fragment.
    public let fragment: Pattern?
    public let isCaseSensitive: Bool
    /// If true, patterns match the percent-encoded URL; if false, the decoded URL. Patterns are never decoded.
    public let isPercentEncoded: Bool
    let place: Place
    package let node: JSONNode
    /// Cheap to compute, because each pattern stores its own cost.
    var cost: Cost { Cost(path) + Cost(fragment) + Cost(query) }

    /// The place of a rule in the file. `pointer` is built only on demand: keys may be long, and rules many.
    struct Place: Hashable, Sendable {
        /// The JSON pointer of the entry, or of `apps` in a file without `details`.
        let entry: String
        /// The index of the entry, which identifies it.
        let number: Int
        let list: List
        let index: Int

        enum List: String, Sendable {
            case components, paths
            /// No list: the entry itself acts as the rule.
            case none
        }

        static func == (left: Place, right: Place) -> Bool {
            left.number == right.number && left.index == right.index && left.list == right.list
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(number)
            hasher.combine(list)
            hasher.combine(index)
        }
    }

    /// The JSON pointer of the rule (RFC 6901), such as `/applinks/details/0/components/2`.
    public var pointer: String {
        place.list == .none ? place.entry : "\(place.entry)/\(place.list.rawValue)/\(place.index)"
    }

    /// Whether every URL matches.
    package var isUnconstrained: Bool {
        // Every path begins with a slash.
        (path.map { $0.isUnconstrained || $0.elements == [.scalar("/"), .anyRun] } ?? true)
            && Cost(query).isUnconstrained && (fragment?.isUnconstrained ?? true)
    }
}

extension URLRule {
    /// A component: its own keys first, then the entry's defaults, then those of applinks. Defaults may have any key.
    init(component node: JSONNode, defaults: RuleSettings, _ variables: SubstitutionVariables, place: Place) {
        guard node.members != nil else {
            self.init(matchingEverything: node, place: place)
            return
        }
        let settings = RuleSettings(node, variables).over(defaults)
        self.init(
            form: .component, isExclusion: settings.isExclusion ?? false, path: settings.path?.pattern,
            query: settings.query ?? .any, fragment: settings.fragment?.pattern,
            isCaseSensitive: settings.isCaseSensitive ?? true, isPercentEncoded: settings.isPercentEncoded ?? true,
            place: place, node: node)
    }

    /// A path: always case-sensitive. A leading `NOT ` excludes. Query and fragment do not count.
    init(path node: JSONNode, _ variables: SubstitutionVariables, place: Place) {
        guard let text = node.string else {
            self.init(matchingEverything: node, place: place)
            return
        }
        // By bytes: to String, a space and a combining mark after it are one Character.
        let isExclusion =
            text.utf8.prefix(3).map { $0 | 0x20 } == Array("not".utf8) && text.utf8.dropFirst(3).first == 0x20
        let pattern = Pattern(
            isExclusion ? String(text.utf8.dropFirst(4)) ?? text : text, isPath: true, variables: variables)
        self.init(
            form: .path, isExclusion: isExclusion, path: pattern, query: .any, fragment: nil, isCaseSensitive: true,
            isPercentEncoded: true, place: place, node: node)
    }

    init(matchingEverything node: JSONNode, place: Place) {
        self.init(
            form: .wrongType, isExclusion: false, path: nil, query: .any, fragment: nil, isCaseSensitive: true,
            isPercentEncoded: true, place: place, node: node)
    }
}

/// The settings of one object: a component's own, or `defaults` for components that lack a key. Each object is read
/// once; all rules that inherit from it share the result.
struct RuleSettings: Sendable {
    /// A key that exists. Without a pattern (a value of the wrong type) it constrains nothing.
    struct Constraint: Sendable {
        let pattern: Pattern?
    }

    private(set) var path: Constraint?
    private(set) var query: URLRule.Query?
    private(set) var fragment: Constraint?
    private(set) var isExclusion: Bool?
    private(set) var isCaseSensitive: Bool?
    private(set) var isPercentEncoded: Bool?

    /// The last of duplicate keys counts, as everywhere in this library.
    init(_ node: JSONNode?, _ variables: SubstitutionVariables) {
        var (path, query, fragment): (JSONNode?, JSONNode?, JSONNode?)
        for member in node?.members ?? [] {
            switch member.name {
            case "/": path = member.value
            case "?": query = member.value
            case "#": fragment = member.value
            case "exclude": isExclusion = LenientBoolean.read(member.value)
            case "caseSensitive": isCaseSensitive = LenientBoolean.read(member.value)
            case "percentEncoded": isPercentEncoded = LenientBoolean.read(member.value)
            default: continue
            }
        }
        self.path = path.map { .init(pattern: $0.string.map { Pattern($0, isPath: true, variables: variables) }) }
        self.query = query.map { Self.query($0, variables) }
        self.fragment = fragment.map {
            .init(pattern: $0.string.map { Pattern($0, isPath: false, variables: variables) })
        }
    }

    /// These settings; `outer` supplies the missing ones.
    func over(_ outer: RuleSettings) -> RuleSettings {
        var merged = self
        merged.path = path ?? outer.path
        merged.query = query ?? outer.query
        merged.fragment = fragment ?? outer.fragment
        merged.isExclusion = isExclusion ?? outer.isExclusion
        merged.isCaseSensitive = isCaseSensitive ?? outer.isCaseSensitive
        merged.isPercentEncoded = isPercentEncoded ?? outer.isPercentEncoded
        return merged
    }

    /// A string, or an object of strings. One value of another type makes Apple drop the whole constraint.
    private static func query(_ node: JSONNode, _ variables: SubstitutionVariables) -> URLRule.Query {
        if let text = node.string { return .whole(Pattern(text, isPath: false, variables: variables)) }
        guard let members = node.lastMembers, !members.isEmpty else { return .any }
        var items: [QueryItems.Item] = []
        for member in members {
            guard let text = member.value.string else { return .any }
            items.append(.init(name: member.key, pattern: Pattern(text, isPath: false, variables: variables)))
        }
        return .items(QueryItems(items))
    }
}

/// The conditions on single query items, in file order. A URL must meet all of them; a missing item counts as empty.
/// A class, because thousands of rules can share one long list through `defaults`.
public final class QueryItems: Sendable, RandomAccessCollection, Hashable {
    public struct Item: Sendable, Hashable {
        public let name: String
        public let pattern: Pattern
        /// The name in the form in which the matcher looks it up.
        let key: [Unicode.Scalar]

        init(name: String, pattern: Pattern) {
            self.name = name
            self.pattern = pattern
            key = Array(name.unicodeScalars)
        }
    }

    private let items: [Item]
    /// The items whose pattern is not just `*`, in file order.
    let constrained: [Item]
    /// nil if a pattern has a fault: then no URL matches.
    let key: RuleKey.Query?
    let cost: URLRule.Cost

    init(_ items: [Item]) {
        self.items = items
        constrained = items.filter { !$0.pattern.isUnconstrained }
        key = RuleKey.Query(constrained)
        cost = URLRule.Cost(items)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { items.count }
    public subscript(index: Int) -> Item { items[index] }

    public static func == (left: QueryItems, right: QueryItems) -> Bool {
        left === right || left.items == right.items
    }

    /// Hashes only the count and the first name: lists that differ only in the rest are rare.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(first?.key)
    }
}

extension URLRule {
    struct Cost: Sendable {
        /// The cost of one pass over the patterns, values of variables included.
        var weight = 0
        /// The cost of trying one URL.
        var trialWeight = 0
        /// The number of wildcards and variables. A variable with very many values counts as several.
        var wildcards = 0
        /// Whether every URL matches.
        var isUnconstrained = true

        init(_ pattern: Pattern?) {
            guard let pattern else { return }
            (weight, trialWeight, wildcards) = (pattern.weight, pattern.trialWeight, pattern.wildcardWeight)
            isUnconstrained = pattern.isUnconstrained
        }

        init(_ query: Query) {
            self.init(Pattern?.none)
            switch query {
            case .any: break
            case .whole(let pattern): self = Cost(pattern)
            case .items(let items): self = items.cost
            }
        }

        init(_ items: [QueryItems.Item]) {
            self.init(Pattern?.none)
            for item in items {
                weight += item.key.count
                trialWeight += item.key.count
                wildcards += 1
                self = self + Cost(item.pattern)
            }
        }

        static func + (left: Cost, right: Cost) -> Cost {
            var sum = left
            sum.weight += right.weight
            sum.trialWeight += right.trialWeight
            sum.wildcards += right.wildcards
            sum.isUnconstrained = left.isUnconstrained && right.isUnconstrained
            return sum
        }
    }

    /// The cost of one pass over the rule's patterns.
    var weight: Int { 8 + cost.weight }

    /// The cost of trying one URL.
    var trialWeight: Int { 8 + cost.trialWeight }
}

/// Booleans as Apple reads them: numbers and strings are converted. Only `true` and `false` are safe to write.
enum LenientBoolean {
    /// `null`, arrays and objects are false, even for `caseSensitive` and `percentEncoded`, whose default is true.
    static func read(_ node: JSONNode) -> Bool {
        switch node.value {
        case .bool(let value): value
        case .number(let lexeme): Double(lexeme).map { $0 != 0 } ?? false
        case .string(let text): isTrue(text)
        case .null, .array, .object: false
        }
    }

    /// Like NSString's boolValue: after white space, a sign and zeros, Y, y, T, t or a digit from 1 to 9 is true.
    private static func isTrue(_ text: String) -> Bool {
        var rest = text.drop(while: \.isWhitespace)
        if let sign = rest.first, sign == "+" || sign == "-" { rest = rest.dropFirst() }
        rest = rest.drop { $0 == "0" }
        return rest.first.map { "YyTt123456789".contains($0) } ?? false
    }
}

extension JSONNode {
    /// The members of an object, only the last one of each key.
    var lastMembers: [JSONMember]? {
        guard let members, members.count > 1 else { return members }
        var seen: Set<ExactText> = []
        let kept = members.reversed().filter { seen.insert(ExactText($0.key)).inserted }
        return kept.reversed()
    }
}

/// A rule on one line: as the file writes it, and in a form for comparing two files.
extension URLRule {
    /// The rule as the file writes it, on one line, without its `comment`.
    public var written: String { written(limit: .max) }

    /// The same, cut after about `limit` bytes.
    func written(limit: Int) -> String {
        switch (form, node.value) {
        // Here the node is a whole entry without a list of rules.
        case (.wrongType, .object), (.wrongType, .array): return "(no list of rules: every URL)"
        case (.component, .object(let members)):
            let shown = members.lazy.filter { $0.key != "comment" }.prefix(limit)
            return JSONNode(value: .object(Array(shown)), range: node.range).written(limit: limit)
        default: return node.written(limit: limit)
        }
    }

    /// Equal for rules with the same meaning, even if one is a path and the other a component. Ignores `defaults`,
    /// which the diff reports separately. Texts are in quotes, so that a `?` in a path does not look like a query.
    var ownMeaning: String {
        switch form {
        case .wrongType: "any"
        case .path: (isExclusion ? "NOT " : "") + (path?.text ?? "").writtenAsJSON
        case .component: meaningOfComponent
        }
    }

    private var meaningOfComponent: String {
        var text = (node["/"]?.string ?? "*").writtenAsJSON
        if let query = node["?"] {
            if let string = query.string {
                text += "?\(string.writtenAsJSON)"
            } else if let members = query.members {
                let items = members.map { "\($0.key.writtenAsJSON)=\(($0.value.string ?? "*").writtenAsJSON)" }
                text += "?{\(items.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: "&"))}"
            }
        }
        if let fragment = node["#"]?.string { text += "#\(fragment.writtenAsJSON)" }
        for flag in ["caseSensitive", "percentEncoded"] {
            if let node = node[flag] { text += " (\(flag): \(LenientBoolean.read(node)))" }
        }
        return node["exclude"].map(LenientBoolean.read) ?? false ? "NOT \(text)" : text
    }
}
