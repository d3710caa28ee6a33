/// The values of a variable, sorted so that the ones without wildcards are looked up and not tried one by one.
final class Choice: Sendable {
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
        let exact = Side(values.map { $0.map(PatternStep.init) }, isFolded: false)
        self.exact = exact
        trialWeight = exact.texts.reduce(2) { $0 + 8 + $1.width } + exact.patterns.reduce(0) { $0 + 1 + $1.count }
        folded = Side(values.map { $0.map { PatternStep($0).folded } }, isFolded: true)
    }

    func side(_ isFolded: Bool) -> Side { isFolded ? folded : exact }

    /// For one way of looking at case.
    final class Side: Sendable {
        /// One for each width that occurs.
        let texts: [Texts]
        /// Values with wildcards or classes.
        let patterns: [[PatternStep]]
        let leastWidth: Int
        /// All values, where they have one width and no wildcards.
        let fixedTexts: Texts?

        init(_ values: [[PatternStep]], isFolded: Bool) {
            var literals: [Int: [[Unicode.Scalar]]] = [:]
            var patterns: [[PatternStep]] = []
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

        /// Whether the text at a place is one of them. The place and the width lie within the text.
        func contains(_ text: [Unicode.Scalar], at place: Int) -> Bool {
            var low = 0
            var high = count
            while low < high {
                let middle = (low + high) / 2
                var offset = 0
                while offset < width, sorted[middle * width + offset] == text[place + offset] { offset += 1 }
                if offset == width { return true }
                if sorted[middle * width + offset] < text[place + offset] { low = middle + 1 } else { high = middle }
            }
            return false
        }
    }
}
