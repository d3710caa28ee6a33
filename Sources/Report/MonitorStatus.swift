import Evidence
import Foundation
import Monitoring
import Storage

/// What is known of the monitor itself, and of many domains together: `/api/v1/status`.
package struct MonitorStatus: Codable, Sendable {
    package var schema = "aasa-monitor/status/v1"
    package let state: State
    /// The last sign of a monitor that has stopped or stalled; nil where it works, or where there never was one.
    package let since: Date?
    /// Why it is not ready.
    package let reason: String?
    /// What many domains have together, and the monitor's own trouble, the oldest first.
    package let incidents: [IncidentReport]
    package let pending: [PendingCount]
    /// Of the configuration that runs or ran last; nil where that is not known, or not for everybody.
    package let channels: Int?
    /// That a silence covers everything, until when, and whose it is.
    package let silenced: String?

    package enum State: String, Codable, Sendable {
        /// A daemon runs and checks.
        case checking
        case stopped
        /// A daemon runs and does not check.
        case stalled
        /// A daemon reports a problem with its own work.
        case notReady = "not_ready"
    }

    /// `life`: its instants by the wall clock.
    package init(
        _ life: MonitorLife, incidents: [IncidentReport], pending: [PendingCount], channels: Int?, silenced: String?
    ) {
        switch life {
        case .checking: (state, since, reason) = (.checking, nil, nil)
        case .stopped(let last): (state, since, reason) = (.stopped, last, nil)
        case .stalled(let last): (state, since, reason) = (.stalled, last, nil)
        case .notReady(let words): (state, since, reason) = (.notReady, nil, words)
        }
        self.incidents = incidents
        self.pending = pending
        self.channels = channels
        self.silenced = silenced
    }
}
