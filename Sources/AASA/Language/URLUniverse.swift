// The URLs that there are, as the matcher sees them: a path as `PathNormalization` leaves it, query and fragment, and only
// characters that may stand in a URL, with `%` before two hexadecimal digits alone. Patterns are compared over these.

enum URLPhase: Int {
    case path, query, fragment
}

/// What of the text so far restricts the text to come.
enum UniversePlace: Int32 {
    case start
    case afterSlash
    case afterStar
    case afterOther
    /// One digit of an escape is missing, or two.
    case inEscape
    case afterPercent

    /// Whether the part may end here.
    func mayEnd(_ phase: URLPhase) -> Bool {
        switch self {
        case .start: phase != .path
        case .afterSlash, .afterStar: true
        case .afterOther: phase != .path
        case .inEscape, .afterPercent: false
        }
    }

    /// The place after one more character; nil where no URL goes on so. `isStarPlain` tells that an asterisk is to the
    /// patterns as any letter: it is interesting at the end of a path alone, where it stands for the final slash.
    func step(_ byte: UInt8, _ phase: URLPhase, isStarPlain: Bool) -> UniversePlace? {
        switch self {
        case .afterPercent: return ByteSet.hexDigits.contains(byte) ? .inEscape : nil
        case .inEscape: return ByteSet.hexDigits.contains(byte) ? .afterOther : nil
        case .start where phase == .path: return byte == UInt8(ascii: "/") ? .afterSlash : nil
        case .afterSlash where phase == .path && byte == UInt8(ascii: "/"): return nil
        case .afterStar where isStarPlain || byte == UInt8(ascii: "*"): return nil
        default: break
        }
        if byte == UInt8(ascii: "%") { return .afterPercent }
        guard phase == .path else { return .afterOther }
        switch byte {
        case UInt8(ascii: "/"): return .afterSlash
        case UInt8(ascii: "*"): return .afterStar
        default: return .afterOther
        }
    }
}

extension MatchableURL {
    /// Whether it is one of the URLs that patterns are compared over; others hold a `%` that begins no escape.
    var isInUniverse: Bool {
        [(URLPhase.path, path), (.query, query), (.fragment, fragment)].allSatisfy { phase, text in
            var place = UniversePlace.start
            for byte in text.utf8 {
                guard let next = place.step(byte, phase, isStarPlain: false) else { return false }
                place = next
            }
            return place.mayEnd(phase)
        }
    }
}

/// The characters that a search tries in one part of a URL: one of each kind that the patterns tell apart, the friendliest.
struct URLAlphabet {
    struct Symbol {
        let byte: UInt8
        /// How ugly an example becomes by it.
        let tier: Int
    }

    /// Friendliest first.
    let symbols: [Symbol]
    /// The symbols once more, and the place of each among them by its byte.
    let bytes: ByteSet
    let places: [Int]
    /// Whether no pattern tells an asterisk from some letter.
    let isStarPlain: Bool

    /// The labels are what the patterns tell apart.
    init(_ labels: [ByteSet], _ phase: URLPhase) {
        let (kinds, kindCount) = Self.kinds(labels)
        var isPlainKind = [Bool](repeating: false, count: kindCount)
        for letter in Self.letters { isPlainKind[kinds[Int(letter)]] = true }
        func isPlain(_ byte: UInt8) -> Bool { isPlainKind[kinds[Int(byte)]] }
        isStarPlain = phase == .path && isPlain(UInt8(ascii: "*"))
        let hasEscapes = !isPlain(UInt8(ascii: "%"))
        var seen = [Bool](repeating: false, count: 2 * kindCount)
        let symbols = Self.order.compactMap { (byte) -> Symbol? in
            switch byte {
            case UInt8(ascii: "#") where phase != .fragment, UInt8(ascii: "?") where phase == .path: return nil
            case UInt8(ascii: "%"): return hasEscapes ? Symbol(byte: byte, tier: 2) : nil
            case UInt8(ascii: "/") where phase == .path: return Symbol(byte: byte, tier: 0)
            case UInt8(ascii: "*") where phase == .path: return Symbol(byte: byte, tier: 2)
            default: break
            }
            let kind = 2 * kinds[Int(byte)] + (hasEscapes && ByteSet.hexDigits.contains(byte) ? 1 : 0)
            if seen[kind] { return nil }
            seen[kind] = true
            return Symbol(byte: byte, tier: Self.friendly.contains(byte) ? 0 : 1)
        }
        self.symbols = symbols
        bytes = ByteSet(symbols.map(\.byte))
        var places = [Int](repeating: 0, count: 128)
        for (place, symbol) in symbols.enumerated() { places[Int(symbol.byte)] = place }
        self.places = places
    }

