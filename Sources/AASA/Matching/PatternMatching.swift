// Whether a pattern matches a whole text. The literal ends decide most patterns; most others need backtracking to a
// single place. If that takes too long, or if a variable has values of several lengths, the matcher follows all
// possible places at once. Its work is then bounded for any number of wildcards.

extension Pattern {
    /// `text` is one part of a URL, encoded or decoded as the rule says. Case-insensitive comparison uses ASCII and
    /// simple one-to-one case mappings.
    func matches(_ text: [Unicode.Scalar], isCaseSensitive: Bool) -> Bool {
        guard let program else { return false }
        return isCaseSensitive ? program.exact.matches(text) : program.folded.matches(text.map(\.folded))
    }

    /// The same for a text that stores its folded form. No match if the meter runs out.
    func matches(_ text: MatchSubject.Text, isCaseSensitive: Bool, _ meter: WorkMeter) -> Bool {
        guard let program else { return false }
        var steps = 1
        let isMatch =
            isCaseSensitive
            ? program.exact.matches(text.exact, steps: &steps, limit: meter.left)
            : program.folded.matches(text.folded, steps: &steps, limit: meter.left)
        return meter.use(steps) && isMatch
    }
}

extension PatternProgram.Form {
    /// The text must be folded if the form is.
    func matches(_ text: [Unicode.Scalar]) -> Bool {
        var steps = 0
        return matches(text, steps: &steps)
    }

    /// Adds the places that were looked at to `steps`. No match beyond the limit.
    func matches(_ text: [Unicode.Scalar], steps: inout Int, limit: Int = .max) -> Bool {
        guard text.count >= leastCount else { return false }
        let end = text.count - tail.count
        for index in head.indices where head[index] != text[index] {
            steps += index / 8
            return false
        }
        steps += (head.count + tail.count) / 8
        for index in tail.indices where tail[index] != text[end + index] { return false }
        switch middle {
        case .nothing: return text.count == leastCount
        case .anything: return true
        case .fixedWidths:
            // One pass decides nearly all texts. A text made to be slow goes to the other method.
            let limit = 8 * (text.count + elements.count) + 64
            if let verdict = matchesFixedWidths(text, head.count..<end, limit: limit, steps: &steps) { return verdict }
            fallthrough
        case .places:
            // Starting this method costs more than one place.
            steps += 16
            return Places.follow(
                elements, in: text, head.count..<end, isFolded: isFolded, steps: &steps, limit: limit)
        }
    }

    /// For each stretch between two `*`, the leftmost place is as good as any, so backtracking needs only the last `*`.
    /// - Returns: nil if the limit of steps was reached.
    private func matchesFixedWidths(
        _ text: [Unicode.Scalar], _ range: Range<Int>, limit: Int, steps count: inout Int
    ) -> Bool? {
        var next = 0
        var place = range.lowerBound
        var afterRun: Int?
        var retry = place
        var left = limit
        var compared = 0
        defer { count += limit - left + compared }
        while true {
            left -= 1
            if left <= compared { return nil }
            if next == elements.count {
                if place == range.upperBound { return true }
            } else if case .anyRun = elements[next] {
                next += 1
                if next == elements.count { return true }
                afterRun = next
                retry = place
                continue
            } else if let width = elements[next].fixedWidth(
                in: text, at: place, before: range.upperBound, isFolded, steps: &compared)
            {
                next += 1
                place += width
                continue
            }
            guard let afterRun, retry < range.upperBound else { return false }
            retry += 1
            place = retry
            next = afterRun
        }
    }
}

extension PatternElement {
    /// How many scalars the element takes at a place; nil if it does not match. Only for elements of fixed width.
    fileprivate func fixedWidth(
        in text: [Unicode.Scalar], at place: Int, before end: Int, _ isFolded: Bool, steps: inout Int
    ) -> Int? {
        if case .choice(let choice) = self {
            guard let texts = choice.side(isFolded).fixedTexts, place + texts.width <= end else { return nil }
            return texts.contains(text, at: place, steps: &steps) ? texts.width : nil
        }
        return place < end && takes(text[place], isFolded: isFolded) ? 1 : nil
    }

