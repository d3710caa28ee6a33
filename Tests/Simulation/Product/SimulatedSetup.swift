// What `monitor.yaml` says in one life of the process. It may say something else in the next.

import Alerting
import Daemon
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring

struct SimulatedSetup {
    /// The sites that are watched, by number.
    var watched: Set<Int>
    var failureThreshold = 2
    var recoveryThreshold = 1
    var staleAfter: Duration = .seconds(24 * 3600)
    var remindEvery: Duration = .seconds(24 * 3600)
    var windows: [MaintenanceWindow] = []
    /// Between two checks, by site.
    var intervals: [Duration]
    var groupWait: Duration = .zero
    /// Whether all sites are judged together.
    let hasFleet: Bool
    /// Whether there are reference hosts.
    var hasCanaries = false
    /// The channel for the monitor's own trouble.
    var fallback: String?

    /// Site 0 is looked at often enough to flap; the others as seldom as keeps a year affordable.
    /// A fleet has as many as it takes to speak of one.
    init(_ dice: inout Dice) {
        hasFleet = dice.happens(0.5)
        let sites = hasFleet ? dice.number(6...8) : 3
        watched = Set(0..<sites)
        if hasFleet {
            hasCanaries = dice.happens(0.6)
            fallback = dice.happens(0.5) ? "hook" : nil
        }
        groupWait = .seconds(dice.pick([0, 0, 30, 60, 300]) ?? 0)
        intervals = (0..<sites).map { site in
            .seconds(dice.pick(site == 0 ? [900, 1800, 3600] : [3600, 7200, 14_400]) ?? 3600)
        }
    }

    static let channels: [(name: String, kind: ChannelKind)] = [
        ("hook", .webhook), ("second", .webhook), ("chat", .slack), ("pager", .pagerduty),
    ]

    static func name(of site: Int) -> String { "site\(site).example" }

    static func domain(of site: Int) throws -> Domain { try Domain(name(of: site)) }

    /// Site 1 is told to some channels only.
    static func routes(of site: Int) -> [String]? { site == 1 ? ["hook", "chat"] : nil }

    static func channels(of site: Int) -> [String] { routes(of: site) ?? channels.map(\.name) }

    static func makeChannels() throws -> [Channel] {
        try channels.map { name, kind in
            try Channel(
                name: name, kind: kind, url: "https://\(name).test/in",
                token: kind == .pagerduty ? String(repeating: "A", count: 32) : nil)
        }
    }

    func watchedDomain(_ site: Int) throws -> WatchedDomain {
        var defaults = DomainDefaults()
        defaults.interval = intervals[site]
        defaults.staleAfter = staleAfter
        defaults.failureThreshold = failureThreshold
        defaults.recoveryThreshold = recoveryThreshold
        return WatchedDomain(
            domain: try Domain(Self.name(of: site)), defaults: defaults, channels: Self.routes(of: site))
    }

    /// The watched sites with their numbers, in order.
    func watchedDomains() throws -> [(Int, WatchedDomain)] {
        try watched.sorted().map { ($0, try watchedDomain($0)) }
    }

    func routes() throws -> Routes {
        Routes(
            channels: try Self.makeChannels(), cdnBaseURL: "https://cdn.test/a/v1",
            fleet: Routes.FleetRouting(watching: nil, fallback: fallback))
    }

    /// Who hears of which site.
    func recipients() throws -> [Domain: SilenceWatch.Recipient] {
        let pairs = try watchedDomains().map { _, watched in
            (watched.domain, SilenceWatch.Recipient(labels: watched.labels, channels: watched.channels))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// nil: each site is judged by itself alone.
    func makeFleet(
        _ parts: FleetJudge.Parts, _ routes: Routes, _ canaries: any CanaryLook, time: any Timekeeper
    ) throws -> FleetJudge? {
        guard hasFleet else { return nil }
        return FleetJudge(parts, try fleetOrders(routes, canaries, time: time))
    }

    func fleetOrders(
        _ routes: Routes, _ canaries: any CanaryLook, time: any Timekeeper
    ) throws -> FleetJudge.Orders {
        let pairs = try watched.sorted().map { (try Self.domain(of: $0), intervals[$0]) }
        let watch = CanaryWatch(
            hosts: ["reference.test"], probe: canaries, time: time,
            interval: pairs.map(\.1).min() ?? .seconds(3600))
        return FleetJudge.Orders(
            intervals: Dictionary(pairs) { first, _ in first }, routes: routes,
            policy: FleetPolicy(remindEvery: remindEvery), canaries: hasCanaries ? watch : nil)
    }

    /// Who is told of an incident of the fleet.
    func fleetChannels(of cause: FleetCause) -> [String] {
        let all = Self.channels.map(\.name)
        return switch cause {
        case .network, .cdn: all
        case .store, .schedule, .configuration: fallback.map { [$0] } ?? all
        case .channel(let sick): fallback.flatMap { $0 == sick ? nil : [$0] } ?? all.filter { $0 != sick }
        }
    }

    var policy: Policy {
        Policy(
            staleAfter: staleAfter, failureThreshold: failureThreshold, recoveryThreshold: recoveryThreshold,
            remindEvery: remindEvery)
    }

    /// Sunday nights in a zone whose clocks are set twice a year.
    static func sundayNight(site: Int) throws -> MaintenanceWindow? {
        guard let start = TimeOfDay("01:30"), let zone = TimeZone(identifier: "Europe/Berlin") else { return nil }
        return MaintenanceWindow(
            name: "sunday", scope: SilenceScope(domains: [.exactly(try Domain(name(of: site)))]), days: [.sun],
            start: start, extent: .lasting(.seconds(3 * 3600)), zone: zone, reason: "backups")
    }
}
