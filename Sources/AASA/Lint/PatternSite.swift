// A place where a pattern stands in the file, with what decides how it is read.

struct PatternSite {
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

    /// The text as it is compared, each variable a mere "$": a name within `$(...)` is none of the pattern's characters.
    var literal: String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        var result = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            result.unicodeScalars.append(scalar)
            guard scalar == "$", rest.first == "(", let close = rest.firstIndex(of: ")") else { continue }
            rest = rest[rest.index(after: close)...]
        }
        return result
    }

    /// All patterns that an entry's own components and paths hold, the older `paths` beside `components` included.
    static func all(of entry: AppLinks.Entry) -> [PatternSite] { (entry.rules + entry.olderRules).flatMap(all(of:)) }

    static func all(of rule: URLRule) -> [PatternSite] {
        if rule.form == .path, let path = rule.path {
            return [
                PatternSite(
                    part: .path, text: path.text, node: rule.node, pointer: rule.pointer, pattern: path, rule: rule)
            ]
        }
        guard rule.form == .component else { return [] }
        var sites: [PatternSite] = []
        if let node = rule.node["/"], let text = node.string {
            sites.append(
                PatternSite(
                    part: .path, text: text, node: node, pointer: rule.pointer + "/~1", pattern: rule.path, rule: rule))
        }
        if let node = rule.node["?"] {
            if let text = node.string {
                let pattern: Pattern? = if case .whole(let pattern) = rule.query { pattern } else { nil }
                sites.append(
                    PatternSite(
                        part: .query, text: text, node: node, pointer: rule.pointer + "/?", pattern: pattern, rule: rule
                    ))
            }
            let items: [URLRule.Query.Item] = if case .items(let items) = rule.query { items } else { [] }
            for (index, member) in (node.lastMembers ?? []).enumerated() {
                guard let text = member.value.string else { continue }
                sites.append(
                    PatternSite(
                        part: .queryItem, text: text, node: member.value,
                        pointer: "\(rule.pointer)/?/\(member.key.escapedForPointer)",
                        pattern: items.indices.contains(index) ? items[index].pattern : nil, rule: rule))
            }
        }
        if let node = rule.node["#"], let text = node.string {
            sites.append(
                PatternSite(
                    part: .fragment, text: text, node: node, pointer: rule.pointer + "/#", pattern: rule.fragment,
                    rule: rule))
        }
        return sites
    }
}
