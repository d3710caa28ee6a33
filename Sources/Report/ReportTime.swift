// Instants for people: by the wall clock, as short as possible.

import Evidence
import Foundation
import Monitoring
import Storage

/// The two clocks at the moment of a report.
package struct ReportTime: Sendable {
    /// The steady clock, by which instants are stored.
    package let now: Date
    /// The wall clock's time now.
    package let wall: Date

    /// `wall`: nil if it is the same.
    package init(now: Date, wall: Date? = nil) {
        self.now = now
        self.wall = wall ?? now
    }

    package init(_ timekeeper: any MonitorClock) { self.init(now: timekeeper.now(), wall: timekeeper.systemTime()) }

    /// For readers of a store outside the daemon.
    package init(_ store: Store, wall: Date) async throws {
        self.init(now: try await store.steady(at: wall), wall: wall)
    }

    /// A stored instant by the wall clock.
    package func shown(_ stored: Date) -> Date { stored.shown(steady: now, wall: wall) }

    /// The steady clock's time when the wall clock showed `shown`.
    package func stored(_ shown: Date) -> Date { shown - wall.ahead(of: now) }

    /// The moment that texts about an incident refer to, by the wall clock: a resolved incident does not grow older.
    package func reading(_ incident: Incident) -> Date { incident.resolvedAt.map(shown) ?? wall }
}

extension ReportTime {
    /// A stored instant: `15:13` on the same day, otherwise `21 Nov 07:20`, with the year if it differs.
    package func brief(_ stored: Date) -> String { Self.brief(shown(stored), wall: wall) }

    /// The same for an instant that is by the wall clock already, as in reports.
    package func clock(_ shown: Date) -> String { Self.brief(shown, wall: wall) }

    /// An instant of the wall clock.
    static func brief(_ date: Date, wall: Date) -> String {
        let (text, now) = (date.rfc3339, wall.rfc3339)
        let clock = text.dropFirst(11).prefix(5)
        if text.prefix(10) == now.prefix(10) { return String(clock) }
        return "\(day(date, wall: wall)) \(clock)"
    }

    /// `21 Nov`.
    private static func day(_ date: Date, wall: Date) -> String {
        let text = date.rfc3339
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let month = Int(text.dropFirst(5).prefix(2)).flatMap { (1...12).contains($0) ? months[$0 - 1] : nil } ?? ""
        let day = Int(text.dropFirst(8).prefix(2)) ?? 0
        let year = text.prefix(4)
        return "\(day) \(month)" + (year == wall.rfc3339.prefix(4) ? "" : " \(year)")
    }

    package func day(_ stored: Date) -> String { Self.day(shown(stored), wall: wall) }

    /// How long ago.
    package func age(_ stored: Date) -> String { Span.age(now.timeIntervalSince(stored)) }

    /// How long until now.
    package func since(_ stored: Date) -> TimeInterval { max(0, now.timeIntervalSince(stored)) }
}

extension String {
    /// Displayable, and cut by scalars: one character may hold a million combining marks.
    package func onOneLine(upTo limit: Int) -> String {
        let scalars = unicodeScalars.prefix(limit + 1)
        guard scalars.count > limit else { return displayable }
        return String(String.UnicodeScalarView(scalars.dropLast(2))).displayable + "…"
    }
}
