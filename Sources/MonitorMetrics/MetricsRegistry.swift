// The metrics of one monitor; docs/reference/metrics.md describes them. The checks and the notifier write them, and
// `/metrics` reads them. Each check replaces all gauges of its domain, so a scrape reads nothing from the store.

import Synchronization

/// The state of one domain after its last check.
package struct DomainGauges: Sendable {
    /// Whether the origin serves a file; nil if this machine could not ask.
    package var isOriginUp: Bool?
    /// nil: the origin's file and Apple's copy could not be compared.
    package var isInSync: Bool?
    /// nil: no known lag.
    package var lagSeconds: Int?
    /// From the last check of all edges; nil before the first one, and if edges are not checked.
    package var edges: (inSync: Int, asked: Int)?
    /// In seconds since 1970.
    package var certificateExpiry: Double?
    /// When the check ended, by the wall clock, in seconds since 1970.
    package var checkedAt: Double
    /// The `state` of the comparison between the origin and Apple's CDN.
    package var state: String
    /// The rule and severity of each finding, without repetition.
    package var findings: [Labels]

    package init(
        isOriginUp: Bool?, isInSync: Bool?, lagSeconds: Int?, edges: (inSync: Int, asked: Int)?,
        certificateExpiry: Double?, checkedAt: Double, state: String, findings: [Labels]
    ) {
        self.isOriginUp = isOriginUp
        self.isInSync = isInSync
        self.lagSeconds = lagSeconds
        self.edges = edges
        self.certificateExpiry = certificateExpiry
        self.checkedAt = checkedAt
        self.state = state
        self.findings = findings
    }
}

