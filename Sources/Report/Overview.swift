import Evidence
import Foundation
import Monitoring
import Storage

/// All domains at one instant, trouble first, and the monitor itself: what `status` shows.
package struct Overview: Sendable {
    package let monitor: MonitorStatus
    package private(set) var domains: [DomainReport]
    /// `1 of 4 domains needs attention`.
    package let headline: String
    /// The same in the past tense, for a monitor that has stopped: `1 of 4 domains needed attention`.
    package let pastHeadline: String
    let wall: Date

    /// `domains`: in any order.
    package init(_ monitor: MonitorStatus, _ domains: [DomainReport], wall: Date) {
        self.monitor = monitor
        self.domains = domains.sorted { ($0.rank, $0.domain) < ($1.rank, $1.domain) }
        self.wall = wall
        headline = Self.headline(domains, isPast: false)
        pastHeadline = Self.headline(domains, isPast: true)
    }

    /// The same with fewer domains; the headline still counts all.
    package func showing(_ isShown: (DomainReport) -> Bool) -> Overview {
        var fewer = self
        fewer.domains = domains.filter(isShown)
        return fewer
    }

    private static func headline(_ domains: [DomainReport], isPast: Bool) -> String {
        guard !domains.isEmpty else { return isPast ? "No domain was watched" : "No domain is watched" }
        let unchecked = domains.count { $0.verdict == nil }
        // A domain whose state is now unknown may have been OK.
        let troubled = domains.count { isPast ? $0.needsAttention && $0.verdict != .unknown : $0.needsAttention }
        let all = domains.count.of("domain")
        if troubled > 0 {
            let verb = isPast ? "needed" : troubled == 1 ? "needs" : "need"
            return "\(troubled.grouped) of \(all) \(verb) attention"
        }
        if domains.contains(where: \.needsAttention) { return "no domain had trouble" }
        if unchecked == domains.count { return "\(all), not checked yet" }
        if unchecked > 0 {
            return "\((domains.count - unchecked).grouped) of \(all) OK, \(unchecked.grouped) not checked yet"
        }
        if isPast { return domains.count == 1 ? "1 domain was OK" : "All \(all) were OK" }
        return domains.count == 1 ? "1 domain, OK" : "All \(all) are OK"
    }

    /// How many notifications are pending, and why channels wait.
    package var notifications: String {
        let waiting = monitor.pending.filter { $0.count > 0 }
        guard let oldest = waiting.map(\.since).min() else {
            return monitor.channels == 0
                ? "no channel is configured, so nobody is notified" : "no notification is pending"
        }
        let count = waiting.reduce(0) { $0 + $1.count }
        let channels = waiting.map(\.channel).sorted().map { $0.displayable.shortened(to: 40) }
        let named = channels.prefix(3).joined(separator: ", ") + (channels.count > 3 ? ", …" : "")
        let what = count == 1 ? "1 notification is pending" : "\(count.grouped) notifications are pending"
        let held = waiting.sorted { $0.channel < $1.channel }.prefix(3).compactMap { count in
            count.waits.map {
                "\(count.channel.displayable.shortened(to: 40)) is paused until "
                    + "\(ReportTime.brief($0.until, wall: wall)) UTC: \($0.words)"
            }
        }
        let age = Span.age(wall.timeIntervalSince(oldest))
        return (["\(what) for \(named), the oldest from \(age)"] + held).joined(separator: "\n")
    }
}

extension DomainReport {
    package var needsAttention: Bool { verdict == .failing || verdict == .warning || verdict == .unknown }

    /// Whether it decides the exit code.
    package var isTrouble: Bool { verdict == .failing || isFiring }

    /// Smaller comes first: confirmed incidents come before what one check saw.
    fileprivate var rank: Int {
        let level =
            switch verdict {
            case .failing: 0
            case .warning: 1
            case .unknown: 2
            case nil: 3
            case .ok: 4
            }
        return level * 2 + (isFiring ? 0 : 1)
    }
}