    /// Whether an element of one character takes this one. Both are folded if `isFolded`.
    func takes(_ scalar: Unicode.Scalar, isFolded: Bool) -> Bool {
        if case .scalar(let own) = self { own == scalar } else { takes(scalar, !isFolded) }
    }

    /// Whether an element of one character takes this one.
    func takes(_ scalar: Unicode.Scalar, _ isCaseSensitive: Bool) -> Bool {
        switch self {
        case .scalar(let own): own == scalar || (!isCaseSensitive && own.folded == scalar.folded)
        case .anyScalar: true
        case .scalarClass(let scalarClass):
            scalarClass.contains(scalar)
                || (!isCaseSensitive && scalarClass.contains(scalar.folded))
                || (!isCaseSensitive && scalarClass.contains(scalar.unfolded))
        case .anyRun, .choice: false
        }
    }
}

extension Unicode.Scalar {
    /// The lower-case form if it is one scalar; otherwise the scalar itself.
    var folded: Unicode.Scalar {
        if value < 0x80 { return ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self }
        let lower = properties.lowercaseMapping.unicodeScalars
        return lower.count == 1 ? lower.first ?? self : self
    }

    /// The upper-case form if it is one scalar; otherwise the scalar itself.
    var unfolded: Unicode.Scalar {
        if value < 0x80 { return ("a"..."z").contains(self) ? Unicode.Scalar(UInt8(value) - 32) : self }
        let upper = properties.uppercaseMapping.unicodeScalars
        return upper.count == 1 ? upper.first ?? self : self
    }
}

/// The places of a text that a match can have reached, as a bit set. Each step of a pattern moves all of them at once.
/// Place 0 is the start of the range, and `count` is its end.
struct Places: Equatable {
    private var words: [UInt64]
    private let count: Int

    private init(count: Int) {
        self.count = count
        words = Array(repeating: 0, count: count / 64 + 1)
    }

    private var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Whether the pattern matches the whole range. Adds the words of bits and the single places that were looked at to
    /// `steps`. No match beyond the limit.
    static func follow(
        _ pattern: [PatternElement], in text: [Unicode.Scalar], _ range: Range<Int>, isFolded: Bool, steps: inout Int,
        limit: Int = .max
    ) -> Bool {
        var places = Places(count: range.count)
        places.insert(0)
        var walk = Walk(text: text, range: range, isFolded: isFolded, limit: limit)
        walk.advance(&places, pattern)
        steps += walk.steps
        return walk.steps < limit && places.contains(range.count)
    }

    private func contains(_ place: Int) -> Bool { words[place / 64] & 1 << UInt64(place % 64) != 0 }

    private mutating func insert(_ place: Int) { words[place / 64] |= 1 << UInt64(place % 64) }

    private mutating func formUnion(_ other: Places) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    /// Adds every place after the first one.
    private mutating func fillFromFirst() {
        guard let first = words.firstIndex(where: { $0 != 0 }) else { return }
        words[first] = ~0 << UInt64(words[first].trailingZeroBitCount)
        for index in words.indices.dropFirst(first + 1) { words[index] = ~0 }
        clearBeyondEnd()
    }

    /// Keeps the places in the mask and moves them on by one.
    private mutating func step(through mask: Places) {
        var carry: UInt64 = 0
        for index in words.indices {
            let kept = words[index] & mask.words[index]
            words[index] = kept << 1 | carry
            carry = kept >> 63
        }
    }

    /// Keeps the places that pass the test and moves them on by one.
    /// - Returns: how many places were tested.
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

    /// One run of a pattern over a text.
    private struct Walk {
        let text: [Unicode.Scalar]
        let range: Range<Int>
        let isFolded: Bool
        let limit: Int
        var steps = 0
        /// The places of each literal of the pattern in the text.
        var masks: [Unicode.Scalar: Places] = [:]

