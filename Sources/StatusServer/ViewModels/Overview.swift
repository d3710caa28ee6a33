// The overview in words, ready to be shown. Nothing here knows HTML; every text that may hold a stranger's words has been
// made displayable.

import Evidence
import Foundation
import Monitoring
import Storage

/// All watched domains at one instant, trouble first.
package struct Overview: Equatable, Sendable {
    /// `1 of 4 domains needs attention`.
    package let headline: String
    package let needsAttention: Bool
    /// That checks are late, so that the rest of the page is old; nil while none is.
    package let delay: String?
    /// That the configuration file is not the one in force; nil where it is.
    package let refusedReload: String?
    /// How many notifications are pending.
    package let notifications: String
    /// What many domains have together, and the monitor's own trouble.
    package let fleet: [FleetLine]
    package let rows: [OverviewRow]
    package let version: String
    package let rendered: Moment

    /// What is the same for every page.
    package struct Surroundings: Sendable {
        package var version: String
        package var cdnBaseURL: String

        package init(version: String, cdnBaseURL: String) {
            self.version = version
            self.cdnBaseURL = cdnBaseURL
        }
    }

    /// Open incidents are taken from the summaries, which are of one moment with their verdicts; what the store knows
    /// of domains that are not watched is left out.
    package init(
        watched: [WatchedDomainInfo], summaries: [DomainSummary], pending: [PendingCount],
        surroundings: Surroundings, context: IncidentContext = IncidentContext(), refusedReload: String? = nil,
        time: PageTime
    ) {
        fleet = context.fleet.map { FleetLine($0.record, $0.facts, time: time) }
        let known = Dictionary(summaries.map { ($0.domain, $0) }) { first, _ in first }
        rows =
            watched
            .map {
                OverviewRow(
                    $0, summary: known[$0.domain], cdnBaseURL: surroundings.cdnBaseURL, context: context, time: time)
            }
            .sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
        let troubled = rows.count(where: \.needsAttention)
        let isFiring = context.fleet.contains { $0.record.incident.state == .firing }
        needsAttention = troubled > 0 || isFiring
        headline = Self.headline(rows, troubled: troubled)
        delay = Self.delay(rows.count(where: \.isOverdue))
        self.refusedReload = refusedReload.map { "The configuration file was changed but not taken: \($0)" }
        notifications = Self.notifications(pending, time)
        version = surroundings.version.displayable
        rendered = time.moment(time.now)
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

    private static func delay(_ late: Int) -> String? {
        switch late {
        case 0: nil
        case 1: "1 domain is overdue for a check"
        default: "\(late.grouped) domains are overdue for a check"
        }
    }

    private static func notifications(_ pending: [PendingCount], _ time: PageTime) -> String {
        let waiting = pending.filter { $0.count > 0 }
        guard let oldest = waiting.map(\.since).min() else { return "no notification is pending" }
        let count = waiting.reduce(0) { $0 + $1.count }
        let channels = waiting.map(\.channel).sorted().map { $0.displayable.shortened(to: 40) }
        let named = channels.prefix(3).joined(separator: ", ") + (channels.count > 3 ? ", …" : "")
        let what = count == 1 ? "1 notification is pending" : "\(count.grouped) notifications are pending"
        return "\(what) for \(named), the oldest from \(time.moment(oldest).age)"
    }
}
