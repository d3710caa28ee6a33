// What deploy/prometheus and docs/metrics.md ask of Prometheus.

import Foundation
import TestSupport
import Yams

enum PrometheusFiles {
    static func text(_ name: String) throws -> String {
        try String(contentsOf: Prometheus.folder.appending(path: name), encoding: .utf8)
    }

    static func document() throws -> String { try text("../../docs/metrics.md") }

    /// The names of all alerts.
    static func alerts() throws -> Set<String> {
        let root = try Yams.compose(yaml: try text("aasa-monitor.rules.yml"))
        let groups = root?["groups"]?.sequence.map(Array.init) ?? []
        let rules = groups.flatMap { $0["rules"]?.sequence.map(Array.init) ?? [] }
        return Set(rules.compactMap { $0["alert"]?.string })
    }

    /// The rules without their durations, and with limits that a test can wait for.
    static func rulesAtOnce() throws -> String {
        try replacing(
            text("aasa-monitor.rules.yml").replacing(/for: [0-9]+[mh]/) { _ in "for: 0s" },
            [
                ("aasa_last_check_timestamp_seconds > 3600", "aasa_last_check_timestamp_seconds > 0"),
                ("lateness_seconds:p95_15m > 60", "lateness_seconds:p95_15m > 0"),
                (#"outcome="discarded"}[15m])) > 0"#, #"outcome="discarded"}[15m])) >= 0"#),
            ])
    }

    /// The two files of scrapes in one configuration.
    static func configuration(monitors: [String], probed: [String], rules: String) throws -> String {
        func quoted(_ targets: [String]) -> String { "[\(targets.map { "\"\($0)\"" }.joined(separator: ", "))]" }
        let metrics = try replacing(
            text("scrape-metrics.yml"), [(#"["127.0.0.1:9630"]"#, quoted(monitors))])
        let probes = try replacing(
            text("scrape-probe.yml"),
            [
                ("[DOMAIN]", quoted(probed)), ("127.0.0.1:9630", monitors.first ?? ""),
                ("scrape_interval: 5m", "scrape_interval: 5s"), ("scrape_timeout: 25s", "scrape_timeout: 5s"),
                ("scrape_configs:\n", ""),
            ])
        return """
            global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}
            rule_files: ["\(rules)"]
            \(metrics)
            \(probes)
            """
    }

    /// - Throws: where one of the texts is not there exactly once: it has changed.
    private static func replacing(_ text: String, _ pairs: [(String, String)]) throws -> String {
        try pairs.reduce(text) { text, pair in
            guard text.components(separatedBy: pair.0).count == 2 else {
                throw Prometheus.Refused(description: "'\(pair.0)' is not there once")
            }
            return text.replacing(pair.0, with: pair.1)
        }
    }

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

    /// The expressions that docs/metrics.md shows.
    static func documentedExpressions() throws -> [String] {
        try document().matches(of: /```promql\n((?:[^`])+)```/).map { String($0.1) }
    }

    /// The metrics that a text names, those of recording rules left out.
    static func metrics(in text: String) -> Set<String> {
        Set(text.matches(of: /(?:^|[^.:\w])((?:aasa|probe|process)_[a-z_]+)/).map { String($0.1) })
    }
}
