import Evidence
import Foundation
import Testing

@testable import Monitoring

extension MonitoringSuite {
    /// Instants use the offsets of the tz database: https://www.iana.org/time-zones
    @Suite("Maintenance windows")
    struct MaintenanceWindowTests {
        struct Course: CustomTestStringConvertible, Sendable {
            let title: String
            let zone: String
            let days: String
            let start: String
            let extent: String
            /// Start and end instants, in UTC.
            let stretches: [(String, String)]

            var testDescription: String { title }
        }

        static let courses: [Course] = [
            Course(
                title: "an ordinary night in Berlin, in winter and in summer", zone: "Europe/Berlin", days: "sat",
                start: "02:00", extent: "2h",
                stretches: [
                    ("2026-11-21T01:00:00Z", "2026-11-21T03:00:00Z"), ("2031-07-05T00:00:00Z", "2031-07-05T02:00:00Z"),
                ]),
            Course(
                title: "the skipped hour in Berlin: it begins when the hour is over, and keeps its length",
                zone: "Europe/Berlin", days: "sun", start: "02:30", extent: "1h",
                stretches: [
                    ("2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"), ("2037-03-29T01:00:00Z", "2037-03-29T02:00:00Z"),
                ]),
            Course(
                title: "until a time, from the skipped hour on", zone: "Europe/Berlin", days: "sun", start: "02:30",
                extent: "04:00", stretches: [("2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z")]),
            Course(
                title: "the repeated hour in Berlin is taken once, the first time", zone: "Europe/Berlin", days: "sun",
                start: "02:30", extent: "30m",
                stretches: [
                    ("2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z"), ("2033-10-30T00:30:00Z", "2033-10-30T01:00:00Z"),
                ]),
            Course(
                title: "a window over the repeated hour until a time is an hour longer", zone: "Europe/Berlin",
                days: "sun", start: "01:00", extent: "04:00",
                stretches: [("2026-10-24T23:00:00Z", "2026-10-25T03:00:00Z")]),
            Course(
                title: "a window over the skipped hour by duration passes in real time", zone: "Europe/Berlin",
                days: "sun", start: "01:00", extent: "3h",
                stretches: [("2026-03-29T00:00:00Z", "2026-03-29T03:00:00Z")]),
            Course(
                title: "both changes in New York", zone: "America/New_York", days: "sun", start: "02:00", extent: "1h",
                stretches: [
                    ("2026-03-08T07:00:00Z", "2026-03-08T08:00:00Z"), ("2026-03-15T06:00:00Z", "2026-03-15T07:00:00Z"),
                    ("2026-11-01T07:00:00Z", "2026-11-01T08:00:00Z"), ("2035-03-11T07:00:00Z", "2035-03-11T08:00:00Z"),
                ]),
            Course(
                title: "the repeated hour in New York, before the border of the days in UTC",
                zone: "America/New_York", days: "sun", start: "01:15", extent: "02:00",
                stretches: [("2026-11-01T05:15:00Z", "2026-11-01T07:00:00Z")]),
            Course(
                title: "Lord Howe skips half an hour", zone: "Australia/Lord_Howe", days: "sun", start: "02:15",
                extent: "1h",
                stretches: [
                    ("2026-10-03T15:30:00Z", "2026-10-03T16:30:00Z"), ("2026-10-10T15:15:00Z", "2026-10-10T16:15:00Z"),
                ]),
            Course(
                title: "Lord Howe repeats half an hour", zone: "Australia/Lord_Howe", days: "sun", start: "01:45",
                extent: "15m",
                stretches: [
                    ("2026-04-04T14:45:00Z", "2026-04-04T15:00:00Z"), ("2034-04-01T14:45:00Z", "2034-04-01T15:00:00Z"),
                ]),
            Course(
                title: "Casablanca goes back for Ramadan and forward after it", zone: "Africa/Casablanca",
                days: "sun", start: "02:30", extent: "1h",
                stretches: [
                    ("2026-02-08T01:30:00Z", "2026-02-08T02:30:00Z"), ("2026-02-15T01:30:00Z", "2026-02-15T02:30:00Z"),
                    ("2026-03-01T02:30:00Z", "2026-03-01T03:30:00Z"), ("2026-03-22T02:00:00Z", "2026-03-22T03:00:00Z"),
                    ("2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z"),
                ]),
            Course(
                title: "over midnight, into a day of no window", zone: "Europe/Berlin", days: "sat", start: "23:00",
                extent: "01:30", stretches: [("2026-11-21T22:00:00Z", "2026-11-22T00:30:00Z")]),
            Course(
                title: "over midnight and the change of the clocks", zone: "Europe/Berlin", days: "sat",
                start: "23:00", extent: "04:00", stretches: [("2026-03-28T22:00:00Z", "2026-03-29T02:00:00Z")]),
            Course(
                title: "several days long", zone: "UTC", days: "fri", start: "18:00", extent: "3d",
                stretches: [("2026-11-20T18:00:00Z", "2026-11-23T18:00:00Z")]),
            Course(
                title: "on a day that Samoa skipped it begins with the next one", zone: "Pacific/Apia", days: "fri",
                start: "12:00", extent: "1h", stretches: [("2011-12-30T10:00:00Z", "2011-12-30T11:00:00Z")]),
        ]

