// What happened, line by line. Equal hashes mean equal runs; the last lines show what led to a failure.

import Foundation
import Hashing

struct EventLog {
    private var digest: [UInt8] = []
    private var last: [String] = []
    private(set) var lines = 0
    /// The minimum number of lines to keep.
    let tailLength: Int

    init(keeping tailLength: Int = 80) { self.tailLength = tailLength }

    mutating func note(_ passed: Int64, _ text: @autoclosure () -> String) {
        let rest = String(1000 + passed % 1000).dropFirst()
        let line = "\(Self.clock(passed)).\(rest) \(text())"
        digest = Digest.sha256.hash(digest + line.utf8)
        lines += 1
        last.append(line)
        if last.count / 2 > tailLength { last.removeFirst(tailLength) }
    }

    /// Day and time, to the second.
    static func clock(_ passed: Int64) -> String {
        let seconds = passed / 1000
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "day \(seconds / 86_400) \(clock.joined(separator: ":"))"
    }

    var tail: [String] { last.suffix(tailLength) }

    /// Twelve hexadecimal digits that depend on all lines and their order.
    var hash: String { digest.prefix(6).hexadecimal }
}
