// The characters that a search tries in one part of a URL: one of each kind that the patterns tell apart, the friendliest.

struct URLAlphabet {
    struct Symbol {
        let byte: UInt8
        /// How ugly an example becomes by it.
        let tier: Int
    }

    /// Friendliest first.
    let symbols: [Symbol]
    /// Whether no pattern tells an asterisk from some letter.
    let isStarPlain: Bool

    /// The labels are what the patterns tell apart.
    init(_ labels: [ByteSet], _ phase: URLPhase) {
        let distinct = Array(Set(labels))
        var signatures: [UInt8: [UInt64]] = [:]
        for byte in Self.order {
            var signature = [UInt64](repeating: 0, count: distinct.count / 64 + 1)
            for (index, label) in distinct.enumerated() where label.contains(byte) {
                signature[index / 64] |= 1 << UInt64(index % 64)
            }
            signatures[byte] = signature
        }
        let plain = Set(Self.letters.compactMap { signatures[$0] })
        func isPlain(_ byte: UInt8) -> Bool { signatures[byte].map(plain.contains) ?? false }
        isStarPlain = phase == .path && isPlain(UInt8(ascii: "*"))
        let hasEscapes = !isPlain(UInt8(ascii: "%"))
        var seen: Set<[UInt64]> = []
        symbols = Self.order.compactMap { byte in
            switch byte {
            case UInt8(ascii: "#") where phase != .fragment, UInt8(ascii: "?") where phase == .path: return nil
            case UInt8(ascii: "%"): return hasEscapes ? Symbol(byte: byte, tier: 2) : nil
            case UInt8(ascii: "/") where phase == .path: return Symbol(byte: byte, tier: 0)
            case UInt8(ascii: "*") where phase == .path: return Symbol(byte: byte, tier: 2)
            default: break
            }
            var signature = signatures[byte] ?? []
            if hasEscapes { signature.append(ByteSet.hexDigits.contains(byte) ? 1 : 0) }
            guard seen.insert(signature).inserted else { return nil }
            return Symbol(byte: byte, tier: Self.friendly.contains(byte) ? 0 : 1)
        }
    }

    private static let letters = Array("axbcdefghijklmnopqrstuvwyz".utf8)
    private static let friendly = ByteSet(
        "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./=&".utf8)
    /// All that may stand in a URL, friendliest first.
    private static let order =
        letters + Array("1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-_=&/.~:,;@!$'()+[]?#*%".utf8)
}
