// The monitor's own parts over a real store, wired as the daemon does it. This file is all of the bench that knows how they
// are built.

import Alerting
import Daemon
import Evidence
import Foundation
import GRDB
import Logging
import MonitorConfiguration
import Monitoring
import Storage

struct MonitorParts: Sendable {
    private let path: String
    private let store: Store
    private let delivery: Delivery
    private let watchers: [DomainWatcher]

    private static let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }

    /// Opens a new store. All domains have one interval, and are routed to all channels.
    init(
        path: String, domains: [Domain], channels: [String], interval: Duration, sites: FakeSites, time: any Timekeeper
    ) throws {
        self.path = path
        let store = try Store(path: path, access: .monitor, now: { time.now() })
        let alerts = AlertSettings()
        let routing = Routing(
            channels: try channels.map { try Channel(name: $0, kind: .webhook, url: "https://\($0).test/in") },
            domains: Dictionary(domains.map { ($0, Routing.DomainRoute(interval: interval)) }) { first, _ in first },
            cdnBaseURL: "https://cdn.test/a/v1", groupWait: alerts.groupWait, groupInterval: alerts.groupInterval,
            instance: "bench")
        let delivery = Delivery(
            store: store, routing: routing, transport: sites, time: time,
            settings: Delivery.Settings(userAgent: "aasa-monitor-bench"), logger: Self.logger)
        (self.store, self.delivery) = (store, delivery)
        let watched = domains.map { domain in
            var defaults = DomainDefaults()
            defaults.interval = interval
            return WatchedDomain(domain: domain, defaults: defaults)
        }
        watchers = ConfigurationFile(domains: watched).domainConfigurations.map { configuration in
            DomainWatcher(
                configuration: configuration, policy: Policy(), probe: sites, store: store, fleet: nil,
                delivery: delivery, time: time, logger: Self.logger)
        }
    }

    /// Sends until the task is cancelled.
    func deliver() async {
        await delivery.run()
    }

    func firstState(_ domain: Domain) async throws -> DomainState { try await store.firstState(of: domain) }

    /// One check from the probe to the commit.
    func check(_ number: Int, _ state: DomainState) async throws -> DomainState {
        try await watchers[number].check(state)
    }

    /// The fleet is fine: the delivery sends nothing about a check that no evaluation of the fleet has followed.
    func evaluateFleet(at now: Date) { delivery.set(fleet: now, affected: [:]) }

    /// Commits of checks share transactions.
    var transactions: Int { store.commitTally.transactions }

    /// How many notifications receivers have taken: one for each channel, incident and event.
    func notifications() throws -> Int {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM delivery WHERE outcome = 'delivered'") ?? 0
        }
    }

    /// Bytes of the stored state of a domain, on average.
    func stateBytes() throws -> Int {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "SELECT avg(length(state)) FROM domain") ?? 0 }
    }

    func close() throws { try store.close() }
}

extension FakeSites: DomainProbing {
    func observe(
        _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String], timeout: Duration?,
        compared: (origin: ContentHash, copy: ContentHash)?, now: Date
    ) async throws -> Observation {
        try observe(domain, depth: depth, now: now)
    }
}