        mutating func advance(_ places: inout Places, _ pattern: [PatternElement]) {
            for step in pattern {
                steps += places.words.count
                if places.isEmpty || steps >= limit { return }
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
            let left = limit - steps
            places.forEach { place in
                for texts in side.texts where looked < left {
                    guard place + texts.width <= places.count else { break }
                    looked += 1
                    if texts.contains(text, at: range.lowerBound + place, steps: &looked) {
                        next.insert(place + texts.width)
                    }
                }
            }
            steps += looked
            for pattern in side.patterns where steps < limit {
                var copy = places
                advance(&copy, pattern)
                next.formUnion(copy)
            }
            places = next
        }

        /// - Returns: nil if there are too many masks already: then each character is rare, and so are its places.
        private mutating func mask(of step: PatternElement, for scalar: Unicode.Scalar) -> Places? {
            if let known = masks[scalar] { return known }
            guard masks.count < 256 else { return nil }
            let made = mask(of: step)
            masks[scalar] = made
            return made
        }

        private mutating func mask(of step: PatternElement) -> Places {
            var made = Places(count: range.count)
            for place in 0..<range.count where step.takes(text[range.lowerBound + place], isFolded: isFolded) {
                made.insert(place)
            }
            steps += range.count
            return made
        }
    }
}

/// The two forms of a pattern that the matcher runs: case-sensitive and folded.
final class PatternProgram: Sendable {
    let exact: Form
    /// For texts that are folded too.
    let folded: Form

    init(_ elements: [PatternElement]) {
        exact = Form(elements, isFolded: false)
        // Most patterns contain nothing that depends on case.
        folded = elements.contains(where: \.dependsOnCase) ? Form(elements.map(\.folded), isFolded: true) : exact
    }

    /// The pattern for case-sensitive or for folded comparison.
    final class Form: Sendable {
        /// Whether texts are folded and classes take both cases.
        let isFolded: Bool
        /// The literal text at the start of a match.
        let head: [Unicode.Scalar]
        /// The literal text at the end of a match; it does not overlap the head.
        let tail: [Unicode.Scalar]
        /// The minimum length of a match in scalars, head and tail included.
        let leastCount: Int
        let middle: Middle
        /// The elements between head and tail.
        let elements: [PatternElement]

        /// How to match what is between head and tail.
        enum Middle: Sendable {
            case nothing
            case anything
            /// Each element but `*` has a fixed width, so backtracking to one place is enough.
            case fixedWidths
            /// Values have several widths or contain wildcards, so all places are followed at once.
            case places
        }

        init(_ all: [PatternElement], isFolded: Bool) {
            let head = all.prefix { $0.literal != nil }.compactMap(\.literal)
            var elements = all[head.count...]
            let tail = elements.reversed().prefix { $0.literal != nil }.compactMap(\.literal).reversed()
            elements = elements.dropLast(tail.count)
            self.isFolded = isFolded
            self.head = head
            self.tail = Array(tail)
            self.elements = Array(elements)
            leastCount = head.count + tail.count + elements.reduce(0) { $0 + $1.leastWidth(isFolded: isFolded) }
            if elements.isEmpty {
                middle = .nothing
            } else if elements == [.anyRun] {
                middle = .anything
            } else {
                middle = elements.allSatisfy { $0.hasFixedWidth(isFolded: isFolded) } ? .fixedWidths : .places
            }
        }
    }
}

extension PatternElement {
    /// The cost of one pass over the element.
    var weight: Int {
        if case .choice(let choice) = self { choice.weight } else { 1 }
    }

    /// One for each wildcard or variable. A variable with very many values counts as several.
    var wildcardWeight: Int {
        switch self {
        case .scalar: 0
        case .anyRun, .anyScalar, .scalarClass: 1
        case .choice(let choice): 1 + choice.values.count / 600
        }
    }

    /// The cost of trying the element on a text.
    var trialWeight: Int {
        if case .choice(let choice) = self { min(choice.trialWeight, choice.weight) } else { 1 }
    }

    var literal: Unicode.Scalar? {
        if case .scalar(let scalar) = self { scalar } else { nil }
    }

