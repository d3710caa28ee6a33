// What happened, line by line: its hash tells whether two runs were the same, its tail what led to a failure.

import Crypto
import Foundation

struct EventLog {
    private var hasher = SHA256()
    private var last: [String] = []
    private(set) var lines = 0
    /// How many lines are kept at least.
    let tailLength: Int

    init(keeping tailLength: Int = 80) { self.tailLength = tailLength }

    mutating func note(_ passed: Int64, _ text: @autoclosure () -> String) {
        let seconds = passed / 1000
        let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let rest = String(1000 + passed % 1000).dropFirst()
        let line = "day \(seconds / 86_400) \(clock.joined(separator: ":")).\(rest) \(text())"
        hasher.update(data: Data((line + "\n").utf8))
        lines += 1
        last.append(line)
        if last.count / 2 > tailLength { last.removeFirst(tailLength) }
    }

    var tail: [String] { last.suffix(tailLength) }

    /// Twelve digits of the SHA-256 of all lines.
    var hash: String { hasher.finalize().prefix(6).map { String(format: "%02x", $0) }.joined() }
}
