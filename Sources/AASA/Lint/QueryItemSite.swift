// A condition on one item of the query, with what is wrong about the item's name.

struct QueryItemSite {
    enum Fault: Equatable {
        /// A character that stands in no encoded URL.
        case notEncoded(Unicode.Scalar)
        /// The name begins with the sign that divides the query from the path, or one item from the next.
        case leadingSign(Unicode.Scalar)
        /// A sign that ends a name, so that none holds it.
        case dividingSign(Unicode.Scalar)
    }

    let member: JSONMember
    let pointer: String
    let pattern: Pattern
    let rule: URLRule

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
        guard rule.isPercentEncoded else { return nil }
        if let sign = scalars.first(where: { $0 == "&" || $0 == "#" }) { return .dividingSign(sign) }
        return scalars.first { $0.value <= 0x20 || $0.value >= 0x7F }.map { .notEncoded($0) }
    }

    /// Whether the condition holds whatever the URL, since a missing item has the empty value and the pattern takes
    /// everything.
    var takesAll: Bool { pattern.isUnconstrained }

    /// What becomes of the rule where no item has the name: it counts as missing, and a missing item as empty.
    var consequence: String {
        guard pattern.elements != nil else { return "the rule never matches" }
        return pattern.matches([], isCaseSensitive: rule.isCaseSensitive)
            ? "the item counts as missing, and the condition holds for every URL"
            : "the item counts as missing, and the rule never matches"
    }
}
