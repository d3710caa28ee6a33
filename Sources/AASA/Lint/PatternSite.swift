// Where patterns and conditions on query items stand in a file, for the rules that look at them.

/// A place where a pattern stands in the file, with what decides how it is read.
struct PatternSite: LintSite {
    enum Part {
        case path
        case query
        case queryItem
        case fragment
    }

    let part: Part
    /// As it is matched: of a path without its `NOT `.
    let text: String
    let node: JSONNode
    let pointer: String
    /// nil where Apple's reader drops the constraint that the pattern belongs to.
    let pattern: Pattern?
    let rule: URLRule
    /// What of it is written in another notation than Apple's.
    let notation: ForeignNotation?

    private init(
        _ part: Part, _ text: String, _ node: JSONNode, _ pointer: String, _ pattern: Pattern?, _ rule: URLRule,
        _ names: ForeignNotation.VariableNames
    ) {
        self.part = part
        self.text = text
        self.node = node
        self.pointer = pointer
        self.pattern = pattern
        self.rule = rule
        notation =
            pattern == nil
            ? nil
            : ForeignNotation(
                in: text, of: part, isExclusion: rule.isExclusion, isPercentEncoded: rule.isPercentEncoded,
                names: names)
    }

    var range: Range<Int> { node.range }

    /// The text as it is compared, each variable a mere "$": a name within `$(...)` is none of the pattern's characters.
    var literal: String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        var result = ""
        var rest = text.unicodeScalars[...]
        // Behind the last bracket no variable ends, and nothing is looked for.
        guard let last = rest.lastIndex(of: ")") else { return text }
        while let scalar = rest.popFirst() {
            result.unicodeScalars.append(scalar)
            guard scalar == "$", rest.first == "(", rest.startIndex < last, let close = rest.firstIndex(of: ")") else {
                continue
            }
            rest = rest[rest.index(after: close)...]
        }
        return result
    }

    /// All patterns that an entry's own components and paths hold, the older `paths` beside `components` included.
    static func all(of entry: AppLinks.Entry, _ names: ForeignNotation.VariableNames) -> [PatternSite] {
        (entry.rules + entry.olderRules).flatMap { all(of: $0, names) }
    }

    static func all(of rule: URLRule, _ names: ForeignNotation.VariableNames) -> [PatternSite] {
        if rule.form == .path, let path = rule.path {
            return [PatternSite(.path, path.text, rule.node, rule.pointer, path, rule, names)]
        }
        guard rule.form == .component else { return [] }
        var sites: [PatternSite] = []
        if let node = rule.node["/"], let text = node.string {
            sites.append(PatternSite(.path, text, node, rule.pointer + "/~1", rule.path, rule, names))
        }
        if let node = rule.node["?"] {
            if let text = node.string {
                let pattern: Pattern? = if case .whole(let pattern) = rule.query { pattern } else { nil }
                sites.append(PatternSite(.query, text, node, rule.pointer + "/?", pattern, rule, names))
            }
            let items: QueryItems? = if case .items(let items) = rule.query { items } else { nil }
            for (index, member) in (node.lastMembers ?? []).enumerated() {
                guard let text = member.value.string else { continue }
                let pattern = items.flatMap { index < $0.count ? $0[index].pattern : nil }
                sites.append(
                    PatternSite(
                        .queryItem, text, member.value, "\(rule.pointer)/?/\(member.key.escapedForPointer)", pattern,
                        rule, names))
            }
        }
        if let node = rule.node["#"], let text = node.string {
            sites.append(PatternSite(.fragment, text, node, rule.pointer + "/#", rule.fragment, rule, names))
        }
        return sites
    }
}

/// A condition on one item of the query, with what is wrong about the item's name.
struct QueryItemSite: LintSite {
    enum Fault: Equatable {
        /// A character that stands in no encoded URL.
        case notEncoded(Unicode.Scalar)
        /// The name begins with the sign that divides the query from the path, or one item from the next.
        case leadingSign(Unicode.Scalar)
        /// A sign that ends a name, so that none holds it.
        case dividingSign(Unicode.Scalar)
        /// A wildcard or a variable, which mean themselves in a name.
        case wildcard(String)
    }

    let member: JSONMember
    let pointer: String
    let pattern: Pattern
    let rule: URLRule

    var range: Range<Int> { member.keyRange }

    /// None where Apple's reader drops the whole constraint.
    static func all(of rule: URLRule) -> [QueryItemSite] {
        guard case .items(let items) = rule.query, let members = rule.node["?"]?.lastMembers,
            members.count == items.count
        else { return [] }
        return zip(members, items).map { member, item in
            QueryItemSite(
                member: member, pointer: "\(rule.pointer)/?/\(member.key.escapedForPointer)", pattern: item.pattern,
                rule: rule)
        }
    }

    /// nil where some item may have the name.
    var fault: Fault? {
        let scalars = member.key.unicodeScalars
        if let first = scalars.first, first == "?" || first == "&" && rule.isPercentEncoded {
            return .leadingSign(first)
        }
        // A decoded name may hold an escaped "&" or "#", such as R%26D; nobody escapes a "=".
        if scalars.contains("=") { return .dividingSign("=") }
        if scalars.contains("*") { return .wildcard("*") }
        if let name = UnusedVariable.names(in: member.key).first { return .wildcard("$(\(name))") }
        guard rule.isPercentEncoded else { return nil }
        if scalars.contains("?") { return .wildcard("?") }
        if let sign = scalars.first(where: { $0 == "&" || $0 == "#" }) { return .dividingSign(sign) }
        return scalars.first { $0.value <= 0x20 || $0.value >= 0x7F }.map { .notEncoded($0) }
    }

    /// Whether the condition holds whatever the URL, since a missing item has the empty value and the pattern takes
    /// everything.
    var takesAll: Bool { pattern.isUnconstrained }

    /// Whether `takesAll` is true of some item that the rule itself names.
    static func hasOneThatTakesAll(_ rule: URLRule) -> Bool {
        guard case .items(let items) = rule.query, rule.node["?"]?.members != nil else { return false }
        return items.constrained.count < items.count
    }

    /// What to write in place of a value that takes the empty one, to ask for one that is there.
    static func valueThatIsThere(_ value: JSONNode) -> String {
        "write \"?*\" in place of \(Quoted.json(value.string ?? "*"))"
    }

    /// What becomes of the rule where no item has the name: it counts as missing, and a missing item as empty.
    var consequence: String {
        guard pattern.elements != nil else { return "the rule never matches" }
        return pattern.matches([], isCaseSensitive: rule.isCaseSensitive)
            ? "the item counts as missing, and the condition holds for every URL"
            : "the item counts as missing, and the rule never matches"
    }
}
