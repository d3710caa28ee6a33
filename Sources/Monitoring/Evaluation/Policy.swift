// The thresholds that `evaluate` judges by. Never holds run-time state, and no key is derived from it: editing a
// threshold neither repeats nor loses a message.

import Evidence
import Foundation

package struct Policy: Codable, Equatable, Sendable {
    /// How long the CDN may lag behind a change.
    package var staleAfter: Duration
    /// Consecutive failed checks before an incident opens, at least 1.
    package var failureThreshold: Int
    /// Consecutive good checks before an incident is resolved, at least 1.
    package var recoveryThreshold: Int
    /// How long before its end a certificate is reported.
    package var certificateWarning: Duration
    /// What the owners expect of the file.
    package var expectations: Expectations
    /// Before the first reminder of a firing incident, and the shortest time between two; nil sends none.
    package var remindEvery: Duration?
    /// How long after the firing reminders go on.
    package var remindFor: Duration
    /// The times after its firing at which an incident that nobody has in hand is told to more people, ascending.
    package var escalateAfter: [Duration]
    /// Trouble that is back this soon after its end is the same incident.
    package var reopenWindow: Duration
    /// Between two updates of one incident, at least.
    package var updateEvery: Duration
    /// A full look at least this often.
    package var fullEvery: Duration

    package init(
        staleAfter: Duration = .seconds(24 * 3600), failureThreshold: Int = 2, recoveryThreshold: Int = 1,
        certificateWarning: Duration = .seconds(14 * 24 * 3600), remindEvery: Duration? = .seconds(24 * 3600),
        expectations: Expectations = Expectations(), fullEvery: Duration = .seconds(3600),
        remindFor: Duration = .seconds(7 * 24 * 3600), reopenWindow: Duration = .seconds(30 * 60),
        updateEvery: Duration = .seconds(30 * 60), escalateAfter: [Duration] = []
    ) {
        self.escalateAfter = escalateAfter
        self.remindFor = remindFor
        self.reopenWindow = reopenWindow
        self.updateEvery = updateEvery
        self.fullEvery = fullEvery
        self.expectations = expectations
        self.staleAfter = staleAfter
        self.failureThreshold = max(1, failureThreshold)
        self.recoveryThreshold = max(1, recoveryThreshold)
        self.certificateWarning = certificateWarning
        self.remindEvery = remindEvery
    }
}
