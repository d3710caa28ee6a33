import Foundation

/// Time spans and instants in messages, pages and commands: one incident has the same age everywhere. A unit counts only
/// when it is complete.
package enum Span {
    /// `45 s`, `12 min`, `31 h 12 min`, `12 d 4 h`: two units at most.
    package static func words(_ seconds: TimeInterval) -> String {
        // A server may send any number.
        let total = Int(min(max(0, seconds), 1e12).rounded(.down))
        let (days, hours, minutes) = (total / 86400, total / 3600, total / 60)
        if total < 60 { return "\(total) s" }
        if minutes < 60 { return "\(minutes) min" }
        if hours < 72 { return joined(hours, "h", minutes % 60, "min") }
        if days < 30 { return joined(days, "d", hours % 24, "h") }
        return "\(days) days"
    }

    private static func joined(_ large: Int, _ unit: String, _ small: Int, _ smallUnit: String) -> String {
        small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
    }

    /// `just now`, `2 min ago`.
    package static func age(_ seconds: TimeInterval) -> String {
        seconds < 30 ? "just now" : "\(words(seconds < 60 ? 60 : seconds)) ago"
    }

    /// `2026-11-21 07:00`.
    package static func minute(_ date: Date) -> String {
        String(date.rfc3339.prefix(16)).replacing("T", with: " ")
    }

    /// `2026-11-21 07:00 UTC`.
    package static func instant(_ date: Date) -> String { "\(minute(date)) UTC" }

    /// `2026-12-01`.
    package static func day(_ date: Date) -> String { String(date.rfc3339.prefix(10)) }
}

extension TimeInterval {
    /// A duration in a sentence, in the largest unit that leaves a readable number: `45 s`, `5 min`, `26 h`, `3 days`.
    package var inWords: String {
        let seconds = Swift.max(0, self)
        switch seconds {
        case 0: return "0 s"
        case ..<0.95: return "\(Int((seconds * 1000).rounded())) ms"
        case ..<90: return "\(Int(seconds.rounded())) s"
        case ..<(90 * 60): return "\(Int(seconds / 60)) min"
        case ..<(72 * 3600): return "\(Int(seconds / 3600)) h"
        default: return "\(Int(seconds / 86400)) days"
        }
    }
}
