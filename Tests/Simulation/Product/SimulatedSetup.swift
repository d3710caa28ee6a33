// What `monitor.yaml` says in one life of the process. It may differ in the next one.

import Alerting
import Daemon
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring

/// A channel with its true properties.
struct SimulatedChannel: Equatable {
    let name: String
    let kind: ChannelKind
    /// The kinds that are sent there; empty: all.
    var kinds: [String] = []
    /// How often its messages moved to another place.
    var place = 0

    /// Each place has its own address.
    var host: String { place == 0 ? "\(name).test" : "\(name)-\(place).test" }

    /// The receiver keeps its own incidents.
    var isPager: Bool { kind == .pagerduty || kind == .alertmanager }
    var isFeed: Bool { kind == .alertmanager }

    func accepts(_ kind: IncidentKind) -> Bool {
        kinds.isEmpty
            || kinds.contains { $0.hasSuffix("*") ? kind.rawValue.hasPrefix($0.dropLast()) : kind.rawValue == $0 }
    }
}

struct SimulatedSetup {
    /// The sites that are watched, by number.
    var watched: Set<Int>
    var failureThreshold = 2
    var recoveryThreshold = 1
    var staleAfter: Duration = .seconds(24 * 3600)
    var remindEvery: Duration
    var windows: [MaintenanceWindow] = []
    /// The time between two checks, by site.
    let intervals: [Duration]
    var channels: [SimulatedChannel]
    var groupWait: Duration
    var groupInterval: Duration
    /// Whether there are reference hosts.
    let hasCanaries: Bool
    /// The channel for the monitor's own problems.
    let fallback: String?
    /// When the channel `boss` is notified; nil: never.
    var escalatesAfter: Duration?

    static let boss = "boss"

    /// Some sites are checked each minute; the others so rarely that simulating a year stays affordable.
    init(_ dice: inout Dice) {
        let sites = dice.number(1...12)
        let isFast = dice.happens(0.2)
        intervals = (0..<sites).map { site in
            let choice = site > 0 ? [900, 3600, 7200, 7200, 14_400, 14_400] : isFast ? [60, 300] : [900, 1800, 3600]
            return .seconds(dice.pick(choice) ?? 3600)
        }
        watched = Set(0..<sites)
        remindEvery = .seconds(3600 * (dice.pick([1, 2, 4, 24]) ?? 4))
        hasCanaries = dice.happens(0.5)
        fallback = dice.happens(0.5) ? "hook" : nil
        groupWait = .seconds(dice.pick([0, 0, 10, 30, 60, 300]) ?? 0)
        groupInterval = .seconds(dice.pick([0, 60, 300, 900]) ?? 0)
        let isFiltered = dice.happens(0.25)
        var channels = [
            SimulatedChannel(name: "hook", kind: .webhook),
            SimulatedChannel(
                name: "second", kind: .webhook, kinds: isFiltered ? ["origin.*", "cdn.stale", "cdn.missing"] : []),
            SimulatedChannel(name: "chat", kind: .slack), SimulatedChannel(name: "pager", kind: .pagerduty),
        ]
        if dice.happens(0.35) {
            channels.append(SimulatedChannel(name: Self.boss, kind: .slack))
            escalatesAfter = .seconds(dice.pick([1800, 3600, 4 * 3600]) ?? 3600)
        }
        if dice.happens(0.2) { channels.append(SimulatedChannel(name: "feed", kind: .alertmanager)) }
        self.channels = channels
    }

    static func name(of site: Int) -> String { "site\(site).example" }

    static func domain(of site: Int) throws -> Domain { try Domain(name(of: site)) }

    /// Site 1 is routed to only some channels.
    static func channels(of site: Int) -> [String]? { site == 1 ? ["hook", "chat"] : nil }

    func channel(_ name: String) -> SimulatedChannel? { channels.first { $0.name == name } }

    /// In seconds; nil for a domain that is not watched.
    func interval(of domain: String) -> Double? {
        watched.first { Self.name(of: $0) == domain }.map { intervals[$0] / .seconds(1) }
    }
}

/// How an incident concerns a channel, according to the setup.
enum Concern: Equatable {
    case none, atOnce
    /// It may be notified immediately: the regular channel is in trouble, as far as the process knows.
    case perhaps
    /// This many seconds after the firing.
    case later(Double)
}

