// Another configuration for a daemon that goes on running: judged whole, then applied as differences. What did not
// change is not disturbed, what was told is not told again, and no message is lost.

import Alerting
import Curl
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import StatusServer
import Storage

struct Reload: Sendable {
    let live: LiveConfiguration
    let board: WatchBoard
    let maker: WatchMaker
    let checks: SharedDriver
    let alerts: SharedDriver
    let site: StatusSite
    let logger: Logger

    /// Takes the new configuration, or changes nothing at all.
    /// - Throws: `ChannelFault`, `SilenceFault`, `CurlError` or `StoreError` where it cannot be used; the old one goes on.
    func apply(_ wanted: ConfigurationFile) async throws {
        let former = live.current
        let (next, fixed) = wanted.keepingWhatNeedsARestart(of: former)
        // All that may fail comes first.
        let channels = try next.alerts.channels.map(Channel.init(settings:))
        let windows = try next.maintenance.map(MaintenanceWindow.init(settings:))
        let drivers = try await newDrivers(from: former, to: next)
        let changes = WatchChanges(from: board.orders, to: next.orders)
        // Nobody commits messages by the old routes once the new ones hold.
        await board.stop(changes.ending)
        let routes = Routes(channels: channels, of: next)
        do {
            try await maker.delivery.replace(channels: channels, groupWait: next.alerts.groupWait)
        } catch {
            // The channels are in force; only the queues of those that are gone wait until the store takes writes.
            logger.error("messages of removed channels cannot be dropped yet", metadata: ["error": "\(error)"])
        }
        maker.silences.replace(windows: windows, recipients: next.silenceRecipients, routes: routes)
        site.show(next, windows)
        if let driver = drivers.checks { await checks.replace(with: driver) }
        live.replace(with: next)
        await maker.fleet.replace(
            FleetJudge.Orders(next, routes, checks.present, userAgent: maker.userAgent, time: maker.time))
        await retire(except: Set(next.domains.map(\.domain)), routes)
        board.start(
            maker.watches(for: changes.beginning, of: next, routes: routes, driver: checks.present))
        maker.delivery.wake()
        site.tellRefusedReload(nil)
        tell(changes, former, next, fixed)
        // Last, since it waits for the answers to messages that are under way.
        if let driver = drivers.alerts { await alerts.replace(with: driver) }
    }

    private func newDrivers(
        from former: ConfigurationFile, to next: ConfigurationFile
    ) async throws -> (checks: CurlDriver?, alerts: CurlDriver?) {
        var made: CurlDriver?
        if former.network != next.network { made = try CurlDriver(forChecksOf: next) }
        guard former.network != next.network || former.alerts.channels.count < next.alerts.channels.count else {
            return (made, nil)
        }
        do {
            return (made, try CurlDriver(forAlertsOf: next))
        } catch {
            await made?.shutdown()
            throw error
        }
    }

    private func retire(except watched: Set<Domain>, _ routes: Routes) async {
        do {
            try await Retirement(store: maker.store, routes: routes, time: maker.time, logger: logger)
                .retireAll(except: watched)
        } catch {
            logger.error(
                "domains that are no longer watched cannot be taken leave of; the next start or reload tries again",
                metadata: ["error": "\(error)"])
        }
    }

    private func tell(
        _ changes: WatchChanges, _ former: ConfigurationFile, _ next: ConfigurationFile, _ fixed: [String]
    ) {
        // Before the line that ends a reload: whoever waits for that one has read all that the reload had to say.
        for key in fixed {
            logger.warning("a changed setting takes effect at the next start only", metadata: ["key": "\(key)"])
        }
        let before = Set(former.alerts.channels.map(\.name))
        let after = Set(next.alerts.channels.map(\.name))
        logger.notice(
            "the configuration was reloaded",
            metadata: [
                "domains": "\(next.domains.count)", "added": "\(changes.added)", "removed": "\(changes.removed)",
                "changed": "\(changes.changed)",
                "new_channels": "\(after.subtracting(before).sorted().joined(separator: ", "))",
                "removed_channels": "\(before.subtracting(after).sorted().joined(separator: ", "))",
            ])
    }
}

/// Which watches a new configuration ends and begins.
struct WatchChanges {
    /// Removed and changed ones.
    let ending: Set<Domain>
    /// New and changed ones.
    let beginning: [WatchOrder]
    let added: Int
    let removed: Int
    let changed: Int

    init(from present: [Domain: WatchOrder], to orders: [WatchOrder]) {
        beginning = orders.filter { present[$0.domain] != $0 }
        let staying = Set(orders.filter { present[$0.domain] == $0 }.map(\.domain))
        ending = Set(present.keys).subtracting(staying)
        added = beginning.count { present[$0.domain] == nil }
        changed = beginning.count - added
        removed = ending.count - changed
    }
}

extension ConfigurationFile {
    /// This configuration with those settings of the running one that only a new process can change, and their names
    /// where they differ.
    func keepingWhatNeedsARestart(of running: ConfigurationFile) -> (ConfigurationFile, fixed: [String]) {
        var next = self
        var fixed: [String] = []
        if server.host != running.server.host || server.port != running.server.port {
            // The token belongs to the address: without it another one may be open to everybody.
            next.server = running.server
            fixed.append("server.listen")
        }
        if store.path != running.store.path {
            next.store.path = running.store.path
            fixed.append("store.path")
        }
        if log != running.log {
            next.log = running.log
            fixed.append("log")
        }
        return (next, fixed)
    }
}
