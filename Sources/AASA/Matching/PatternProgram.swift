// A pattern made ready for many texts: what is literal at its two ends is compared before anything else, and what lies
// between is run by the cheapest means that can decide it.

/// The two forms of a pattern that the matcher runs.
final class PatternProgram: Sendable {
    let exact: Form
    /// For texts that are folded as well.
    let folded: Form

    init(_ elements: [PatternElement]) {
        exact = Form(elements, isFolded: false)
        // Most patterns hold nothing that case has to do with.
        folded = elements.contains(where: \.dependsOnCase) ? Form(elements.map(\.folded), isFolded: true) : exact
    }

    /// For one way of looking at case.
    final class Form: Sendable {
        /// Whether texts come folded, and classes take both cases.
        let isFolded: Bool
        /// The literal text that a match begins with.
        let head: [Unicode.Scalar]
        /// The literal text that a match ends with; it does not overlap the head.
        let tail: [Unicode.Scalar]
        /// A match has at least as many scalars, head and tail included.
        let leastCount: Int
        let middle: Middle
        /// Between head and tail.
        let elements: [PatternElement]

        /// How what stands between head and tail is decided.
        enum Middle: Sendable {
            case nothing
            case anything
            /// Each element has a width known beforehand, `*` aside: one place to go back to is enough.
            case fixedWidths
            /// Values of several widths, or with wildcards of their own: all places are followed at once.
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
    /// What it costs to look at the element once.
    var weight: Int {
        if case .choice(let choice) = self { choice.weight } else { 1 }
    }

    /// One for each wildcard or variable; one with very many values counts as several.
    var wildcardWeight: Int {
        switch self {
        case .scalar: 0
        case .anyRun, .anyScalar, .scalarClass: 1
        case .choice(let choice): 1 + choice.values.count / 600
        }
    }

    /// What it costs to try the element on a text.
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

/// The values of a variable, sorted so that the ones without wildcards are looked up and not tried one by one. By
/// reference: a file may use a long list in each pattern.
final class Choice: Sendable, Hashable {
    let values: [[PatternElement]]
    /// What it costs to look at all values once.
    let weight: Int
    /// What it costs to try a text: values without wildcards are looked up.
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

    /// By their number alone: there may be thousands, and patterns that differ in their values alone are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(values.count) }

    /// For one way of looking at case.
    final class Side: Sendable {
        /// One for each width that occurs.
        let texts: [Texts]
        /// Values with wildcards or classes.
        let patterns: [[PatternElement]]
        let leastWidth: Int
        /// All values, where they have one width and no wildcards.
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

    /// A set of texts of one width.
    struct Texts: Sendable {
        let width: Int
        /// One after another, in their order.
        private let sorted: [Unicode.Scalar]
        private let count: Int

        init(_ texts: [[Unicode.Scalar]], width: Int) {
            self.width = width
            let ordered = texts.sorted { $0.lexicographicallyPrecedes($1) }
            sorted = ordered.flatMap { $0 }
            count = ordered.count
        }

        /// Whether the text at a place is one of them. The place and the width lie within the text. The count is raised by
        /// what was compared: values may be long, and differ at their ends alone.
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
