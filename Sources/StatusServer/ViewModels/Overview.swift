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
    /// That checks are late, which makes all else on the page old; nil while none is.
    package let delay: String?
    /// That the configuration file is not the one in force; nil where it is.
    package let refusedReload: String?
    /// What still has to be told to somebody.
    package let outbox: String
    /// What many domains have together, and the monitor's own trouble.
    package let fleet: [FleetLine]
    package let rows: [OverviewRow]
    package let version: String
    package let rendered: Moment

    /// What is the same for every look.
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
        watched: [WatchedDomainInfo], summaries: [DomainSummary], outbox: [OutboxCount], surroundings: Surroundings,
        mutings: Mutings = Mutings(), fleet: [FleetIncident] = [], refusedReload: String? = nil, now: Date
    ) {
        self.fleet = fleet.map { FleetLine($0, mutings: mutings, now: now) }
        let known = Dictionary(summaries.map { ($0.domain, $0) }) { first, _ in first }
        rows =
            watched
            .map {
                OverviewRow(
                    $0, summary: known[$0.domain], cdnBaseURL: surroundings.cdnBaseURL, mutings: mutings, now: now)
            }
            .sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
        let troubled = rows.count(where: \.needsAttention)
        let isFiring = fleet.contains { $0.incident.state == .firing }
        needsAttention = troubled > 0 || isFiring
        headline = Self.headline(rows, troubled: troubled)
        delay = Self.delay(rows.count(where: \.isOverdue))
        self.refusedReload = refusedReload.map { "The configuration file was changed but not taken: \($0)" }
        self.outbox = Self.outbox(outbox, now: now)
        version = surroundings.version.displayable
        rendered = Moment(now, now: now)
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

    private static func outbox(_ counts: [OutboxCount], now: Date) -> String {
        let waiting = counts.filter { ($0.state == .queued || $0.state == .leased) && $0.rows > 0 }
        guard let oldest = waiting.map(\.oldest).min() else { return "no message waits to be sent" }
        let messages = waiting.reduce(0) { $0 + $1.rows }
        let channels = Set(waiting.map(\.channel)).sorted().map { $0.displayable.shortened(to: 40) }
        let named = channels.prefix(3).joined(separator: ", ") + (channels.count > 3 ? ", …" : "")
        let what = messages == 1 ? "1 message waits" : "\(messages.grouped) messages wait"
        return "\(what) to be sent to \(named), the oldest from \(Moment(oldest, now: now).age)"
    }
}
