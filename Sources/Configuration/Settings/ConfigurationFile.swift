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

/// How the monitor reaches the network.
package struct NetworkSettings: Sendable, Equatable {
    /// The maximum number of concurrent requests, 1 to 1,000.
    package var maxConcurrent = 64
    /// Certificates to trust instead of the system's. Already resolved against the configuration's folder.
    package var caFile: String?
    /// Each in the form of curl's `--connect-to`, `HOST1:PORT1:HOST2:PORT2`.
    package var connectTo: [String] = []
    /// Each in the form of curl's `--resolve`, `HOST:PORT:ADDRESS[,ADDRESS]...`.
    package var resolve: [String] = []
    /// A URL, which may contain a password.
    package var proxy: Secret?
    /// Hosts whose answers show that this machine's network works; at most 10, without repetition.
    package var canaries: [String] = []

    package init() {}
}

/// How the monitor queries Apple's CDN.
package struct CDNSettings: Sendable, Equatable {
    /// Without a final slash. The domain is appended as a path component.
    package var baseURL = AppleCDN.baseURL
    /// Whether to query each address of the CDN, not only the first one.
    package var edges = true
    /// For all domains together; more than 0.
    package var requestsPerSecond: Double = 50
    /// Whether to query the CDN for a domain whose origin has no file yet. Apple would cache the failure.
    package var askBeforeOrigin = false

    package init() {}
}

/// Where the monitor stores its data.
package struct StoreSettings: Sendable, Equatable {
    /// Already resolved against systemd's state directory, or else against the configuration's folder.
    package var path = "aasa-monitor.db"
    /// How long to keep single observations.
    package var keepObservations: Duration = .seconds(30 * 86_400)

    package init() {}
}

/// Where the status page is served, and who may use it.
package struct ServerSettings: Sendable, Equatable {
    /// A name or an address, IPv6 without brackets.
    package var host = "127.0.0.1"
    /// 0: the system chooses one.
    package var port = 9630
    /// Never nil unless `host` is a loopback address.
    package var token: Secret?
    /// Allows reading everything, but no changes.
    package var readerToken: Secret?
    /// Whether the overview, domains and badges need no token.
    package var isPublic = false
    /// The minimum length in characters. A shorter token can be guessed.
    package static let shortestToken = 16
    /// Whether only this machine can connect.
    package var isOnLoopback: Bool { HostAddress.isLoopback(host: host) }
    /// Whether it listens on all addresses. Links cannot use such an address.
    package var isOnAll: Bool { ["0.0.0.0", "::", "[::]"].contains(host) }
    /// The URL of the pages for links; nil: the listen address, unless that is loopback or means all addresses.
    package var publicURL: String?
    /// Whether HTTP requests cannot change anything.
    package var isReadOnly = false
    /// Proxies whose `X-Forwarded-For` is trusted.
    package var trustedProxies: [AddressRange] = []
    /// Whether `/metrics` has a sample for each domain.
    package var metricsByDomain = true
    /// Whether `/probe` checks domains that are not watched.
    package var probesUnknownDomains = false

    package init() {}
}

/// What the daemon logs, and in which form.
package struct LogSettings: Sendable, Equatable {
    /// The levels of swift-log, with the same names.
    package enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    package enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    package var level = Level.info
    package var format = Format.text

    package init() {}
}

/// An external watchdog that the monitor pings while it works.
package struct HeartbeatSettings: Sendable, Equatable {
    /// https, or http to a loopback host. A secret: anybody who knows it can ping instead of the monitor.
    package var url: Secret
    /// From 1 second to 1 day.
    package var every: Duration = .seconds(300)

    package init(url: Secret, every: Duration = .seconds(300)) {
        self.url = url
        self.every = every
    }
}
