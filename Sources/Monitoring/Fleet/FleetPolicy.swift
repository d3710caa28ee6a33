import Foundation

/// The thresholds that `evaluateFleet` uses.
package struct FleetPolicy: Equatable, Sendable {
    /// More than this share of the domains must have turned together, from 0 to 1.
    package var share: Double
    /// And at least so many.
    package var least: Int
    /// While not all were checked since it began: more than this share of those that were.
    package var sureShare: Double
    /// At most: how long the local network is suspect before it is an incident.
    package var patience: Duration
    /// At most: how long a problem must look over before it is.
    package var settle: Duration
    /// How early the end of a grace counts, so that the parent comes before its children.
    package var lead: Duration
    /// How much later than three intervals a check must be for the schedule to be behind: what a busy machine may take.
    package var scheduleSlack: Duration
    package var reopenWindow: Duration

    package init(
        share: Double = 0.3, least: Int = 5, sureShare: Double = 0.6, patience: Duration = .seconds(30),
        settle: Duration = .seconds(30), lead: Duration = .seconds(30), scheduleSlack: Duration = .seconds(60),
        reopenWindow: Duration = .seconds(30 * 60)
    ) {
        self.share = share
        self.least = least
        self.sureShare = sureShare
        self.patience = patience
        self.settle = settle
        self.lead = lead
        self.scheduleSlack = scheduleSlack
        self.reopenWindow = reopenWindow
    }
}
