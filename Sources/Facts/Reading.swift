// Small parsers for text from servers and libraries. Every check runs them.

import Foundation

extension Substring {
    /// The text without the surrounding spaces, tabs and line ends that HTTP allows (RFC 9110, 5.6.3).
    package var withoutBlanks: String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        let text = utf8.drop(while: isBlank)
        return String(Substring(text.dropLast(text.reversed().prefix(while: isBlank).count)))
    }
}

extension StringProtocol {
    /// Whether the text consists of ASCII digits only, without a sign.
    package var isOfDigits: Bool { !isEmpty && utf8.allSatisfy(\.isDigit) }
}

extension UInt8 {
    /// ASCII only.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension Date {
    /// Parses the date form of HTTP headers, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7). The two obsolete forms
    /// give nil.
    package init?(http text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT" else { return nil }
        self.init(year: parts[3], month: parts[2], day: parts[1], clock: parts[4])
    }

    /// Parses OpenSSL's form, `Nov  1 08:00:00 2026 GMT`.
    package init?(openSSL text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 5, parts[4] == "GMT" else { return nil }
        self.init(year: parts[3], month: parts[0], day: parts[1], clock: parts[2])
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private init?(year: Substring, month: Substring, day: Substring, clock: Substring) {
        func number(_ digits: Substring, in range: ClosedRange<Int32>) -> Int32? {
            guard digits.isOfDigits else { return nil }
            return Int32(digits).flatMap { range.contains($0) ? $0 : nil }
        }
        let clock = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let month = Self.months.firstIndex(where: { $0 == month }),
            let year = number(year, in: 1970...9999), let day = number(day, in: 1...31),
            let hour = number(clock[0], in: 0...23), let minute = number(clock[1], in: 0...59),
            // 60 is a leap second.
            let second = number(clock[2], in: 0...60)
        else { return nil }
        var midnight = tm()
        (midnight.tm_year, midnight.tm_mon, midnight.tm_mday) = (year - 1900, Int32(month), day)
        let start = timegm(&midnight)
        // `timegm` would turn 31 February into a date in March.
        guard midnight.tm_mday == day else { return nil }
        self.init(timeIntervalSince1970: Double(start) + Double(hour * 3600 + minute * 60 + second))
    }
}
