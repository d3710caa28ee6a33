// Dates, ages and sizes as people read them.

import AASA
import Foundation

extension Date {
    /// RFC 3339 in UTC, to the second: `2026-11-21T07:00:00Z`.
    package var rfc3339: String { formatted(.iso8601) }
}

extension Int {
    /// Digits in groups of three: `131,072`.
    package var grouped: String {
        var digits = String(magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (self < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// `1 domain`, `2 domains`.
    package func of(_ one: String, _ many: String? = nil) -> String {
        "\(grouped) \(self == 1 ? one : many ?? one + "s")"
    }
}

extension BehaviourChange {
    /// One line: `/trips/a opens ABCDE12345.com.example.app in the new file, and nothing in Apple's copy`
    package var sentence: String {
        if to == .opens { return "\(example) opens \(appID) in the new file, and nothing in Apple's copy" }
        if from == .opens { return "\(example) opens \(appID) in Apple's copy, and nothing in the new file" }
        return
            "\(example) opens nothing for \(appID): \(to == .blocked ? "a rule of the new file excludes it" : "the new file has no rule for it")"
    }
}

// MARK: - Text from a watched site

// It goes to terminals, logs and chats, so it must not move a cursor or reverse text.

extension String {
    /// Replaces control characters, bidirectional overrides and other invisible formatting with `�`.
    package var displayable: String {
        // The common case first: this runs for each line of each page and message.
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isTerminalControl ? "\u{FFFD}" : $0 }))
    }

    /// A server's text as part of a sentence: cleaned, and short enough to read the sentence to its end.
    package var inSentence: String { displayable.shortened(to: 100) }

    /// The text cut to `limit` characters, with an ellipsis if something was cut. One character may have any number of
    /// combining marks, so the result also has at most four times as many scalars.
    package func shortened(to limit: Int) -> String {
        let cut = count <= limit ? self : prefix(max(0, limit - 1)) + "…"
        let scalars = cut.unicodeScalars
        return scalars.count <= 4 * limit ? cut : String(scalars.prefix(max(0, 4 * limit - 1))) + "…"
    }
}
