// A wall clock that was set back, also over a restart. What comes by age would else wait until the clock has caught up.

import Foundation

extension Escalating where Self: Reminding {
    /// The same incident on a clock that was set back since the last look or judgement: what has passed of the time to the
    /// next step and the next reminder has passed. The time between the two looks themselves is lost.
    ///
    /// `last`: the instant of that look by the clock of then; nil: there was none.
    func onClock(setBackFrom last: Date?, to now: Date) -> Self {
        guard let last, now < last else { return self }
        let seconds = now.timeIntervalSince(last)
        var moved = self
        moved.escalatesFrom = (escalatesFrom ?? incident.firedAt)?.addingTimeInterval(seconds)
        moved.remindUntil?.addTimeInterval(seconds)
        moved.incident.nextReminderAt?.addTimeInterval(seconds)
        return moved
    }
}