extension SimulatedSetup {
    /// `troubled`: the channels that do not accept messages, as far as the process knows.
    func concern(
        of incident: CommittedIncident, to channel: SimulatedChannel, troubled: Set<String> = []
    ) -> Concern {
        guard channel.accepts(incident.kind) else { return .none }
        let later = escalatesAfter.map { Concern.later($0 / .seconds(1)) } ?? .none
        if incident.isGlobal { return concern(ofGlobal: incident, to: channel, later, troubled) }
        guard let site = watched.first(where: { Self.name(of: $0) == incident.domain }) else { return .none }
        if channel.name == Self.boss {
            let first = channels.filter { isRouted($0, site) && $0.accepts(incident.kind) }
            let isAlone = !first.isEmpty && first.allSatisfy { troubled.contains($0.name) }
            return later != .none && isAlone ? .perhaps : later
        }
        return isRouted(channel, site) ? .atOnce : .none
    }

    private func isRouted(_ channel: SimulatedChannel, _ site: Int) -> Bool {
        channel.name != Self.boss && Self.channels(of: site)?.contains(channel.name) ?? true
    }

    private func concern(
        ofGlobal incident: CommittedIncident, to channel: SimulatedChannel, _ later: Concern, _ troubled: Set<String>
    ) -> Concern {
        switch incident.cause {
        case "network", "cdn", "blind":
            // A channel that is notified of domains is also notified of their common problems.
            if channel.name == Self.boss { return later }
            return watched.contains { isRouted(channel, $0) } ? .atOnce : .none
        case "channel/\(channel.name)": return .none
        default:
            let isOfChannel = incident.cause.hasPrefix("channel/")
            if channel.name == fallback { return isOfChannel && troubled.contains(channel.name) ? .perhaps : .atOnce }
            // The incident that a channel is down goes to any working channel.
            let isPlain = fallback.map { incident.cause == "channel/\($0)" } ?? true
            if isOfChannel, !isPlain || channel.name == Self.boss || !troubled.isEmpty {
                return channel.name == Self.boss && later != .none && troubled.isEmpty ? later : .perhaps
            }
            if channel.name == Self.boss { return later }
            return isPlain ? .atOnce : .none
        }
    }
}

// The same for the product.
extension SimulatedSetup {
    func watchedDomain(_ site: Int) throws -> WatchedDomain {
        let checks = CheckSettings(
            interval: intervals[site], staleAfter: staleAfter, failureThreshold: failureThreshold,
            recoveryThreshold: recoveryThreshold)
        return WatchedDomain(domain: try Self.domain(of: site), checks: checks, channels: Self.channels(of: site))
    }

    /// The watched sites with their numbers, in order.
    func watchedDomains() throws -> [(Int, WatchedDomain)] {
        try watched.sorted().map { ($0, try watchedDomain($0)) }
    }

    func routing() throws -> Routing {
        let channels = channels.map { channel in
            Channel(
                name: channel.name, kind: channel.kind, url: "https://\(channel.host)/in",
                token: channel.kind == .pagerduty ? String(repeating: "A", count: 32) : nil, kinds: channel.kinds)
        }
        let steps = escalatesAfter.map { [Escalation.Step(after: $0, channels: [Self.boss])] } ?? []
        return Routing(
            channels: channels, domains: try watchedDomains().map(\.1), fallback: fallback,
            escalation: Escalation(steps), cdnBaseURL: "https://cdn.test/a/v1", remindEvery: remindEvery,
            groupWait: groupWait, groupInterval: groupInterval, instance: "monitor-1")
    }

    func globalConfiguration(_ canaries: any ConnectivityProbing, time: any MonitorClock) throws
        -> GlobalEvaluator.Configuration
    {
        let domains = try watchedDomains().map(\.1)
        let watch = ConnectivityWatch(
            hosts: ["reference.test"], probe: canaries, time: time,
            interval: domains.shortestInterval ?? .seconds(3600))
        return GlobalEvaluator.Configuration(
            domains: domains, channels: Set(channels.map(\.name)), canaries: hasCanaries ? watch : nil)
    }

    /// Sunday nights in a time zone with daylight saving.
    static func sundayNight(site: Int) throws -> MaintenanceWindow? {
        guard let start = TimeOfDay("01:30"), let zone = TimeZone(identifier: "Europe/Berlin") else { return nil }
        return MaintenanceWindow(
            name: "sunday", scope: SilenceScope(domains: [.exactly(try Domain(name(of: site)))]), days: [.sun],
            start: start, extent: .lasting(.seconds(3 * 3600)), zone: zone, reason: "backups")
    }
}