    /// Characters that no label tells apart are of one kind.
    private static func kinds(_ labels: [ByteSet]) -> (byByte: [Int], count: Int) {
        var kinds = [Int](repeating: 0, count: 128)
        var count = 1
        for label in Set(labels) {
            // Each kind divides into what the label holds and what it does not.
            var numbers = [Int](repeating: -1, count: 2 * count)
            var next = 0
            for byte in order {
                let part = 2 * kinds[Int(byte)] + (label.contains(byte) ? 1 : 0)
                if numbers[part] < 0 {
                    numbers[part] = next
                    next += 1
                }
                kinds[Int(byte)] = numbers[part]
            }
            count = next
        }
        return (kinds, count)
    }

    private static let letters = Array("axbcdefghijklmnopqrstuvwyz".utf8)
    private static let friendly = ByteSet(
        "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./=&".utf8)
    /// All that may stand in a URL, friendliest first.
    private static let order =
        letters + Array("1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-_=&/.~:,;@!$'()+[]?#*%".utf8)
}

/// A set of ASCII characters: what one edge of an automaton takes.
struct ByteSet: Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    init(where isMember: (UInt8) -> Bool) { self.init((0..<128).filter(isMember)) }

    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }

    mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
    }

    mutating func formUnion(_ other: ByteSet) {
        low |= other.low
        high |= other.high
    }

    var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }

    /// How many members are less than a byte.
    func count(below byte: UInt8) -> Int {
        if byte < 64 { return (low & (1 << UInt64(byte) - 1)).nonzeroBitCount }
        return low.nonzeroBitCount + (high & (1 << UInt64(byte - 64) - 1)).nonzeroBitCount
    }

    /// Takes the least member out.
    mutating func popFirst() -> UInt8? {
        if low != 0 {
            defer { low &= low - 1 }
            return UInt8(low.trailingZeroBitCount)
        }
        guard high != 0 else { return nil }
        defer { high &= high - 1 }
        return UInt8(64 + high.trailingZeroBitCount)
    }

    func intersection(_ other: ByteSet) -> ByteSet {
        var result = self
        result.low &= other.low
        result.high &= other.high
        return result
    }

    var isEmpty: Bool { low == 0 && high == 0 }

    /// What may stand in a URL as it is, `%` included.
    static let url = ByteSet(where: PercentCoding.mayStand)
    static let hexDigits = ByteSet("0123456789abcdefABCDEF".utf8)
    static let percent = ByteSet("%".utf8)
    static let unescaped = ByteSet(where: { PercentCoding.mayStand($0) && $0 != UInt8(ascii: "%") })

    /// Both cases of hexadecimal digits, given by their values.
    static func hexDigits(_ values: some Sequence<UInt8>) -> ByteSet {
        var digits = ByteSet([])
        for value in values { digits.formUnion(hexDigit(value)) }
        return digits
    }

    static func hexDigit(_ value: UInt8) -> ByteSet { hexDigitsByValue[Int(value)] }

    private static let hexDigitsByValue = (UInt8(0)...15).map { value in
        value < 10
            ? ByteSet([UInt8(ascii: "0") + value])
            : ByteSet([UInt8(ascii: "a") + value - 10, UInt8(ascii: "A") + value - 10])
    }
}
