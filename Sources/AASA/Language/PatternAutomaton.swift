// A pattern as a nondeterministic automaton over the characters of an encoded URL. If the URL is decoded before the
// comparison, the edges read its escapes. A text whose escapes are not UTF-8 is compared undecoded. So such a pattern
// has three parallel parts: for the decoded text, for the raw text, and one that shows which of them counts.

struct PatternAutomaton {
    struct Edge {
        let label: ByteSet
        let target: Int32
    }

    private(set) var edges: [[Edge]] = []
    private(set) var epsilons: [[Int32]] = []
    private(set) var starts: [Int32] = []
    /// The states with a loop for any text: earlier states of the chain no longer matter.
    private(set) var isLoop: [Bool] = []
    /// The end of the decoded part; nil if texts are compared encoded.
    private(set) var decodedEnd: Int32?
    private(set) var rawEnd: Int32 = 0
    /// The first state of the raw part; the states before it read the decoded text.
    private(set) var rawBase: Int32 = 0
    /// The first state of the part that reads well-formed UTF-8. It is active while the text so far is well-formed.
    private(set) var validityBase: Int32 = 0
    /// Cached non-ASCII characters of elements, which long patterns repeat. One automaton handles case in one way.
    private var beyondASCII: [PatternElement: [Unicode.Scalar]] = [:]
    private let meter: WorkMeter

    /// - Throws: if the automaton would exceed the budget.
    init(
        _ elements: [PatternElement], isCaseSensitive: Bool, isPercentEncoded: Bool, meter: WorkMeter
    ) throws(LanguageBudget.Exhausted) {
        self.meter = meter
        if !isPercentEncoded {
            let start = try addState()
            starts.append(start)
            decodedEnd = try append(elements, from: start, Reading(isCaseSensitive: isCaseSensitive, isDecoding: true))
        }
        rawBase = Int32(edges.count)
        let start = try addState()
        starts.append(start)
        rawEnd = try append(elements, from: start, Reading(isCaseSensitive: isCaseSensitive, isDecoding: false))
        validityBase = Int32(edges.count)
        if !isPercentEncoded {
            starts.append(try addState())
            try addAnyCharacter(from: validityBase, to: validityBase)
        }
    }

    struct Reading {
        let isCaseSensitive: Bool
        let isDecoding: Bool
    }

    mutating func addState() throws(LanguageBudget.Exhausted) -> Int32 {
        try meter.spend(8)
        // Including one or two edges.
        try meter.take(192)
        edges.append([])
        epsilons.append([])
        isLoop.append(false)
        return Int32(edges.count - 1)
    }

    mutating func addEdge(_ label: ByteSet, from source: Int32, to target: Int32) {
        if !label.isEmpty { edges[Int(source)].append(Edge(label: label, target: target)) }
    }

    /// Adds a chain of elements.
    /// - Returns: its last state.
    private mutating func append(
        _ elements: [PatternElement], from start: Int32, _ reading: Reading
    ) throws(LanguageBudget.Exhausted) -> Int32 {
        var current = start
        for element in elements {
            switch element {
            case .anyRun:
                try addAny(from: current, to: current, reading)
                isLoop[Int(current)] = true
            case .anyScalar:
                let next = try addState()
                try addAny(from: current, to: next, reading)
                current = next
            case .scalar, .scalarClass:
                let next = try addState()
                try addSet([element], from: current, to: next, reading)
                current = next
            case .choice(let choice):
                // Each element of a value becomes a tree node, which costs more than one pass over it.
                let count = choice.weight
                try meter.spend(8 * count)
                try meter.take(160 * count)
                defer { meter.giveBack(160 * count) }
                let tree = ValueTree(choice.values, isCaseSensitive: reading.isCaseSensitive)
                let join = try append(tree, from: current, reading)
                current = join
            }
        }
        return current
    }

