import Evidence
import Foundation

/// An instant as the page shows it: for people by its age, for machines and the doubtful in UTC.
package struct Moment: Equatable, Sendable {
    /// RFC 3339, for `datetime`.
    package let instant: String
    /// `2026-11-21 07:00:00 UTC`.
    package let utc: String
    /// `5 min ago`.
    package let age: String

    package init(_ date: Date, now: Date) {
        instant = date.rfc3339
        utc = String(date.rfc3339.map { $0 == "T" ? " " : $0 }.dropLast()) + " UTC"
        let seconds = now.timeIntervalSince(date)
        age = seconds < 1 ? "just now" : "\(seconds.inWords) ago"
    }
}
