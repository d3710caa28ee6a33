// Yams compares the keys of a mapping while it parses, and follows aliases for that. A key made of aliases of aliases
// would keep it busy for years, before any bound of ours is asked. So such a text is recognised beforehand, from its
// characters alone; values made of aliases need no such care, they are counted when the tree is converted.

enum AliasExpansion {
    /// Nodes that Yams may have to look at for its keys; a second of work or so.
    private static let maximumWork = 20_000_000.0

    /// Whether the text may have a list, a mapping or an alias as a key, and aliases enough to make that expensive.
    ///
    /// It errs on the side of yes, for texts with many anchors that are used many times.
    static func isExcessive(_ text: String) -> Bool {
        guard text.contains("&"), text.contains("*") else { return false }
        var uses: [Substring: Int] = [:]
        for match in text.matches(of: #/\*([A-Za-z0-9_\-]+)/#) { uses[match.1, default: 0] += 1 }
        // If each anchor's content used the one before as often as that is used at all.
        let factor = uses.values.reduce(1.0) { $0 * Double($1 + 1) }
        guard factor * Double(text.utf8.count) > maximumWork else { return false }
        return text.contains(#/\?\s|\*[A-Za-z0-9_\-]+\s*:|[\]}]\s*:/#)
    }
}
