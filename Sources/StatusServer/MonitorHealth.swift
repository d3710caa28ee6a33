// The daemon's own health, for the line at the top of each page.

import Evidence
import Foundation
import Monitoring
import Report

package struct MonitorHealth: Equatable, Sendable {
    /// How many seconds the most overdue check is late; 0 if the schedule keeps up.
    package var lateness: TimeInterval
    /// Whether this machine's own network is suspect.
    package var isNetworkSuspect: Bool
    package var channels: Int
    /// Channels that do not deliver, with the error of each.
    package var failingChannels: [FailingChannel]
    package var isStoreFailing: Bool
    /// When the running configuration was read.
    package var configuredAt: Date?

    package init(
        lateness: TimeInterval = 0, isNetworkSuspect: Bool = false, channels: Int = 0,
        failingChannels: [FailingChannel] = [], isStoreFailing: Bool = false, configuredAt: Date? = nil
    ) {
        self.lateness = lateness
        self.isNetworkSuspect = isNetworkSuspect
        self.channels = channels
        self.failingChannels = failingChannels
        self.isStoreFailing = isStoreFailing
        self.configuredAt = configuredAt
    }
}

extension Frame.HealthItem {
    fileprivate static func fine(_ name: String, _ text: String) -> Self {
        Self(name: name, text: text, mark: "m-check", tone: "ok")
    }
    fileprivate static func trouble(_ name: String, _ text: String, _ tone: Tone = .warn) -> Self {
        Self(name: name, text: text, mark: "m-at-risk", tone: tone.rawValue)
    }
}

extension MonitorHealth {
    /// Whether checks start so late that people should know.
    var isBehind: Bool { lateness > 60 }

    func items(
        domains: Int, waiting: Int, pendingMessages: Int, storeBytes: Int?, refusedReload: String?,
        time: ReportTime
    ) -> [Frame.HealthItem] {
        var items: [Frame.HealthItem] = []
        if isBehind {
            items.append(.trouble("Checks", "late by \(Span.words(lateness))"))
        } else if domains > 0, waiting == domains {
            items.append(.init(name: "Checks", text: "0 of \(domains.grouped)", mark: "m-waiting", tone: "soft"))
        } else {
            items.append(.fine("Checks", "\((domains - waiting).grouped) of \(domains.grouped) on time"))
        }
        items.append(
            isNetworkSuspect
                ? .trouble("Network", "suspect: this machine reaches no host") : .fine("Network", "reachable"))
        let pending = pendingMessages == 0 ? "0 pending" : "\(pendingMessages.grouped) pending"
        if let channel = failingChannels.first {
            let more = failingChannels.count > 1 ? ", \(failingChannels.count - 1) more" : ""
            items.append(
                .trouble(
                    "Alerts",
                    "\(channel.name.onOneLine(upTo: 40)) failing since \(time.brief(channel.since))\(more), \(pending)"
                ))
        } else if channels == 0 {
            items.append(.trouble("Alerts", "no channel: nobody is notified"))
        } else {
            items.append(.fine("Alerts", "\(pending), \(channels.of("channel"))"))
        }
        if isStoreFailing {
            items.append(.trouble("Store", "writes fail", .fail))
        } else if let storeBytes {
            items.append(.fine("Store", Self.size(storeBytes)))
        }
        if let refusedReload {
            items.append(.trouble("Configuration", "change rejected: \(refusedReload.shortened(to: 120))"))
        } else if let configuredAt {
            items.append(.fine("Configuration", "loaded \(time.brief(configuredAt))"))
        }
        return items
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000_000: "\(max(1, bytes / 1000)) KB"
        case ..<1_000_000_000: "\(bytes / 1_000_000) MB"
        default: "\(Double(bytes / 100_000_000) / 10) GB"
        }
    }
}
