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

    /// What a rule asks of the query.
    public enum Query: Sendable, Hashable {
        case any
        /// The whole query, still encoded.
        case whole(Pattern)
        /// Single items, in the order of the file; items that are not listed do not count.
        case items(QueryItems)
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
    let place: Place
    package let node: JSONNode
    /// What its patterns cost; each has summed it up already.
    var cost: Cost { Cost(path) + Cost(fragment) + Cost(query) }

    /// Where a rule stands. The text is made where it is asked for: a key of the file may be long, and its rules many.
    struct Place: Hashable, Sendable {
        /// The pointer of the entry, or of what stands for one.
        let entry: String
        /// Its number in the file, which tells entries apart.
        let number: Int
        let list: List
        let index: Int

        enum List: String, Sendable {
            case components, paths
            /// The entry itself.
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

    /// RFC 6901, such as `/applinks/details/0/components/2`.
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
    /// A component: its own keys first, then the entry's defaults, then those of applinks. Any key is taken over.
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

    /// A path: always case-sensitive, `NOT ` in front excludes; query and fragment do not count.
    init(path node: JSONNode, _ variables: SubstitutionVariables, place: Place) {
        guard let text = node.string else {
            self.init(matchingEverything: node, place: place)
            return
        }
        // Bytes, since a blank with a combining mark behind it is one character.
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

/// What an object says about rules: a component about itself, `defaults` about the components that say nothing else. Read
/// once for each object, and shared by all that take it over.
struct RuleSettings: Sendable {
    /// A key that is there. Without a pattern it is no constraint.
    struct Constraint: Sendable {
        let pattern: Pattern?
    }

    private(set) var path: Constraint?
    private(set) var query: URLRule.Query?
    private(set) var fragment: Constraint?
    private(set) var isExclusion: Bool?
    private(set) var isCaseSensitive: Bool?
    private(set) var isPercentEncoded: Bool?

    /// Of a key that stands twice the last one counts, as everywhere here.
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

    /// These, and for what they do not say the others.
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

/// The conditions on the items of a query, and what was worked out about all of them. By reference: a file may give one list
/// of thousands to each of its rules.
public final class QueryItems: Sendable, RandomAccessCollection, Hashable {
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

    private let items: [Item]
    /// Those that not every item meets, in the order of the file.
    let constrained: [Item]
    /// nil where one is at fault: no URL meets it.
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

    /// By their number and the first name alone: lists that differ in the rest are rare.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(first?.key)
    }
}

extension URLRule {
    struct Cost: Sendable {
        /// To look at them once, values of variables included.
        var weight = 0
        /// To try a URL.
        var trialWeight = 0
        /// Wildcards and variables, those of very many values as several.
        var wildcards = 0
        /// Whether nothing of it keeps a URL away.
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

    /// What it costs to look at the rule's patterns once.
    var weight: Int { 8 + cost.weight }

    /// What it costs to try a URL.
    var trialWeight: Int { 8 + cost.trialWeight }
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

extension JSONNode {
    /// The members of an object without those that a later one of the same key replaces.
    var lastMembers: [JSONMember]? {
        guard let members, members.count > 1 else { return members }
        var seen: Set<ExactText> = []
        let kept = members.reversed().filter { seen.insert(ExactText($0.key)).inserted }
        return kept.reversed()
    }
}

/// A rule in one line: as people read it in the file, and as two files are compared by it.
extension URLRule {
    /// The rule as the file has it, on one line and without its comment.
    public var written: String { written(limit: .max) }

    /// The same, cut where it is longer; a little more may come.
    func written(limit: Int) -> String {
        switch (form, node.value) {
        // An entry without a list of rules stands in place of one.
        case (.wrongType, .object), (.wrongType, .array): return "(no list of rules: every URL)"
        case (.component, .object(let members)):
            let shown = members.lazy.filter { $0.key != "comment" }.prefix(limit)
            return JSONNode(value: .object(Array(shown)), range: node.range).written(limit: limit)
        default: return node.written(limit: limit)
        }
    }

    /// Equal for rules that say the same, be one of them a path and the other a component. Without what `defaults` add,
    /// which are a difference of their own. Texts are in quotes, so that a path with a question mark is no query.
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
