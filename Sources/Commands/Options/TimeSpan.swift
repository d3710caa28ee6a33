import ArgumentParser
import Evidence
import Foundation

/// The time of an option: a duration as in the configuration (`30s`, `1h30m`), or seconds as in curl (`2`, `2.5`).
struct TimeSpan: CustomStringConvertible, Sendable {
    let duration: Duration

    /// How the help shows a default.
    var description: String { duration.notation }

    init(_ duration: Duration) { self.duration = duration }

    /// Reads the value of an option; both ends of `range` are allowed.
    /// - Throws: `ValidationError`, whose message does not name the option.
    static func reading(_ range: ClosedRange<Duration>) -> @Sendable (String) throws -> TimeSpan {
        { text in
            let duration = try parse(text)
            guard range.contains(duration) else {
                throw ValidationError("it takes \(range.lowerBound.notation) to \(range.upperBound.notation)")
            }
            return TimeSpan(duration)
        }
    }

    private static func parse(_ text: String) throws -> Duration {
        // `Double` would also read `0x10`, `inf` and `nan`.
        if text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") }), let seconds = Double(text) {
            // Above the limit of every option, and still safe to convert.
            return .milliseconds(Int64(min(seconds, 1e9) * 1000))
        }
        do {
            return try parseDuration(text)
        } catch {
            throw ValidationError("\(error.reason); write seconds such as 2.5, or a duration such as 90s or 1h30m")
        }
    }
}

extension TimeInterval {
    /// In the configuration's notation, to the second: `2m30s`.
    var notation: String { Duration.seconds(Int64(Swift.max(0, self))).notation }
}
