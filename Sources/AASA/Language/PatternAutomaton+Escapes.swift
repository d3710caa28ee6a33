// Escapes along the edges: one character as its percent-encoded UTF-8, in either case of the digits.

extension PatternAutomaton {
    /// Any character: one as it stands, or the escapes of well-formed UTF-8 (Unicode, table 3-7).
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

    /// The escapes of ASCII characters, whether they may stand unescaped or not.
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
    /// - Returns: where it begins.
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
    /// The characters beyond ASCII that an element of one character takes, other than `?`.
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
