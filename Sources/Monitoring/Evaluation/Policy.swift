// The thresholds that `evaluate` uses. It holds no state, and no key is derived from it: editing a threshold neither repeats
// nor loses a notification.

import Evidence
import Foundation

package struct Policy: Codable, Equatable, Sendable {
    /// How long the CDN may lag behind a change.
    package var staleAfter: Duration
    /// Failed checks in a row before an incident fires, at least 1.
    package var failureThreshold: Int
    /// Good checks in a row before an incident is resolved, at least 1.
    package var recoveryThreshold: Int
    /// How long before its end a certificate is reported.
    package var certificateWarning: Duration
    /// What the owners expect of the file.
    package var expectations: Expectations
    /// A problem that is back this soon after its end is the same incident.
    package var reopenWindow: Duration
    /// A full probe at least this often.
    package var fullEvery: Duration
    /// Whether new versions of the origin's file are followed as incidents of kind `change`: somebody is notified of them.
    package var followsChanges: Bool
    /// The rules whose findings do not count.
    package var ignored: [IgnoredRule]

    package init(
        staleAfter: Duration = .seconds(24 * 3600), failureThreshold: Int = 2, recoveryThreshold: Int = 1,
        certificateWarning: Duration = .seconds(14 * 24 * 3600), expectations: Expectations = Expectations(),
        fullEvery: Duration = .seconds(3600), reopenWindow: Duration = .seconds(30 * 60),
        followsChanges: Bool = false, ignored: [IgnoredRule] = []
    ) {
        self.staleAfter = staleAfter
        self.failureThreshold = max(1, failureThreshold)
        self.recoveryThreshold = max(1, recoveryThreshold)
        self.certificateWarning = certificateWarning
        self.expectations = expectations
        self.fullEvery = fullEvery
        self.reopenWindow = reopenWindow
        self.followsChanges = followsChanges
        self.ignored = ignored
    }
}
