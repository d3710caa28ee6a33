// The aliases in a name server's answer. getaddrinfo, and c-ares where a look-up failed, do not show them; a name that is an
// alias of one that was given up is another matter than a name that was never there.

import Foundation

enum AliasRecords {
    /// The last target of the CNAME records in an answer (RFC 1035, 4.1), without final dot; nil where there is none, or where
    /// the answer cannot be read.
    static func target(in answer: [UInt8]) -> String? {
        guard answer.count >= 12 else { return nil }
        func number(_ at: Int) -> Int? {
            at + 1 < answer.count ? Int(answer[at]) << 8 | Int(answer[at + 1]) : nil
        }
        var place = 12
        for _ in 0..<(number(4) ?? 0) {
            guard let end = name(answer, at: place)?.end else { return nil }
            place = end + 4
        }
        var target: String?
        for _ in 0..<(number(6) ?? 0) {
            guard let end = name(answer, at: place)?.end, let type = number(end), let length = number(end + 8) else {
                return target
            }
            if type == 5 { target = name(answer, at: end + 10)?.text ?? target }
            place = end + 10 + length
        }
        return target
    }

    /// A name, perhaps with a pointer at its end, and the place behind it.
    private static func name(_ answer: [UInt8], at start: Int) -> (text: String, end: Int)? {
        var labels: [String] = []
        var place = start
        var end: Int?
        // A name has 127 labels at most; pointers in a circle end here too.
        for _ in 0..<128 {
            guard place < answer.count else { return nil }
            let length = Int(answer[place])
            switch length {
            case 0: return (labels.joined(separator: "."), end ?? place + 1)
            case 0xC0...:
                guard place + 1 < answer.count else { return nil }
                end = end ?? place + 2
                place = (length & 0x3F) << 8 | Int(answer[place + 1])
            case 1...63:
                guard place + length < answer.count else { return nil }
                labels.append(String(decoding: answer[(place + 1)...(place + length)], as: UTF8.self))
                place += length + 1
            default: return nil
            }
        }
        return nil
    }
}
