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
    /// Between reminders of a firing incident; nil sends none.
    package var remindEvery: Duration?

    package init(
        staleAfter: Duration = .seconds(24 * 3600), failureThreshold: Int = 2, recoveryThreshold: Int = 1,
        certificateWarning: Duration = .seconds(14 * 24 * 3600), remindEvery: Duration? = .seconds(24 * 3600),
        expectations: Expectations = Expectations()
    ) {
        self.expectations = expectations
        self.staleAfter = staleAfter
        self.failureThreshold = max(1, failureThreshold)
        self.recoveryThreshold = max(1, recoveryThreshold)
        self.certificateWarning = certificateWarning
        self.remindEvery = remindEvery
    }
}
