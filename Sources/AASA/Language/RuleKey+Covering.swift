// Whether one rule takes all that another one can match, told from their patterns alone. Often it is so and is not seen
// here; then the automata decide.

extension RuleKey {
    /// - Returns: false also where it is not plain to see.
    func plainlyCovers(_ other: RuleKey) -> Bool {
        guard isPercentEncoded == other.isPercentEncoded, !isCaseSensitive || other.isCaseSensitive else {
            return false
        }
        func covers(_ own: [PatternElement]?, _ theirs: [PatternElement]?) -> Bool {
            guard let own else { return true }
            return Self.covers(own, theirs ?? [.anyRun], isCaseSensitive)
        }
        guard covers(path, other.path), covers(fragment, other.fragment) else { return false }
        switch (query, other.query) {
        case (.any, _): return true
        case (.whole(let own), .whole(let theirs)): return covers(own, theirs)
        default: return query == other.query && isCaseSensitive == other.isCaseSensitive
        }
    }

    /// A pattern run over another pattern, whose elements stand for themselves.
    private static func covers(
        _ pattern: [PatternElement], _ text: [PatternElement], _ isCaseSensitive: Bool
    ) -> Bool {
        // The search below takes the product at worst.
        guard pattern.count * text.count <= 40_000 else { return false }
        var (place, step) = (0, 0)
        var retry: (place: Int, step: Int)?
        while place < text.count {
            if step < pattern.count, pattern[step] == .anyRun {
                step += 1
                retry = (place, step)
            } else if step < pattern.count, pattern[step].plainlyTakes(text[place], isCaseSensitive) {
                (place, step) = (place + 1, step + 1)
            } else if let last = retry {
                retry = (last.place + 1, last.step)
                (place, step) = (last.place + 1, last.step)
            } else {
                return false
            }
        }
        return pattern[step...].allSatisfy { $0 == .anyRun }
    }
}

extension PatternElement {
    /// Whether an element other than `*` takes each text that the other one takes.
    fileprivate func plainlyTakes(_ other: PatternElement, _ isCaseSensitive: Bool) -> Bool {
        switch (self, other) {
        case (_, .anyRun): false
        case (.anyScalar, .scalar), (.anyScalar, .anyScalar), (.anyScalar, .scalarClass): true
        case (_, .scalar(let scalar)): takes(scalar, isCaseSensitive)
        default: self == other
        }
    }
}
