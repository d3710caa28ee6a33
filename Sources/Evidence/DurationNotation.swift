// Durations as people write them in the configuration and on the command line: 30s, 5m, 24h, 14d, 500ms, 1h30m.

/// Why a text is not a duration, in words for the person who wrote it.
package struct DurationFault: Error, Equatable, CustomStringConvertible {
    package let reason: String

    package var description: String { reason }
}

/// Parses `30s`, `5m`, `24h`, `14d`, `500ms`, or several from the largest unit to the smallest, as in `1h30m`.
///
/// - Returns: zero or more, at most 10 years (3,650 days). The caller refuses zero if it makes no sense.
/// - Throws: `DurationFault`, whose reason does not repeat the text.
package func parseDuration(_ text: String) throws(DurationFault) -> Duration {
    guard !text.isEmpty else { throw DurationFault(reason: "it is empty") }
    var rest = Substring(text)
    var total: Int64 = 0
    var allowed = durationUnits[...]
    while !rest.isEmpty {
        let digits = rest.prefix { $0.isASCII && $0.isWholeNumber }
        rest = rest.dropFirst(digits.count)
        let name = rest.prefix { $0.isASCII && $0.isLetter }
        rest = rest.dropFirst(name.count)
        guard !name.isEmpty || !rest.isEmpty else {
            throw DurationFault(reason: "its unit is missing: ms, s, m, h or d")
        }
        guard !digits.isEmpty, !name.isEmpty else {
            throw DurationFault(reason: "it is not a whole number with a unit, without spaces")
        }
        guard let index = allowed.firstIndex(where: { $0.name == name }) else {
            let isKnown = durationUnits.contains { $0.name == name }
            throw DurationFault(
                reason: isKnown
                    ? "its units must go from the largest to the smallest" : "the units are ms, s, m, h and d")
        }
        // A number beyond Int64 is beyond ten years as well.
        guard let count = Int64(digits) else { throw DurationFault(reason: tooLong) }
        let (part, overflow) = count.multipliedReportingOverflow(by: allowed[index].milliseconds)
        guard !overflow, part <= longestDuration, total + part <= longestDuration else {
            throw DurationFault(reason: tooLong)
        }
        total += part
        allowed = allowed[(index + 1)...]
    }
    return .milliseconds(total)
}

private let tooLong = "it is longer than ten years"
private let longestDuration: Int64 = 3650 * 86_400_000

private let durationUnits: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
]

extension Duration {
    /// The notation that `parseDuration` reads, exact to the millisecond: `1h30m`.
    package var notation: String {
        let (seconds, attoseconds) = components
        var rest = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        var text = ""
        for unit in durationUnits where rest >= unit.milliseconds {
            // 24h stays 24h and 14d stays 14d: days are written only for whole days, and at least two.
            if unit.name == "d", rest % unit.milliseconds != 0 || rest < 2 * unit.milliseconds { continue }
            text += "\(rest / unit.milliseconds)\(unit.name)"
            rest %= unit.milliseconds
        }
        return text.isEmpty ? "0s" : text
    }
}
