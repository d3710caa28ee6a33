// Instants as devices write them, in the region's form.

import Foundation

extension Date {
    /// Reads `2023-08-24 10:09:00 +0000`, since iOS 18.2 also `2024-12-12 9:09:00 +0000` and `2024-12-12 9:09:00 PM +0000`, and
    /// ISO 8601. Digits may be those of another script.
    /// - Returns: nil for anything else.
    init?(device text: String) {
        let text = text.prefix(80)
        var numbers: [Int] = []
        var letters = ""
        var sign: Character?
        var isNumber = false
        for character in text {
            if let digit = character.wholeNumberValue, (0...9).contains(digit) {
                if isNumber, let last = numbers.last {
                    guard last < 100_000_000 else { return nil }
                    numbers[numbers.count - 1] = last * 10 + digit
                } else {
                    numbers.append(digit)
                }
                isNumber = true
                continue
            }
            isNumber = false
            if character.isLetter { letters += character.lowercased() }
            // After the seconds, the only sign is that of the zone.
            if numbers.count >= 6, "+-\u{2212}".contains(character) { sign = character }
        }
        // A fraction of a second.
        if numbers.count > 6, text.contains(/\d[.,]\d+ ?(?:[+-]|Z|$)/) { numbers.remove(at: 6) }
        guard numbers.count >= 6 else { return nil }
        var hour = numbers[3]
        if letters.hasSuffix("am") || letters.hasSuffix("pm") {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (letters.hasSuffix("pm") ? 12 : 0)
        }
        var offset = 0
        if numbers.count > 6, let sign {
            // `+0200`, or `+02:00`.
            let minutes = numbers.count > 7 ? numbers[6] * 60 + numbers[7] : numbers[6] / 100 * 60 + numbers[6] % 100
            guard minutes <= 14 * 60 else { return nil }
            offset = (sign == "+" ? 60 : -60) * minutes
        }
        guard hour < 24, numbers[1...5].allSatisfy({ $0 < 100 }) else { return nil }
        let day = numbers[...2].map(Self.digits).joined(separator: "-")
        let clock = [hour, numbers[4], numbers[5]].map(Self.digits).joined(separator: ":")
        guard let date = try? Date("\(day)T\(clock)Z", strategy: .iso8601) else { return nil }
        self = date - Double(offset)
    }

    private static func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