package final class MetricsRegistry: Sendable {
    /// From the first request of a check to its commit, in seconds.
    package let checkDuration = Histogram([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60])
    /// `outcome`: the level of the verdict, or `discarded` if the store write failed.
    package let checks = Counter(["ok", "warning", "failing", "unknown", "discarded"].map { Labels(["outcome": $0]) })
    /// From a change at the origin until the monitor saw it on Apple's CDN, in seconds.
    package let propagation = Histogram([300, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172_800, 604_800])
    /// From the time a check is due to its start, in seconds.
    package let lateness = Histogram([0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900])
    /// Responses of the status page and the API, by status code.
    package let requests = Counter([Labels(["code": "200"])])
    private let gauges = Mutex<[String: DomainGauges]>([:])

    package init() { _ = ProcessReading.start }

    /// Replaces the gauges of a domain; nil removes a domain that is no longer monitored.
    package func set(_ domain: String, _ gauges: DomainGauges?) { self.gauges.withLock { $0[domain] = gauges } }

    /// Values that other components count at the time of a scrape.
    package struct Environment: Sendable {
        package var version: String
        /// The watched domains with the labels of the configuration.
        package var domains: [Labels]
        /// All states that a comparison can have.
        package var states: [String]
        /// Open incidents by kind and severity, including those without incidents.
        package var incidents: [(kind: String, severity: String, count: Int)]
        /// Pending notifications by channel.
        package var pending: [(channel: String, count: Int)]
        /// Delivery attempts by channel and outcome.
        package var deliveries: [(channel: String, outcome: String, count: Int)]
        package var storeBytes: Int
        /// When the running configuration was read, in seconds since 1970, and whether the last reload accepted the file.
        package var configuration: (readAt: Double, isFileTaken: Bool)
        package var process: ProcessReading
        /// Whether to write samples for each domain.
        package var isByDomain: Bool

        package init(
            version: String, domains: [Labels], states: [String],
            incidents: [(kind: String, severity: String, count: Int)], pending: [(channel: String, count: Int)],
            deliveries: [(channel: String, outcome: String, count: Int)], storeBytes: Int,
            configuration: (readAt: Double, isFileTaken: Bool), isByDomain: Bool
        ) {
            self.version = version
            self.domains = domains
            self.states = states
            self.incidents = incidents
            self.pending = pending
            self.deliveries = deliveries
            self.storeBytes = storeBytes
            self.configuration = configuration
            process = ProcessReading()
            self.isByDomain = isByDomain
        }
    }

    package func exposition(_ now: Environment) -> Exposition {
        let domains = gauges.withLock { $0 }.sorted { $0.key < $1.key }
        var text = Exposition(capacity: 16 * 1024 + (now.isByDomain ? domains.count * 600 : 0))
        text.family(
            "aasa_build_info", .gauge, "Always 1; the version is a label", [(Labels(["version": now.version]), 1)])
        checks.write("aasa_checks_total", "Checks by verdict", to: &text)
        checkDuration.write(
            "aasa_check_duration_seconds", "From the first request of a check to its commit", to: &text)
        lateness.write(
            "aasa_schedule_lateness_seconds", "From the time a check is due to its start", to: &text)
        propagation.write(
            "aasa_propagation_seconds", "From a change at the origin until Apple's CDN was seen to serve it", to: &text)
        text.family(
            "aasa_alert_deliveries_total", .counter, "Attempts to deliver a message, by outcome",
            now.deliveries.map { (Labels(["channel": $0.channel, "outcome": $0.outcome]), Double($0.count)) })
        text.family(
            "aasa_notifications_pending", .gauge, "Pending notifications by channel",
            now.pending.map { (Labels(["channel": $0.channel]), Double($0.count)) })
        text.family(
            "aasa_incidents_open", .gauge, "Firing and recovering incidents",
            now.incidents.map { (Labels(["kind": $0.kind, "severity": $0.severity]), Double($0.count)) })
        let states = domains.reduce(into: [:]) { $0[$1.value.state, default: 0] += 1 }
        text.family(
            "aasa_domains", .gauge, "Domains by the state of Apple's copy",
            now.states.map { (Labels(["state": $0]), Double(states[$0] ?? 0)) })
        write(now, to: &text)
        if now.isByDomain {
            text.family(
                "aasa_domain_info", .gauge, "Always 1; the labels of the domain", now.domains.lazy.map { ($0, 1) })
            Self.write(domains.map { (Labels(["domain": $0.key]), $0.value) }, to: &text)
        }
        return text
    }

    /// The monitor itself: its store, configuration, page and process.
    private func write(_ now: Environment, to text: inout Exposition) {
        func gauge(_ name: String, _ help: String, _ value: Double) {
            text.family(name, .gauge, help, [(Labels(), value)])
        }
        gauge("aasa_store_size_bytes", "The size of the store", Double(now.storeBytes))
        gauge(
            "aasa_config_last_reload_successful", "Whether the last reload accepted the configuration file",
            now.configuration.isFileTaken ? 1 : 0)
        gauge(
            "aasa_config_last_reload_success_timestamp_seconds",
            "When the running configuration was read, as Unix time", now.configuration.readAt)
        requests.write("aasa_http_requests_total", "Responses of the status page by status code", to: &text)
        now.process.write(to: &text)
    }

    private static func write(_ domains: [(labels: Labels, gauges: DomainGauges)], to text: inout Exposition) {
        func gauge(_ name: String, _ help: String, _ value: @escaping (DomainGauges) -> Double?) {
            text.family(
                name, .gauge, help,
                domains.lazy.compactMap { domain in value(domain.gauges).map { (domain.labels, $0) } })
        }
        gauge("aasa_origin_up", "Whether the origin serves a file") {
            $0.isOriginUp.map { $0 ? 1 : 0 }
        }
        gauge("aasa_cdn_in_sync", "Whether Apple's copy means the same as the origin's file") {
            $0.isInSync.map { $0 ? 1 : 0 }
        }
        gauge("aasa_cdn_lag_seconds", "How long Apple's copy lags behind a change; 0 in sync") {
            $0.lagSeconds.map(Double.init) ?? ($0.isInSync == true ? 0 : nil)
        }
        gauge("aasa_edges_in_sync", "Edges of the CDN that served the origin's file at the last full check") {
            $0.edges.map { Double($0.inSync) }
        }
        gauge("aasa_edges", "Edges of the CDN that were asked at the last full check") {
            $0.edges.map { Double($0.asked) }
        }
        gauge("aasa_certificate_expiry_timestamp_seconds", "When the origin's certificate expires, as Unix time") {
            $0.certificateExpiry
        }
        gauge("aasa_last_check_timestamp_seconds", "When the last check ended, as Unix time") { $0.checkedAt }
        text.family(
            "aasa_finding", .gauge, "1 for each finding of the last check",
            domains.lazy.flatMap { domain in domain.gauges.findings.map { (domain.labels + $0, 1) } })
    }

    /// The result of one probe, for `/probe`. `took`: in seconds.
    package static func exposition(
        probeOf domain: String, _ gauges: DomainGauges, isSuccess: Bool, took: Double
    ) -> Exposition {
        var text = Exposition(capacity: 4096)
        text.family(
            "probe_success", .gauge, "Whether the check found no error", [(Labels(), isSuccess ? 1 : 0)])
        text.family("probe_duration_seconds", .gauge, "How long the check took", [(Labels(), took)])
        write([(Labels(["domain": domain]), gauges)], to: &text)
        return text
    }
}
