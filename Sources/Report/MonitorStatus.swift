import Evidence
import Foundation
import Monitoring
import Storage

/// The state of the monitor itself, and of many domains together: `/api/v1/status`.
package struct MonitorStatus: Codable, Sendable {
    package var schema = "aasa-monitor/status/v1"
    package private(set) var state: State
    /// The last sign of life of a monitor that has stopped or stalled; nil if it works, or never ran.
    package private(set) var since: Date?
    /// Why it is not ready.
    package private(set) var reason: String?
    /// The incidents of many domains together and of the monitor itself, the oldest first.
    package let incidents: [IncidentReport]
    package let pending: [PendingCount]
    /// How many the current or last configuration has; nil if unknown, or not public.
    package let channels: Int?
    /// That a silence covers everything, until when, and who made it.
    package let silenced: String?

    package enum State: String, Codable, Sendable {
        /// A daemon runs and checks.
        case checking
        case stopped
        /// A daemon runs but does not check.
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

    /// The same for a daemon that reports a problem with its own work.
    package func notReady(_ reason: String) -> MonitorStatus {
        var status = self
        (status.state, status.since, status.reason) = (.notReady, nil, reason)
        return status
    }
}
