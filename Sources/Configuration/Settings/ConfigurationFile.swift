/// A whole `monitor.yaml`, checked, with variables, secret files and defaults filled in.
package struct ConfigurationFile: Sendable, Equatable {
    /// What a domain without settings of its own gets; already part of each of `domains`.
    package var defaults: DomainDefaults
    /// This monitor's name in messages; nil: the host's.
    package var instance: String?
    /// Whose domains these are; nil: all.
    package var shard: Shard?
    /// Those of this daemon's share, no domain twice, in the order of the file. Without a shard at least one.
    package var domains: [WatchedDomain]
    package var network: NetworkSettings
    package var cdn: CDNSettings
    package var vantages: [Vantage]
    package var alerts: AlertSettings
    /// No name twice, in the order of the file.
    package var maintenance: [MaintenanceSettings]
    package var store: StoreSettings
    package var server: ServerSettings
    package var log: LogSettings
    /// nil: no watchdog is pinged.
    package var heartbeat: HeartbeatSettings?

    package init(
        defaults: DomainDefaults = DomainDefaults(), domains: [WatchedDomain], network: NetworkSettings = .init(),
        cdn: CDNSettings = .init(), vantages: [Vantage] = [], alerts: AlertSettings = .init(),
        maintenance: [MaintenanceSettings] = [], store: StoreSettings = .init(), server: ServerSettings = .init(),
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
}
