// What changed between two states of a domain, where only values changed and not the shape: at an unchanged check a few
// instants out of some kilobytes. It knows nothing of what a state holds, so a new field needs no care here.

import Foundation

/// Replaces some of the tokens of one JSON text to make another.
struct StateDelta: Codable, Equatable {
    /// Bytes of the text it starts from, and of the one it makes: a delta of another text must not be used.
    private let from: Int
    private let to: Int
    /// Positions among the tokens, ascending, and what replaces them.
    private let places: [Int]
    private let values: [String]

    /// nil where the shape differs, or where the difference is not small.
    init?(from base: Data, to target: Data, atMost limit: Int) {
        let old = Self.tokens(of: base)
        let new = Self.tokens(of: target)
        guard old.count == new.count else { return nil }
        var places: [Int] = []
        var values: [String] = []
        var size = 0
        for (place, (before, after)) in zip(old, new).enumerated() where base[before] != target[after] {
            guard let value = String(data: target[after], encoding: .utf8) else { return nil }
            size += value.utf8.count + 12
            guard size <= limit else { return nil }
            places.append(place)
            values.append(value)
        }
        (from, to) = (base.count, target.count)
        (self.places, self.values) = (places, values)
        // Used only where it was tested.
        guard applied(to: base) == target else { return nil }
    }

    /// The other text; nil where this is not the text that the delta was made from.
    func applied(to base: Data) -> Data? {
        let tokens = Self.tokens(of: base)
        guard base.count == from, places.count == values.count, places.last ?? -1 < tokens.count else { return nil }
        var result = Data(capacity: to)
        var end = base.startIndex
        for (place, value) in zip(places, values) {
            guard tokens.indices.contains(place), tokens[place].lowerBound >= end else { return nil }
            result += base[end..<tokens[place].lowerBound]
            result += Data(value.utf8)
            end = tokens[place].upperBound
        }
        result += base[end...]
        return result.count == to ? result : nil
    }

    /// Strings, literals and each mark of structure, in their order.
    private static func tokens(of text: Data) -> [Range<Data.Index>] {
        text.withUnsafeBytes { bytes in
            var tokens: [Range<Data.Index>] = []
            let first = text.startIndex
            var index = 0
            while index < bytes.count {
                let start = index
                switch bytes[index] {
                case UInt8(ascii: "\""):
                    index += 1
                    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                        index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                    }
                    index = min(index + 1, bytes.count)
                case let byte where isMark(byte):
                    index += 1
                default:
                    while index < bytes.count, bytes[index] != UInt8(ascii: "\""), !isMark(bytes[index]) { index += 1 }
                }
                tokens.append(first + start..<first + index)
            }
            return tokens
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
