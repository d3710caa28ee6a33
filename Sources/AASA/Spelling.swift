/// Finds the word that somebody probably meant.
package enum Spelling {
    /// The candidate nearest to `word`, at most two edits away (a letter added, removed or replaced, or two swapped).
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let word = Array(word.lowercased().unicodeScalars)
        // No candidate is longer: the longest are host names.
        guard (1...253).contains(word.count) else { return nil }
        let best =
            candidates
            .map { (name: $0, form: Array($0.lowercased().unicodeScalars)) }
            .filter { abs($0.form.count - word.count) <= 2 }
            .map { (name: $0.name, distance: distance(word, $0.form)) }
            // A word of three letters is two edits away from nearly everything.
            .filter { $0.distance <= 2 && $0.distance * 2 <= max(word.count, 2) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best?.name
    }

    /// `; did you mean 'interval'?`, or nothing.
    package static func suggestion(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The number of insertions, deletions, replacements and swaps of neighbors between the two: the Damerau-Levenshtein
    /// distance in its "optimal string alignment" form.
    package static func distance<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
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
