// What decides which URLs a rule matches, freed of how it is written: rules with equal keys match the same URLs.

struct RuleKey: Hashable {
    /// nil: any.
    let path: [PatternElement]?
    let query: Query
    /// nil: any.
    let fragment: [PatternElement]?
    let isCaseSensitive: Bool
    let isPercentEncoded: Bool

    enum Query: Hashable {
        case any
        case whole([PatternElement])
        case items([Item])
    }

    struct Item: Hashable {
        /// By scalars: to Swift's String two spellings of one accented letter are equal.
        let name: [Unicode.Scalar]
        let pattern: [PatternElement]
    }

    /// - Returns: nil where a pattern is at fault: the rule never matches.
    init?(_ rule: URLRule) {
        var path: [PatternElement]?
        if let pattern = rule.path {
            guard let elements = pattern.elements else { return nil }
            // All paths begin with a slash.
            path = elements == [.anyRun] || elements == [.scalar("/"), .anyRun] ? nil : elements
        }
        switch rule.query {
        case .any: query = .any
        case .whole(let pattern):
            guard let elements = pattern.elements else { return nil }
            query = elements == [.anyRun] ? .any : .whole(elements)
        case .items(let listed):
            var items: [Item] = []
            for item in listed {
                guard let elements = item.pattern.elements else { return nil }
                if elements != [.anyRun] {
                    items.append(Item(name: Array(item.name.unicodeScalars), pattern: elements))
                }
            }
            query = items.isEmpty ? .any : .items(items.sorted { $0.name.lexicographicallyPrecedes($1.name) })
        }
        var fragment: [PatternElement]?
        if let pattern = rule.fragment {
            guard let elements = pattern.elements else { return nil }
            fragment = elements == [.anyRun] ? nil : elements
        }
        self.path = path
        self.fragment = fragment
        let isConstrained = path != nil || query != .any || fragment != nil
        isCaseSensitive = rule.isCaseSensitive || !isConstrained
        isPercentEncoded = rule.isPercentEncoded || !isConstrained
    }
}
