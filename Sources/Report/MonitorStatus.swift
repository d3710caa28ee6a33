import Evidence
import Foundation
import Monitoring
import Storage

/// What is known of the monitor itself, and of many domains together: `/api/v1/status`.
package struct MonitorStatus: Codable, Sendable {
    package var schema = "aasa-monitor/status/v1"
    package private(set) var state: State
    /// The last sign of a monitor that has stopped or stalled; nil where it works, or where there never was one.
    package private(set) var since: Date?
    /// Why it is not ready.
    package private(set) var reason: String?
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

    package init(
        _ life: MonitorLife, incidents: [IncidentReport], pending: [PendingCount], channels: Int?, silenced: String?,
        time: ReportTime
    ) {
        switch life {
        case .checking: state = .checking
        case .stopped(let last): (state, since) = (.stopped, last.map(time.shown))
        case .stalled(let last): (state, since) = (.stalled, time.shown(last))
        }
        self.incidents = incidents
        self.pending = pending
        self.channels = channels
        self.silenced = silenced
    }

    /// The same of a daemon that reports a problem with its own work.
    package func notReady(_ reason: String) -> MonitorStatus {
        var status = self
        (status.state, status.since, status.reason) = (.notReady, nil, reason)
        return status
    }
}
