// How messages quote the text of the file, and which words they suggest for misspelled ones.

import Evidence

/// Quotes text of the file without secrets. Webhook URLs, passwords in URLs and signing secrets can be under wrong keys
/// and in wrong places, so messages quote every text of the file through this type.
enum Quotation {
    /// The text in quotation marks, without a signing secret, and of a URL only the scheme and the host.
    static func of(_ text: String) -> String {
        var shown = text
        if let secret = shown.firstRange(of: "whsec_") { shown = shown[..<secret.upperBound] + "…" }
        if let scheme = shown.firstRange(of: "://") {
            let authority = shown[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            let isWhole = authority.endIndex == shown.endIndex
            shown = shown[..<scheme.upperBound] + host + (isWhole ? "" : "/…")
        }
        return "'\(shown.displayable.shortened(to: 60))'"
    }

    /// A key in quotation marks, up to the first character that no known key has: `url:https://…` becomes `url…`.
    static func ofKey(_ key: String) -> String {
        let name = key.prefix { isKeyCharacter($0) }
        return name.count == key.count && name.count <= 40 ? "'\(name)'" : "'\(name.prefix(40))…'"
    }

    private static func isKeyCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_-.<".contains(character))
    }
}

/// Finds the word that the user probably meant.
package enum Spelling {
    /// The candidate nearest to `word`, at most two edits away (a letter added, removed or replaced, or two swapped).
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let word = word.lowercased()
        // No candidate is that long, and the table below would grow.
        guard (1...64).contains(word.unicodeScalars.count) else { return nil }
        let best =
            candidates
            .map { (name: $0, distance: distance(word, $0.lowercased())) }
            // A word of three letters is two edits away from nearly everything.
            .filter { $0.distance <= 2 && $0.distance * 2 <= max(word.count, 2) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best?.name
    }

    /// `; did you mean 'interval'?`, or nothing.
    package static func suggestion(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The Damerau-Levenshtein distance in its "optimal string alignment" form.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.unicodeScalars)
        let right = Array(right.unicodeScalars)
        if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row] + [Int](repeating: 0, count: right.count)
            for column in 1...right.count {
                let differs = left[row - 1] == right[column - 1] ? 0 : 1
                current[column] = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + differs)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    current[column] = min(current[column], beforeLast[column - 2] + 1)
                }
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
