// Whether a text matches a pattern, whole. Most patterns are decided by their literal ends, most others with one place to
// go back to. Where that would take long, or values of several widths have to be tried, all places in the text that a
// match can have come to are followed at once: the work is bounded whatever the wildcards.

extension Pattern {
    /// Takes a part of a URL in the form in which it is compared. Without regard to case, ASCII and simple one-to-one case
    /// mappings count as equal.
    func matches(_ text: [Unicode.Scalar], isCaseSensitive: Bool) -> Bool {
        guard let program else { return false }
        return isCaseSensitive ? program.exact.matches(text) : program.folded.matches(text.map(\.folded))
    }

    /// For a text that has its folded form at hand.
    func matches(_ text: MatchSubject.Text, isCaseSensitive: Bool) -> Bool {
        guard let program else { return false }
        return isCaseSensitive ? program.exact.matches(text.exact) : program.folded.matches(text.folded)
    }
}

extension PatternProgram.Form {
    /// The text comes folded, where the form is.
    func matches(_ text: [Unicode.Scalar]) -> Bool {
        var steps = 0
        return matches(text, steps: &steps)
    }

    /// The count is raised by the places that were looked at, for tests of the bound.
    func matches(_ text: [Unicode.Scalar], steps: inout Int) -> Bool {
        guard text.count >= leastCount else { return false }
        let end = text.count - tail.count
        for index in head.indices where head[index] != text[index] { return false }
        for index in tail.indices where tail[index] != text[end + index] { return false }
        switch middle {
        case .nothing: return text.count == leastCount
        case .anything: return true
        case .fixedWidths:
            // Nearly all texts are decided in one pass; those made to cost time are not pursued so.
            let limit = 8 * (text.count + self.steps.count) + 64
            if let verdict = matchesFixedWidths(text, head.count..<end, limit: limit, steps: &steps) { return verdict }
            fallthrough
        case .places:
            return Places.follow(self.steps, in: text, head.count..<end, isFolded: isFolded, steps: &steps)
        }
    }

    /// The leftmost place for each stretch between two `*` is as good as any: only the last `*` is ever gone back to.
    /// - Returns: nil where the limit of steps was reached.
    private func matchesFixedWidths(
        _ text: [Unicode.Scalar], _ range: Range<Int>, limit: Int, steps count: inout Int
    ) -> Bool? {
        var step = 0
        var place = range.lowerBound
        var afterRun: Int?
        var retry = place
        var left = limit
        defer { count += limit - left }
        while true {
            left -= 1
            if left == 0 { return nil }
            if step == steps.count {
                if place == range.upperBound { return true }
            } else if case .anyRun = steps[step] {
                step += 1
                if step == steps.count { return true }
                afterRun = step
                retry = place
                continue
            } else if let width = steps[step].fixedWidth(in: text, at: place, before: range.upperBound, isFolded) {
                step += 1
                place += width
                continue
            }
            guard let afterRun, retry < range.upperBound else { return false }
            retry += 1
            place = retry
            step = afterRun
        }
    }
}

extension PatternStep {
    /// How much it takes at a place, or nil where it does not match there. For steps of a fixed width only.
    fileprivate func fixedWidth(
        in text: [Unicode.Scalar], at place: Int, before end: Int, _ isFolded: Bool
    ) -> Int? {
        if case .choice(let choice) = self {
            guard let texts = choice.side(isFolded).fixedTexts, place + texts.width <= end else { return nil }
            return texts.contains(text, at: place) ? texts.width : nil
        }
        return place < end && takes(text[place], isFolded: isFolded) ? 1 : nil
    }

    /// Whether a step of one character takes this one.
    func takes(_ scalar: Unicode.Scalar, isFolded: Bool) -> Bool {
        switch self {
        case .scalar(let own): own == scalar
        case .anyScalar: true
        case .scalarClass(let scalarClass): PatternElement.scalarClass(scalarClass).takes(scalar, !isFolded)
        case .anyRun, .choice: false
        }
    }
}

extension PatternElement {
    /// Whether an element of one character takes this one.
    func takes(_ scalar: Unicode.Scalar, _ isCaseSensitive: Bool) -> Bool {
        switch self {
        case .scalar(let own): own == scalar || (!isCaseSensitive && own.folded == scalar.folded)
        case .anyScalar: true
        case .scalarClass(let scalarClass):
            scalarClass.contains(scalar)
                || (!isCaseSensitive && scalarClass.contains(scalar.folded))
                || (!isCaseSensitive && scalarClass.contains(scalar.unfolded))
        case .anyRun, .oneOf: false
        }
    }
}

extension Unicode.Scalar {
    /// The lower-case form where that is one scalar.
    var folded: Unicode.Scalar {
        if value < 0x80 { return ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self }
        let lower = properties.lowercaseMapping.unicodeScalars
        return lower.count == 1 ? lower.first ?? self : self
    }

    /// The upper-case form where that is one scalar.
    var unfolded: Unicode.Scalar {
        if value < 0x80 { return ("a"..."z").contains(self) ? Unicode.Scalar(UInt8(value) - 32) : self }
        let upper = properties.uppercaseMapping.unicodeScalars
        return upper.count == 1 ? upper.first ?? self : self
    }
}
