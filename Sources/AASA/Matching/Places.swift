// The places in a text that a match can have come to, as bits: one step of a pattern moves them all.

/// A set of places from the start of a range to its end, both included.
struct Places: Equatable {
    private var words: [UInt64]
    private let count: Int

    private init(count: Int) {
        self.count = count
        words = Array(repeating: 0, count: count / 64 + 1)
    }

    private var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Whether the steps match the whole range of a text. The count is raised by the words of bits and the single places
    /// that were looked at.
    static func follow(
        _ pattern: [PatternStep], in text: [Unicode.Scalar], _ range: Range<Int>, isFolded: Bool, steps: inout Int
    ) -> Bool {
        var places = Places(count: range.count)
        places.insert(0)
        var walk = Walk(text: text, range: range, isFolded: isFolded)
        walk.advance(&places, pattern)
        steps += walk.steps
        return places.contains(range.count)
    }

    private func contains(_ place: Int) -> Bool { words[place / 64] & 1 << UInt64(place % 64) != 0 }

    private mutating func insert(_ place: Int) { words[place / 64] |= 1 << UInt64(place % 64) }

    private mutating func formUnion(_ other: Places) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    /// Adds every place behind the first.
    private mutating func fillFromFirst() {
        guard let first = words.firstIndex(where: { $0 != 0 }) else { return }
        words[first] = ~0 << UInt64(words[first].trailingZeroBitCount)
        for index in words.indices.dropFirst(first + 1) { words[index] = ~0 }
        clearBeyondEnd()
    }

    /// Keeps those in the mask, and moves them on by one.
    private mutating func step(through mask: Places) {
        var carry: UInt64 = 0
        for index in words.indices {
            let kept = words[index] & mask.words[index]
            words[index] = kept << 1 | carry
            carry = kept >> 63
        }
    }

    /// Keeps those that a test lets pass, and moves them on by one.
    /// - Returns: how many were tested.
    private mutating func step(where passes: (Int) -> Bool) -> Int {
        var next = Places(count: count)
        var tested = 0
        forEach { place in
            guard place < count else { return }
            tested += 1
            if passes(place) { next.insert(place + 1) }
        }
        self = next
        return tested
    }

    private mutating func clearBeyondEnd() {
        let used = count % 64 + 1
        if used < 64, let last = words.indices.last { words[last] &= 1 << UInt64(used) - 1 }
    }

    private func forEach(_ body: (Int) -> Void) {
        for index in words.indices {
            var word = words[index]
            while word != 0 {
                body(index * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }

    /// One pattern's way through one text.
    private struct Walk {
        let text: [Unicode.Scalar]
        let range: Range<Int>
        let isFolded: Bool
        var steps = 0
        /// Where each literal of the pattern stands in the text.
        private var masks: [Unicode.Scalar: Places] = [:]

        init(text: [Unicode.Scalar], range: Range<Int>, isFolded: Bool) {
            self.text = text
            self.range = range
            self.isFolded = isFolded
        }

        mutating func advance(_ places: inout Places, _ pattern: [PatternStep]) {
            for step in pattern {
                steps += places.words.count
                if places.isEmpty { return }
                switch step {
                case .anyRun: places.fillFromFirst()
                case .scalar(let scalar):
                    if let mask = mask(of: step, for: scalar) {
                        places.step(through: mask)
                    } else {
                        let (text, start) = (text, range.lowerBound)
                        steps += places.step { text[start + $0] == scalar }
                    }
                case .anyScalar, .scalarClass:
                    places.step(through: mask(of: step))
                case .choice(let choice): advance(&places, choice.side(isFolded))
                }
            }
        }

        private mutating func advance(_ places: inout Places, _ side: Choice.Side) {
            var next = Places(count: places.count)
            var looked = 0
            places.forEach { place in
                for texts in side.texts {
                    guard place + texts.width <= places.count else { break }
                    looked += 1
                    if texts.contains(text, at: range.lowerBound + place) { next.insert(place + texts.width) }
                }
            }
            steps += looked
            for pattern in side.patterns {
                var copy = places
                advance(&copy, pattern)
                next.formUnion(copy)
            }
            places = next
        }

        /// - Returns: nil where there are too many already: then each character is rare, and so are its places.
        private mutating func mask(of step: PatternStep, for scalar: Unicode.Scalar) -> Places? {
            if let known = masks[scalar] { return known }
            guard masks.count < 256 else { return nil }
            let made = mask(of: step)
            masks[scalar] = made
            return made
        }

        private mutating func mask(of step: PatternStep) -> Places {
            var made = Places(count: range.count)
            for place in 0..<range.count where step.takes(text[range.lowerBound + place], isFolded: isFolded) {
                made.insert(place)
            }
            steps += range.count
            return made
        }
    }
}
