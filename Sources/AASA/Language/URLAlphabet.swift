// The characters that a search tries in one part of a URL: one of each kind that the patterns tell apart, the friendliest.

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