    var folded: PatternElement {
        if case .scalar(let scalar) = self { .scalar(scalar.folded) } else { self }
    }

    fileprivate var dependsOnCase: Bool {
        switch self {
        case .scalar(let scalar): scalar.folded != scalar
        case .scalarClass, .choice: true
        case .anyScalar, .anyRun: false
        }
    }

    fileprivate func hasFixedWidth(isFolded: Bool) -> Bool {
        if case .choice(let choice) = self { choice.side(isFolded).fixedTexts != nil } else { true }
    }

    func leastWidth(isFolded: Bool) -> Int {
        switch self {
        case .anyRun: 0
        case .scalar, .anyScalar, .scalarClass: 1
        case .choice(let choice): choice.side(isFolded).leastWidth
        }
    }
}

/// The values of a variable, sorted so that a binary search finds those without wildcards. A class, because each
/// pattern of a file may use the same long list.
final class Choice: Sendable, Hashable {
    let values: [[PatternElement]]
    /// The cost of one pass over all values.
    let weight: Int
    /// The cost of trying one text: a binary search for values without wildcards, a trial of each other value.
    let trialWeight: Int
    private let exact: Side
    private let folded: Side

    init(_ values: [[PatternElement]]) {
        self.values = values
        weight = values.reduce(2) { $0 + 1 + $1.count }
        let exact = Side(values, isFolded: false)
        self.exact = exact
        trialWeight = exact.texts.reduce(2) { $0 + 8 + $1.width } + exact.patterns.reduce(0) { $0 + 1 + $1.count }
        folded = Side(values.map { $0.map(\.folded) }, isFolded: true)
    }

    func side(_ isFolded: Bool) -> Side { isFolded ? folded : exact }

    static func == (left: Choice, right: Choice) -> Bool { left === right || left.values == right.values }

    /// Hashes only the count: there may be thousands, and patterns that differ only in their values are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(values.count) }

    /// The values for case-sensitive or for folded comparison.
    final class Side: Sendable {
        /// One for each width that occurs, in ascending order.
        let texts: [Texts]
        /// Values with wildcards.
        let patterns: [[PatternElement]]
        let leastWidth: Int
        /// All values, if they have one width and no wildcards.
        let fixedTexts: Texts?

        init(_ values: [[PatternElement]], isFolded: Bool) {
            var literals: [Int: [[Unicode.Scalar]]] = [:]
            var patterns: [[PatternElement]] = []
            for value in values {
                let text = value.compactMap(\.literal)
                if text.count == value.count {
                    literals[text.count, default: []].append(text)
                } else {
                    patterns.append(value)
                }
            }
            texts = literals.sorted { $0.key < $1.key }.map { Texts($0.value, width: $0.key) }
            self.patterns = patterns
            leastWidth = values.map { $0.reduce(0) { $0 + $1.leastWidth(isFolded: isFolded) } }.min() ?? 1
            fixedTexts = patterns.isEmpty && texts.count <= 1 ? texts.first ?? Texts([], width: 1) : nil
        }
    }

    /// A set of texts of one width, in scalars.
    struct Texts: Sendable {
        let width: Int
        /// All texts in ascending order, joined.
        private let sorted: [Unicode.Scalar]
        private let count: Int

        init(_ texts: [[Unicode.Scalar]], width: Int) {
            self.width = width
            let ordered = texts.sorted { $0.lexicographicallyPrecedes($1) }
            sorted = ordered.flatMap { $0 }
            count = ordered.count
        }

        /// Whether the text at a place is in the set. The place and the width must be within the text. Adds the
        /// comparisons to `steps`: long values may differ only at their ends.
        func contains(_ text: [Unicode.Scalar], at place: Int, steps: inout Int) -> Bool {
            var low = 0
            var high = count
            while low < high {
                let middle = (low + high) / 2
                var offset = 0
                while offset < width, sorted[middle * width + offset] == text[place + offset] { offset += 1 }
                steps += offset / 4
                if offset == width { return true }
                if sorted[middle * width + offset] < text[place + offset] { low = middle + 1 } else { high = middle }
            }
            return false
        }
    }
}
