// What `status` shows. Every text that may hold a stranger's words has been made displayable.

import Evidence
import Foundation
import Monitoring
import Storage

/// All domains that were checked, at one instant, trouble first.
package struct Overview: Equatable, Sendable {
    /// `1 of 4 domains needs attention`.
    package let headline: String
    /// How many notifications are pending.
    package let notifications: String
    /// What many domains have together, and the monitor's own trouble.
    package let fleet: [FleetLine]
    package let rows: [OverviewRow]

    /// Open incidents are taken from the states, which are of one moment with their verdicts.
    package init(
        _ states: [DomainState], pending: [PendingCount], context: IncidentContext = IncidentContext(),
        time: PageTime
    ) {
        self.init(
            rows: states.map { OverviewRow($0, context: context, time: time) },
            fleet: context.fleet.map { FleetLine($0.record, $0.facts, time: time) }, pending: pending, time: time)
    }

    /// `rows`: in any order.
    package init(rows: [OverviewRow], fleet: [FleetLine], pending: [PendingCount], time: PageTime) {
        self.fleet = fleet
        self.rows = rows.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
        headline = Self.headline(self.rows, troubled: rows.count(where: \.needsAttention))
        notifications = Self.notifications(pending, time)
    }

    private static func headline(_ rows: [OverviewRow], troubled: Int) -> String {
        guard !rows.isEmpty else { return "No domain is watched" }
        let unchecked = rows.count { $0.level == .unchecked }
        let all = rows.count.grouped + (rows.count == 1 ? " domain" : " domains")
        if troubled > 0 { return "\(troubled.grouped) of \(all) \(troubled == 1 ? "needs" : "need") attention" }
        if unchecked == rows.count { return "\(all), not checked yet" }
        if unchecked > 0 {
            return "\((rows.count - unchecked).grouped) of \(all) OK, \(unchecked.grouped) not checked yet"
        }
        return rows.count == 1 ? "1 domain, OK" : "All \(all) are OK"
    }

    private static func notifications(_ pending: [PendingCount], _ time: PageTime) -> String {
        let waiting = pending.filter { $0.count > 0 }
        guard let oldest = waiting.map(\.since).min() else { return "no notification is pending" }
        let count = waiting.reduce(0) { $0 + $1.count }
        let channels = waiting.map(\.channel).sorted().map { $0.displayable.shortened(to: 40) }
        let named = channels.prefix(3).joined(separator: ", ") + (channels.count > 3 ? ", …" : "")
        let what = count == 1 ? "1 notification is pending" : "\(count.grouped) notifications are pending"
        return "\(what) for \(named), the oldest from \(time.age(oldest))"
    }
}