    /// Adds the values of a variable.
    /// - Returns: their common end state. It has the highest number, so that states are numbered along the chain.
    private mutating func append(
        _ tree: ValueTree, from source: Int32, _ reading: Reading
    ) throws(LanguageBudget.Exhausted) -> Int32 {
        var places = [Int32](repeating: source, count: tree.nodes.count)
        // The root needs its own state, because a value may begin with `*`, which loops.
        places[0] = try addState()
        epsilons[Int(source)].append(places[0])
        var ends: [Int32] = []
        var last: [(source: Int32, elements: [PatternElement])] = []
        for (number, node) in tree.nodes.enumerated() {
            let start = places[number]
            if node.isEnd { ends.append(start) }
            var elements: [PatternElement] = []
            for branch in node.branches {
                if branch.element.isOneOfSome, tree.nodes[branch.node].branches.isEmpty {
                    elements.append(branch.element)
                    // No state for this node: its last character leads directly to the common end.
                    places[branch.node] = -1
                    continue
                }
                let next = try addState()
                places[branch.node] = next
                switch branch.element {
                case .anyRun:
                    // Its own state, so that the other branches do not loop. Not in `isLoop`, which would drop branches
                    // with lower numbers: they may accept other texts.
                    epsilons[Int(start)].append(next)
                    try addAny(from: next, to: next, reading)
                case .anyScalar: try addAny(from: start, to: next, reading)
                case .scalar, .scalarClass: try addSet([branch.element], from: start, to: next, reading)
                case .choice: break
                }
            }
            if !elements.isEmpty { last.append((start, elements)) }
        }
        let join = try addState()
        for end in ends where end >= 0 { epsilons[Int(end)].append(join) }
        for (source, elements) in last { try addSet(elements, from: source, to: join, reading) }
        return join
    }

    private mutating func addAny(
        from source: Int32, to target: Int32, _ reading: Reading
    ) throws(LanguageBudget.Exhausted) {
        if reading.isDecoding {
            try addAnyCharacter(from: source, to: target)
        } else {
            addEdge(.url, from: source, to: target)
        }
    }

    private mutating func beyondASCII(_ element: PatternElement, _ reading: Reading) -> [Unicode.Scalar] {
        if let known = beyondASCII[element] { return known }
        let characters = element.charactersBeyondASCII(reading.isCaseSensitive)
        beyondASCII[element] = characters
        return characters
    }

    /// One character of any of these elements.
    private mutating func addSet(
        _ elements: [PatternElement], from source: Int32, to target: Int32, _ reading: Reading
    ) throws(LanguageBudget.Exhausted) {
        try meter.spend(8 * elements.count)
        var ascii = ByteSet([])
        for element in elements { ascii.formUnion(element.ascii(reading.isCaseSensitive)) }
        guard reading.isDecoding else {
            addEdge(ascii.intersection(.url), from: source, to: target)
            return
        }
        addEdge(ascii.intersection(.unescaped), from: source, to: target)
        if !ascii.isEmpty { try addEscapes(of: ascii, from: source, to: target) }
        let characters =
            elements.count == 1
            ? beyondASCII(elements[0], reading) : Set(elements.flatMap { beyondASCII($0, reading) }).sorted()
        for scalar in characters {
            try addEscapes(of: scalar, from: source, to: target)
        }
    }
}

extension PatternElement {
    /// The ASCII characters that an element of one character matches.
    fileprivate func ascii(_ isCaseSensitive: Bool) -> ByteSet {
        guard case .scalar(let own) = self else {
            return ByteSet(where: { takes(Unicode.Scalar($0), isCaseSensitive) })
        }
        // A scalar that does not fold to ASCII equals no ASCII character.
        let forms = isCaseSensitive ? [own] : [own.folded, own.folded.unfolded]
        return ByteSet(forms.filter(\.isASCII).map { UInt8(ascii: $0) })
    }

    fileprivate var isOneOfSome: Bool {
        switch self {
        case .scalar, .scalarClass: true
        case .anyScalar, .anyRun, .choice: false
        }
    }
}

/// Edges for escapes: one character as percent-encoded UTF-8, with hexadecimal digits in either case.
extension PatternAutomaton {
    /// Any character: unescaped, or as the escapes of well-formed UTF-8 (Unicode, table 3-7).
    mutating func addAnyCharacter(from source: Int32, to target: Int32) throws(LanguageBudget.Exhausted) {
        addEdge(.unescaped, from: source, to: target)
        let one = try addEscape(high: [0x8, 0x9, 0xA, 0xB], to: target)
        let two = try addEscape(high: [0x8, 0x9, 0xA, 0xB], to: one)
        let three = try addEscape(high: [0x8, 0x9, 0xA, 0xB], to: two)
        let first = try addState()
        addEdge(.percent, from: source, to: first)
        try addByte(high: 0...7, low: 0...15, from: first, to: target)
        try addByte(high: [0xC], low: 2...15, from: first, to: one)
        try addByte(high: [0xD], low: 0...15, from: first, to: one)
        let lead = try addState()
        addEdge(.hexDigits([0xE]), from: first, to: lead)
        addEdge(.hexDigits([0x0]), from: lead, to: try addEscape(high: [0xA, 0xB], to: one))
        addEdge(.hexDigits([0xD]), from: lead, to: try addEscape(high: [0x8, 0x9], to: one))
        addEdge(.hexDigits([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15]), from: lead, to: two)
        let longLead = try addState()
        addEdge(.hexDigits([0xF]), from: first, to: longLead)
        addEdge(.hexDigits([0x0]), from: longLead, to: try addEscape(high: [0x9, 0xA, 0xB], to: two))
        addEdge(.hexDigits([1, 2, 3]), from: longLead, to: three)
        addEdge(.hexDigits([0x4]), from: longLead, to: try addEscape(high: [0x8], to: two))
    }

