import Foundation
import Monitoring

/// The two clocks, at the moment at which a page is made.
package struct PageTime: Sendable {
    /// The steady clock, by which instants are stored.
    package let now: Date
    /// What clocks show now.
    package let wall: Date

    /// `wall`: nil where it is the same.
    package init(now: Date, wall: Date? = nil) {
        self.now = now
        self.wall = wall ?? now
    }

    init(_ timekeeper: any Timekeeper) { self.init(now: timekeeper.now(), wall: timekeeper.wall()) }

    /// A stored instant as people's clocks showed it.
    func shown(_ stored: Date) -> Date { stored + wall.timeIntervalSince(now) }
}
