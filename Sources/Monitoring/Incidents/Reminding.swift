// Reminders grow apart and end. One rhythm for the incidents of domains and of the fleet.

import Evidence
import Foundation

/// An incident that is reminded of while it fires. What decides the next reminder is stored with it: a restart neither
/// repeats nor skips one.
protocol Reminding {
    var incident: Incident { get set }
    /// How many reminders were sent since it fired or came back.
    var reminders: Int { get set }
    /// After this instant no reminder is due any more.
    var remindUntil: Date? { get set }
}

extension OpenIncident: Reminding {}
extension FleetIncident: Reminding {}

extension Reminding {
    /// `every`: to the first reminder; nil: there are none. `span`: after this they end.
    mutating func beginReminders(every: Duration?, for span: Duration, at now: Date) {
        reminders = 0
        remindUntil = now.addingTimeInterval(max(span.inSeconds, every?.inSeconds ?? 0))
        incident.nextReminderAt = every.map { now.addingTimeInterval($0.inSeconds) }
    }

    /// Whether a reminder is due; the next one is set then. Those that were missed while the process stood still are one.
    mutating func passReminder(every: Duration?, for span: Duration, at now: Date) -> Bool {
        guard let every = every?.inSeconds, let due = incident.nextReminderAt, now >= due else { return false }
        let end = remindUntil ?? (incident.firedAt ?? due).addingTimeInterval(span.inSeconds)
        var next = due
        while next <= now, next <= end {
            reminders += 1
            next.addTimeInterval(Self.gap(after: reminders, every: every))
        }
        incident.nextReminderAt = next <= end ? next : nil
        return true
    }

    /// Seconds to the next reminder after so many: each gap is twice the one before, up to a day.
    private static func gap(after count: Int, every: TimeInterval) -> TimeInterval {
        let every = max(1, every)
        return min(every * Double(1 << min(max(count, 0), 20)), max(every, 86_400))
    }
}
