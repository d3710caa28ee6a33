// A whole `monitor.yaml` and its sections, but for the domains (`WatchedDomain`, in `Evidence`), the
// maintenance windows (`MaintenanceWindow`, in `Monitoring`) and the alerts (`AlertSettings.swift`).

import Evidence
import Facts
import Monitoring

/// A whole `monitor.yaml`, checked, with variables, secret files and defaults filled in.
package struct ConfigurationFile: Sendable, Equatable {
    /// What a domain without settings of its own gets; already part of each of `domains`.
    package var defaults: CheckSettings
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
    package var maintenance: [MaintenanceWindow]
    package var store: StoreSettings
    package var server: ServerSettings
    package var log: LogSettings
    /// nil: no watchdog is pinged.
    package var heartbeat: HeartbeatSettings?
    /// What the file says for a key where a variable says it, by the key's path, quoted.
    private let written: [String: String]

    package init(
        defaults: CheckSettings = CheckSettings(), domains: [WatchedDomain], network: NetworkSettings = .init(),
        cdn: CDNSettings = .init(), vantages: [Vantage] = [], alerts: AlertSettings = .init(),
        maintenance: [MaintenanceWindow] = [], store: StoreSettings = .init(), server: ServerSettings = .init(),
        log: LogSettings = .init(), written: [String: String] = [:]
    ) {
        self.written = written
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

    /// What a complaint calls the value of a key, which it names by its path: `words`, or the text as it stands in the file if
    /// that holds a variable, whose value no complaint shows.
    package func shown(_ words: String, of key: String) -> String { written[key] ?? words }
}

/// How the monitor reaches the network.
package struct NetworkSettings: Sendable, Equatable {
    /// Requests under way at the same time; 1 to 1,000.
    package var maxConcurrent = 64
    /// Certificates to trust in place of the system's; a relative path has been taken from the configuration's folder.
    package var caFile: String?
    /// Each in the form of curl's `--connect-to`, `HOST1:PORT1:HOST2:PORT2`.
    package var connectTo: [String] = []
    /// Each in the form of curl's `--resolve`, `HOST:PORT:ADDRESS[,ADDRESS]...`.
    package var resolve: [String] = []
    /// A URL, which may hold a password.
    package var proxy: Secret?
    /// Names of hosts that tell by answering that this machine's own network works; at most 10, none twice.
    package var canaries: [String] = []

    package init() {}
}

/// How Apple's CDN is asked.
package struct CDNSettings: Sendable, Equatable {
    /// Without a final slash; a domain's name is appended as one more path component.
    package var baseURL = AppleCDN.baseURL
    /// Whether each address of the CDN is asked, not only the first.
    package var edges = true
    /// For all domains together; more than 0.
    package var requestsPerSecond: Double = 50
    /// Whether the CDN is asked for a domain whose origin has no file yet; Apple would remember the failure.
    package var askBeforeOrigin = false

    package init() {}
}

/// Where the monitor keeps its memory.
package struct StoreSettings: Sendable, Equatable {
    /// A relative one is seen from the working directory.
    package var path = "aasa-monitor.db"
    /// How long single observations are kept.
    package var keepObservations: Duration = .seconds(30 * 86_400)

    package init() {}
}

/// Where the status page is served.
package struct ServerSettings: Sendable, Equatable {
    /// A name or an address, IPv6 without brackets.
    package var host = "127.0.0.1"
    /// 0 lets the system choose.
    package var port = 9630
    /// Never nil where `host` is other than loopback.
    package var token: Secret?
    /// Lets read everything and change nothing.
    package var readerToken: Secret?
    /// Whether the overview, domains and badges need no token.
    package var isPublic = false
    /// In characters. A shorter one can be guessed.
    package static let shortestToken = 16
    /// Only this machine reaches it.
    package var isOnLoopback: Bool { HostAddress.isLoopback(host: host) }
    /// It listens at an address that stands for all, which is nobody's.
    package var isOnAll: Bool { ["0.0.0.0", "::", "[::]"].contains(host) }
    /// Where people reach the page, for links; nil: where it listens, if that is no address of this machine alone.
    package var publicURL: String?
    /// Whether nothing can be changed over HTTP.
    package var isReadOnly = false
    /// Proxies whose `X-Forwarded-For` counts.
    package var trustedProxies: [AddressRange] = []
    /// Whether `/metrics` has a sample for each domain.
    package var metricsByDomain = true
    /// Whether `/probe` checks domains that are not watched.
    package var probesUnknownDomains = false

    package init() {}
}

/// What the daemon logs, and in which form.
package struct LogSettings: Sendable, Equatable {
    /// The levels of swift-log, by the same names.
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

/// A watchdog elsewhere that the monitor pings while it works.
package struct HeartbeatSettings: Sendable, Equatable {
    /// https, or plain http to a loopback host. Anybody who knows it can keep the watchdog quiet.
    package var url: Secret
    /// From a second to a day.
    package var every: Duration = .seconds(300)

    package init(url: Secret, every: Duration = .seconds(300)) {
        self.url = url
        self.every = every
    }
}
