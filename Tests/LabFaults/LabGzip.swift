// Gzip (RFC 1952) without zlib: stored blocks for normal answers, and one dynamic block for the bomb.

/// The two gzip streams that the lab can write.
package enum LabGzip {
    private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
    }

    /// A gzip stream that decompresses to `bytes`, in stored blocks: slightly longer than its content.
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var out = header
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            out.append(rest.isEmpty ? 1 : 0)
            out.append(contentsOf: littleEndian(length) + littleEndian(~length))
            out.append(contentsOf: block)
        } while !rest.isEmpty
        let crc = ~bytes.reduce(~UInt32(0)) { crcTable[Int(($0 ^ UInt32($1)) & 0xff)] ^ ($0 >> 8) }
        return out + littleEndian(crc) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// How many zeros ``bomb`` decompresses to: one literal, then 258 for each match.
    package static let bombInflatedSize = 1 + 4 * 258 * bombFiller

    private static let bombFiller = 100_000

    /// A complete and valid gzip stream of about 100 KB that decompresses to ``bombInflatedSize`` zeros. It has
    /// deflate's best ratio: a byte of zero bits is four matches of 258 zeros each.
    package static let bomb: [UInt8] = {
        var bits = BitWriter()
        bits.write(1, 1)  // the last block
        bits.write(2, 2)  // with its own Huffman codes
        bits.write(29, 5)  // 286 literal and length codes
        bits.write(0, 5)  // one distance code
        bits.write(14, 4)  // 18 lengths for the alphabet of lengths
        // In the order of RFC 1951, 3.2.7: symbol 18 (a run of zeros) has one bit, 2 and 1 have two.
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
            bits.write(symbol == 18 ? 1 : symbol == 2 || symbol == 1 ? 2 : 0, 3)
        }
        func two() { bits.writeCode(0b11, 2) }
        func one() { bits.writeCode(0b10, 2) }
        func zeros(_ count: Int) {
            bits.writeCode(0, 1)
            bits.write(count - 11, 7)
        }
        two()  // literal 0: the code 10
        zeros(138)
        zeros(117)
        two()  // end of block: the code 11
        zeros(28)
        one()  // length 258: the code 0
        one()  // distance 1: the code 0
        bits.writeCode(0b10, 2)
        for _ in 0..<bombFiller { bits.write(0, 8) }
        bits.writeCode(0b11, 2)
        // The checksum of that many zeros, precomputed: for 100 MB it would take a second at each start.
        let crc: UInt32 = 0x72a2_8003
        return header + bits.finished() + littleEndian(crc) + littleEndian(UInt32(bombInflatedSize))
    }()

    private static func littleEndian<T: FixedWidthInteger & UnsignedInteger>(_ value: T) -> [UInt8] {
        (0..<(T.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
    }
}

/// Bits in deflate's order: lowest bit of a byte first.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var count: UInt32 = 0

    /// A number of up to 16 bits, lowest bit first.
    mutating func write(_ value: Int, _ width: UInt32) {
        pending |= UInt32(value) << count
        count += width
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            count -= 8
        }
    }

    /// A Huffman code, highest bit first.
    mutating func writeCode(_ code: Int, _ width: UInt32) {
        for shift in (0..<width).reversed() { write((code >> Int(shift)) & 1, 1) }
    }

    consuming func finished() -> [UInt8] {
        if count > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
        return bytes
    }
}
