// A weekly maintenance window from the configuration. It is evaluated in its own time zone: Sunday 02:00 stays 02:00
// when daylight saving time starts or ends.

import Evidence
import Facts
import Foundation

package struct MaintenanceWindow: Codable, Equatable, Sendable {
    package var name: String
    package var scope: SilenceScope
    /// The days on which the window begins.
    package var days: Set<Weekday>
    package var start: TimeOfDay
    package var extent: Extent
    package var zone: TimeZone
    package var reason: String

    package enum Extent: Codable, Equatable, Sendable {
        /// Elapsed time, independent of clock changes; at most `longest`.
        case lasting(Duration)
        /// Until this time of day; on the next day if it is not later than the start.
        case until(TimeOfDay)
    }

    package var zoneName: String { zone.usualName }

    /// When it is, by its own clock: `Sat, Sun 02:00 to 04:00`, `every day from 22:00 for 3 h`.
    package var schedule: String {
        let names = Weekday.week.filter(days.contains).map(\.name)
        let when = names.count == 7 ? "every day" : names.joined(separator: ", ")
        return switch extent {
        case .lasting(let duration): "\(when) from \(start) for \(Span.words(duration.inSeconds))"
        case .until(let end): "\(when) \(start) to \(end)" + (end.second > start.second ? "" : " on the next day")
        }
    }

    /// A longer window would never end.
    package static let longest: Duration = .seconds(7 * 86_400)

    package init(
        name: String, scope: SilenceScope, days: Set<Weekday>, start: TimeOfDay, extent: Extent, zone: TimeZone,
        reason: String
    ) {
        self.name = name
        self.scope = scope
        self.days = days
        self.start = start
        self.extent = extent
        self.zone = zone
        self.reason = reason
    }

    /// The end of the window that is active at a time; nil if none is. If occurrences overlap, the latest end.
    package func end(at now: Date) -> Date? {
        let today = zone.day(at: now)
        return (today - reach...today + 1)
            .filter { days.contains(Weekday(day: $0)) }
            .map { stretch(beginningOn: $0) }
            .filter { $0.start <= now && now < $0.end }
            .map(\.end).max()
    }

    /// The first start after a time; nil without days.
    package func nextStart(after now: Date) -> Date? {
        let today = zone.day(at: now)
        return (today - 1...today + 8)
            .filter { days.contains(Weekday(day: $0)) }
            .map { stretch(beginningOn: $0).start }
            .first { $0 > now }
    }

    /// How many days ago an active window can have begun.
    private var reach: Int {
        switch extent {
        case .lasting(let duration): Int(duration.components.seconds) / TimeZone.secondsPerDay + 2
        case .until: 2
        }
    }

    private func stretch(beginningOn day: Int) -> (start: Date, end: Date) {
        let begin = zone.instant(day: day, second: start.second)
        switch extent {
        case .lasting(let duration):
            return (begin, begin + min(duration, Self.longest).inSeconds)
        case .until(let close):
            // If both times are in the skipped hour, there is no window that day.
            return (begin, zone.instant(day: close.second > start.second ? day : day + 1, second: close.second))
        }
    }
}

/// A local time of day.
package struct TimeOfDay: Codable, Hashable, Sendable, CustomStringConvertible {
    /// 0 to 23.
    package let hour: Int
    /// 0 to 59.
    package let minute: Int

    package static let midnight = TimeOfDay(hour: 0, minute: 0)

    private init(hour: Int, minute: Int) {
        self.hour = hour
        self.minute = minute
    }

    /// `text`: such as `02:00`, in 24 hours with two digits each; nil for anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), [0, 1, 3, 4].allSatisfy({ bytes[$0].isDigit }) else {
            return nil
        }
        let digits = bytes.map { Int($0) - 48 }
        hour = digits[0] * 10 + digits[1]
        minute = digits[3] * 10 + digits[4]
        guard hour < 24, minute < 60 else { return nil }
    }

    var second: Int { hour * 3600 + minute * 60 }

    package var description: String {
        (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
    }
}

package enum Weekday: String, Codable, Sendable, CaseIterable {
    // Day 0 is 1970-01-01, a Thursday.
    case thu, fri, sat, sun, mon, tue, wed

    /// `Mon`.
    fileprivate var name: String { rawValue.atStart }

    /// In the usual order.
    package static let week: [Weekday] = [.mon, .tue, .wed, .thu, .fri, .sat, .sun]

    /// `day`: counted from 1970-01-01.
    init(day: Int) { self = Self.allCases[((day % 7) + 7) % 7] }
}

// MARK: - Clocks of a zone

// Not `Calendar.nextDate`: it misses Lord Howe's skipped half hour and Samoa's skipped day, and takes a millisecond
// (Foundation of Swift 6.3).

extension TimeZone {
    /// Foundation calls `UTC` `GMT`.
    package var usualName: String { identifier == "GMT" ? "UTC" : identifier }

    static let secondsPerDay = 86_400

    /// The local date of an instant, as days from 1970-01-01.
    func day(at instant: Date) -> Int {
        let reading = instant.timeIntervalSince1970 + Double(secondsFromGMT(for: instant))
        return Int((reading / Double(Self.secondsPerDay)).rounded(.down))
    }

    /// The first instant with a local date and time. If the time occurs twice, the first one counts. If it is skipped,
    /// by an hour or a whole day, the result is the instant of the clock change.
    func instant(day: Int, second: Int) -> Date {
        let reading = Date(timeIntervalSince1970: Double(day * Self.secondsPerDay + second))
        // Offsets are from -12 h to +14 h, and no zone changes twice in two days: these are before and after a change.
        let before = reading - Double(Self.secondsPerDay)
        let after = reading + Double(Self.secondsPerDay)
        for side in [before, after] {
            let instant = reading - Double(secondsFromGMT(for: side))
            if instant + Double(secondsFromGMT(for: instant)) == reading { return instant }
        }
        return nextDaylightSavingTimeTransition(after: before) ?? reading
    }
}
