// The sections of `monitor.yaml`, except the domains (`WatchedDomain`, in `Evidence`), the maintenance windows
// (`MaintenanceWindow`, in `Monitoring`) and the alerts (`AlertSettings.swift`).

import Evidence
import Facts
import Monitoring

/// A valid `monitor.yaml`, with variables, secret files and defaults filled in.
package struct ConfigurationFile: Sendable, Equatable {
    /// The settings for domains without their own. Already merged into each of `domains`.
    package var defaults: CheckSettings
    /// This monitor's name in messages; nil: the host name.
    package var instance: String?
    /// The share to which `domains` is limited; nil: all.
    package var shard: Shard?
    /// The domains of this daemon's share, without repetition, in file order. Not empty without a shard.
    package var domains: [WatchedDomain]
    package var network: NetworkSettings
    package var cdn: CDNSettings
    package var vantages: [Vantage]
    package var alerts: AlertSettings
    /// In file order, with unique names.
    package var maintenance: [MaintenanceWindow]
    package var store: StoreSettings
    package var server: ServerSettings
    package var log: LogSettings
    /// nil: the monitor pings no watchdog.
    package var heartbeat: HeartbeatSettings?
    /// The quoted text of values that contain a variable, by the key's path.
    var written: [String: String] = [:]

    package init(
        defaults: CheckSettings = CheckSettings(), domains: [WatchedDomain], network: NetworkSettings = .init(),
        cdn: CDNSettings = .init(), vantages: [Vantage] = [], alerts: AlertSettings = .init(),
        maintenance: [MaintenanceWindow] = [], store: StoreSettings = .init(), server: ServerSettings = .init(),
        log: LogSettings = .init()
    ) {
        self.defaults = defaults
        self.domains = domains
        self.network = network
        self.cdn = cdn
        self.vantages = vantages
        self.alerts = alerts
        self.maintenance = maintenance
        self.store = store
        self.server = server
        self.log = log
    }

    /// The value of a key for messages: `words`, or the text of the file if that contains a variable, because messages
    /// never show the value of a variable. `key`: its path.
    package func shown(_ words: String, of key: String) -> String { written[key] ?? words }
}