    /// The escapes of ASCII characters, even of those that need no escape.
    mutating func addEscapes(
        of ascii: ByteSet, from source: Int32, to target: Int32
    ) throws(LanguageBudget.Exhausted) {
        let first = try addState()
        addEdge(.percent, from: source, to: first)
        var lows = [ByteSet](repeating: ByteSet([]), count: 8)
        var rest = ascii
        while let byte = rest.popFirst() { lows[Int(byte >> 4)].formUnion(.hexDigit(byte & 15)) }
        for (high, low) in lows.enumerated() where !low.isEmpty {
            let middle = try addState()
            addEdge(.hexDigit(UInt8(high)), from: first, to: middle)
            addEdge(low, from: middle, to: target)
        }
    }

    /// The escapes of one character.
    mutating func addEscapes(
        of scalar: Unicode.Scalar, from source: Int32, to target: Int32
    ) throws(LanguageBudget.Exhausted) {
        let bytes = Array(String(scalar).utf8)
        var current = source
        for (index, byte) in bytes.enumerated() {
            let first = try addState()
            addEdge(.percent, from: current, to: first)
            let next = index == bytes.count - 1 ? target : try addState()
            try addByte(high: [byte >> 4], low: [byte & 15], from: first, to: next)
            current = next
        }
    }

    /// A continuation byte with its `%`.
    /// - Returns: its first state.
    private mutating func addEscape(high: [UInt8], to target: Int32) throws(LanguageBudget.Exhausted) -> Int32 {
        let start = try addState()
        let first = try addState()
        addEdge(.percent, from: start, to: first)
        try addByte(high: high, low: 0...15, from: first, to: target)
        return start
    }

    private mutating func addByte(
        high: some Sequence<UInt8>, low: some Sequence<UInt8>, from source: Int32, to target: Int32
    ) throws(LanguageBudget.Exhausted) {
        let middle = try addState()
        addEdge(.hexDigits(high), from: source, to: middle)
        addEdge(.hexDigits(low), from: middle, to: target)
    }
}

extension PatternElement {
    /// The non-ASCII characters that an element of one character matches. Not for `?`.
    func charactersBeyondASCII(_ isCaseSensitive: Bool) -> [Unicode.Scalar] {
        var candidates: Set<Unicode.Scalar> = []
        if case .scalar(let own) = self {
            candidates = [own]
            if !isCaseSensitive {
                let folded = own.folded
                candidates.formUnion([folded, folded.unfolded])
                let title = folded.properties.titlecaseMapping.unicodeScalars
                if title.count == 1 { candidates.formUnion(title) }
                candidates.formUnion(Self.foldedApart)
            }
        } else if !isCaseSensitive {
            candidates = Self.foldedApart
        }
        return candidates.filter { $0.value >= 0x80 && takes($0, isCaseSensitive) }.sorted()
    }

    /// Characters whose case mapping does not lead back to them, such as the Kelvin sign.
    private static let foldedApart: Set<Unicode.Scalar> = [
        "\u{130}", "\u{131}", "\u{17F}", "\u{3F4}", "\u{1E9E}", "\u{2126}", "\u{212A}", "\u{212B}",
    ]
}

/// The values of a variable as a prefix tree: `$(region)` has hundreds of values of two letters.
struct ValueTree {
    struct Node {
        /// The child nodes. Their numbers are greater than the node's own.
        var branches: [Branch] = []
        var isEnd = false
    }

    struct Branch {
        let element: PatternElement
        let node: Int
    }

    /// The root first.
    private(set) var nodes = [Node()]
    private var numbers: [Step: Int] = [:]

    private struct Step: Hashable {
        let node: Int
        let element: PatternElement
    }

    /// If case does not matter, values that differ only in case become one.
    init(_ values: [[PatternElement]], isCaseSensitive: Bool) {
        for value in values {
            var current = 0
            for element in value {
                if !isCaseSensitive, case .scalar(let scalar) = element {
                    current = child(of: current, .scalar(scalar.folded))
                } else {
                    current = child(of: current, element)
                }
            }
            nodes[current].isEnd = true
        }
        numbers = [:]
    }

    private mutating func child(of node: Int, _ element: PatternElement) -> Int {
        let step = Step(node: node, element: element)
        if let known = numbers[step] { return known }
        let number = nodes.count
        nodes.append(Node())
        numbers[step] = number
        nodes[node].branches.append(Branch(element: element, node: number))
        return number
    }
}
