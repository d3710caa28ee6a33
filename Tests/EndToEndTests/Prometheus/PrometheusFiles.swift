// The files of deploy/prometheus and the expressions of docs/reference/metrics.md.

import Foundation
import TestSupport
import Yams

enum PrometheusFiles {
    static func text(_ name: String) throws -> String {
        try String(contentsOf: Prometheus.folder.appending(path: name), encoding: .utf8)
    }

    static func document() throws -> String { try text("../../docs/reference/metrics.md") }

    /// The names of all alerts.
    static func alerts() throws -> Set<String> {
        let root = try Yams.compose(yaml: try text("aasa-monitor.rules.yml"))
        let groups = root?["groups"]?.sequence.map(Array.init) ?? []
        let rules = groups.flatMap { $0["rules"]?.sequence.map(Array.init) ?? [] }
        return Set(rules.compactMap { $0["alert"]?.string })
    }

    /// The rules without their durations.
    static func rulesAtOnce() throws -> String {
        try text("aasa-monitor.rules.yml").replacing(/for: [0-9]+[mh]/) { _ in "for: 0s" }
    }

    /// The same, with limits that every monitor exceeds.
    static func rulesBeyondLimits() throws -> String {
        try rulesAtOnce().replacing(once: [
            ("aasa_last_check_timestamp_seconds > 3600", "aasa_last_check_timestamp_seconds > 0"),
            ("lateness_seconds:p95_15m > 60", "lateness_seconds:p95_15m > 0"),
            (#"outcome="discarded"}[15m])) > 0"#, #"outcome="discarded"}[15m])) >= 0"#),
        ])
    }

    /// Both scrape files in one configuration. `token`: the file with the monitors' token.
    static func configuration(
        monitors: [String], probed: [String], rules: String, token: String? = nil, alertmanager: String? = nil
    ) throws -> String {
        func quoted(_ targets: [String]) -> String { "[\(targets.map { "\"\($0)\"" }.joined(separator: ", "))]" }
        let metrics = try text("scrape-metrics.yml").replacing(once: [(#"["127.0.0.1:9630"]"#, quoted(monitors))])
        let probes = try text("scrape-probe.yml").replacing(once: [
            ("[DOMAIN]", quoted(probed)), ("127.0.0.1:9630", monitors.first ?? ""),
            ("scrape_interval: 5m", "scrape_interval: 5s"), ("scrape_timeout: 25s", "scrape_timeout: 5s"),
            ("scrape_configs:\n", ""),
        ])
        let alerting = alertmanager.map {
            "alerting: {alertmanagers: [{static_configs: [{targets: [\"\($0)\"]}]}]}"
        }
        return """
            global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}
            rule_files: ["\(rules)"]
            \(alerting ?? "")
            \(try authorized(metrics, token))
            \(try authorized(probes, token))
            """
    }

    /// Uncomments the line for the token.
    private static func authorized(_ scrape: String, _ token: String?) throws -> String {
        guard let token else { return scrape }
        return try scrape.replacing(once: [
            ("# authorization:", "authorization:"), ("/etc/prometheus/aasa-monitor.token", token),
        ])
    }

    /// `http://127.0.0.1:1234/` as Prometheus names a target.
    static func target(_ page: String) -> String { String(page.dropFirst("http://".count).prefix { $0 != "/" }) }

    /// Every expression of the dashboard, with its variables filled in for a domain.
    static func expressions(domain: String) throws -> [String] {
        let dashboard = try JSONValue(try text("grafana-dashboard.json"))
        let panels = dashboard["panels"].elements.flatMap { $0["targets"].elements.compactMap { $0["expr"].string } }
        let variables = dashboard["templating"]["list"].elements.compactMap { $0["query"]["query"].string }
            .map { $0.replacing(/label_values\((.*), \w+\)/) { $0.1 } }
        return (panels + variables).map { filled($0, domain: domain) }
    }

    private static func filled(_ expression: String, domain: String) -> String {
        [("$__rate_interval", "1m"), ("$job", "aasa-monitor"), ("$instance", ".*"), ("$domain", domain)]
            .reduce(expression) { $0.replacing($1.0, with: $1.1) }
    }

    /// The expressions that docs/reference/metrics.md shows.
    static func documentedExpressions() throws -> [String] {
        try document().matches(of: /```promql\n((?:[^`])+)```/).map { String($0.1) }
    }

    /// The metrics that a text names, without recording rules.
    static func metrics(in text: String) -> Set<String> {
        Set(text.matches(of: /(?:^|[^.:\w])((?:aasa|probe|process)_[a-z_]+)/).map { String($0.1) })
    }
}
