// The metrics of one monitor, by the names of docs/metrics.md. Those who check and those who notify write them; `/metrics`
// reads them. The gauges of a domain are replaced as a whole by each of its checks, so that a scrape reads no store.

import Synchronization

/// What is known of one domain after its last check.
package struct DomainGauges: Sendable {
    /// Whether the origin serves a file; nil: this machine could not ask.
    package var isOriginUp: Bool?
    /// nil: Apple's CDN was not asked, or said nothing about the file.
    package var isInSync: Bool?
    /// nil: nothing is known to lag.
    package var lagSeconds: Int?
    /// Of the last look at each edge; nil before the first, and where edges are not asked.
    package var edges: (inSync: Int, asked: Int)?
    /// In seconds since 1970.
    package var certificateExpiry: Double?
    /// `state` of the comparison.
    package var state: String
    /// Rule and severity of each finding, once.
    package var findings: [Labels]

    package init(
        isOriginUp: Bool?, isInSync: Bool?, lagSeconds: Int?, edges: (inSync: Int, asked: Int)?,
        certificateExpiry: Double?, state: String, findings: [Labels]
    ) {
        self.isOriginUp = isOriginUp
        self.isInSync = isInSync
        self.lagSeconds = lagSeconds
        self.edges = edges
        self.certificateExpiry = certificateExpiry
        self.state = state
        self.findings = findings
    }
}

package final class MetricsRegistry: Sendable {
    /// From the first request of a check to its commit, in seconds.
    package let checkDuration = Histogram([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60])
    /// `outcome`: the level of the verdict, or `discarded` where the store took nothing.
    package let checks = Counter(["ok", "warning", "failing", "unknown", "discarded"].map { Labels(["outcome": $0]) })
    /// From a change at the origin until Apple's CDN was seen to have it, in seconds.
    package let propagation = Histogram([300, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172_800, 604_800])
    /// From the instant at which a check is due to its begin, in seconds.
    package let lateness = Histogram([0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900])
    private let gauges = Mutex<[String: DomainGauges]>([:])

    package init() {}

    /// What the last check of a domain showed; nil once it is no longer watched.
    package func set(_ domain: String, _ gauges: DomainGauges?) { self.gauges.withLock { $0[domain] = gauges } }

    /// What is counted elsewhere at the time of a scrape.
    package struct Surroundings: Sendable {
        package var version: String
        /// Open incidents by kind; every kind is there.
        package var incidents: [(kind: String, count: Int)]
        /// Pending notifications by channel.
        package var pending: [(channel: String, count: Int)]
        /// Attempts to deliver, by channel and outcome.
        package var deliveries: [(channel: String, outcome: String, count: Int)]
        /// Whether there is a sample for each domain.
        package var isByDomain: Bool

        package init(
            version: String, incidents: [(kind: String, count: Int)], pending: [(channel: String, count: Int)],
            deliveries: [(channel: String, outcome: String, count: Int)], isByDomain: Bool
        ) {
            self.version = version
            self.incidents = incidents
            self.pending = pending
            self.deliveries = deliveries
            self.isByDomain = isByDomain
        }
    }

    package func exposition(_ now: Surroundings) -> Exposition {
        let domains = gauges.withLock { $0 }.sorted { $0.key < $1.key }
        var text = Exposition(capacity: 16 * 1024 + (now.isByDomain ? domains.count * 600 : 0))
        text.family(
            "aasa_build_info", .gauge, "Always 1; the version is a label", [(Labels(["version": now.version]), 1)])
        checks.write("aasa_checks_total", "Checks by their verdict", to: &text)
        checkDuration.write(
            "aasa_check_duration_seconds", "From the first request of a check to its commit", to: &text)
        lateness.write(
            "aasa_schedule_lateness_seconds", "From the instant at which a check is due to its begin", to: &text)
        propagation.write(
            "aasa_propagation_seconds", "From a change at the origin until the CDN was seen to have it", to: &text)
        text.family(
            "aasa_alert_deliveries_total", .counter, "Attempts to deliver a message by their outcome",
            now.deliveries.map { (Labels(["channel": $0.channel, "outcome": $0.outcome]), Double($0.count)) })
        text.family(
            "aasa_notifications_pending", .gauge, "Notifications that a channel is still to be sent",
            now.pending.map { (Labels(["channel": $0.channel]), Double($0.count)) })
        text.family(
            "aasa_incidents_open", .gauge, "Incidents that fire or recover",
            now.incidents.map { (Labels(["kind": $0.kind]), Double($0.count)) })
        let states = domains.reduce(into: [:]) { $0[$1.value.state, default: 0] += 1 }.sorted { $0.key < $1.key }
        text.family(
            "aasa_domains", .gauge, "Domains by the state of Apple's copy",
            states.map { (Labels(["state": $0.key]), Double($0.value)) })
        if now.isByDomain { Self.write(domains.map { (Labels(["domain": $0.key]), $0.value) }, to: &text) }
        return text
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
        gauge("aasa_cdn_in_sync", "Whether Apple's copy says the same as the origin's file") {
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
        text.family(
            "aasa_finding", .gauge, "Findings of the last check; 1 where there is one",
            domains.lazy.flatMap { domain in domain.gauges.findings.map { (domain.labels + $0, 1) } })
    }

    /// What one probe saw, as `/probe` answers it. `took`: in seconds.
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