        static func window(_ course: Course) throws -> MaintenanceWindow {
            let extent: MaintenanceWindow.Extent
            if let close = TimeOfDay(course.extent) {
                extent = .until(close)
            } else {
                extent = .lasting(try parseDuration(course.extent))
            }
            return MaintenanceWindow(
                name: "w", scope: SilenceScope(domains: [.all]),
                days: Set(course.days.split(separator: ",").compactMap { Weekday(rawValue: String($0)) }),
                start: try #require(TimeOfDay(course.start)), extent: extent,
                zone: try #require(TimeZone(identifier: course.zone)), reason: "upgrade")
        }

        @Test("a window lasts from its start until just before its end", arguments: courses)
        func stretches(course: Course) throws {
            let window = try Self.window(course)
            for (start, end) in course.stretches {
                let start = try Date(start, strategy: .iso8601)
                let end = try Date(end, strategy: .iso8601)
                #expect(window.end(at: start - 1) == nil)
                #expect(window.end(at: start) == end)
                #expect(window.end(at: end - 1) == end)
                #expect(window.end(at: end) == nil)
                #expect(window.nextStart(after: start - 1) == start)
            }
        }

        @Test(
            "over ten years a weekly window opens once a week, for its full length",
            arguments: [
                "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo",
                "Asia/Kathmandu", "Pacific/Chatham", "UTC",
            ])
        func regularity(zone: String) throws {
            let window = MaintenanceWindow(
                name: "w", scope: SilenceScope(domains: [.all]), days: [.sun], start: try #require(TimeOfDay("02:30")),
                extent: .lasting(.seconds(1800)), zone: try #require(TimeZone(identifier: zone)), reason: "r")
            var last: Date?
            var now = Date(timeIntervalSince1970: 1_767_225_600)
            for _ in 0..<520 {
                let start = try #require(window.nextStart(after: now))
                #expect(window.end(at: start) == start + 1800)
                if let last { #expect(abs(start.timeIntervalSince(last) - 7 * 86_400) <= 3600) }
                last = start
                now = start
            }
        }

        @Test(
            "a time of day has two digits, a colon and two digits",
            arguments: [
                ("00:00", 0), ("02:05", 7500), ("23:59", 86_340), ("24:00", nil), ("2:00", nil), ("02:60", nil),
                ("02.00", nil), ("", nil), ("02:00:00", nil), ("+2:00", nil), ("٠٢:٠٠", nil),
            ] as [(String, Int?)])
        func timesOfDay(text: String, second: Int?) {
            #expect(TimeOfDay(text)?.second == second)
            if second != nil { #expect(TimeOfDay(text)?.description == text) }
        }
    }
}
