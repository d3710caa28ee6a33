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
