import Foundation
import Hashing

/// SHA-256 of a body. Stored inline, because each watched domain keeps about ten of these.
package struct ContentHash: Hashable, Sendable, CustomStringConvertible {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    package init(of bytes: some Sequence<UInt8>) {
        self.init(
            words: Digest.sha256.hash(bytes).withUnsafeBytes {
                $0.bindMemory(to: UInt64.self).map(UInt64.init(bigEndian:))
            })
    }

    /// - Parameter words: four.
    private init(words: [UInt64]) {
        (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
    }

    /// Parses 64 hexadecimal digits; nil for anything else.
    package init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 64 else { return nil }
        let words = stride(from: 0, to: 64, by: 16).compactMap { start -> UInt64? in
            digits[start..<start + 16].reduce(UInt64(0) as UInt64?) { word, digit in
                guard let word, let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
                return word << 4 | UInt64(value)
            }
        }
        guard words.count == 4 else { return nil }
        self.init(words: words)
    }

    /// Lower case.
    package var hex: String {
        let digits = StaticString("0123456789abcdef")
        return String(unsafeUninitializedCapacity: 64) { buffer in
            var index = 0
            for word in [first, second, third, fourth] {
                for shift in stride(from: 60, through: 0, by: -4) {
                    buffer[index] = digits.utf8Start[Int(word >> UInt64(shift) & 15)]
                    index += 1
                }
            }
            return 64
        }
    }

    /// The first eight digits, by which people distinguish versions.
    var short: String {
        let digits = String(first >> 32, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    package var description: String { hex }
}

extension ContentHash: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let hash = ContentHash(hex: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a SHA-256: \(text)")
        }
        self = hash
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}
