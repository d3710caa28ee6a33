// deploy/prometheus with the real Prometheus. `make setup` installs it.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite(.enabled(if: Prometheus.isInstalled, "Prometheus is not installed; make setup installs it"))
    struct PrometheusTests {
        @Test("the rules pass their unit tests, and promtool accepts all files")
        func units() async throws {
            try await Stage.withoutLab { stage in
                let commands = [
                    ["test", "rules", "aasa-monitor.rules.test.yml"], ["check", "rules", "aasa-monitor.rules.yml"],
                    ["check", "config", "scrape-metrics.yml"], ["check", "config", "scrape-probe.yml"],
                ]
                for command in commands {
                    let path = Prometheus.folder.appending(path: command[2]).path
                    let tool = try stage.tool(Prometheus.tool, command.prefix(2) + [path])
                    #expect(try await tool.ended() == .exit(0), "\(command): \(tool.output)\(tool.errors)")
                }
                let tested = try PrometheusFiles.text("aasa-monitor.rules.test.yml")
                for alert in try PrometheusFiles.alerts() {
                    #expect(tested.contains("alertname: \(alert)\n"), "\(alert) has no unit test")
                }
            }
        }

        @Test("sites break and the monitor fails: each alert fires, and each expression has a sample")
        func story() async throws {
            try await Stage.with { stage in
                let lab = stage.lab
                let (receiver, gone) = (try await LabReceiver.start(), try await LabReceiver.start())
                gone.answers(500)
                for host in ["good.test", "moved.test", "changed.test", "missing.test", "wrong.test"] {
                    lab.origin(host).serve(file("v1"))
                }
                for (host, days) in [("ending.test", 5), ("soon.test", 1)] {
                    lab.origin(host).serve(file())
                    lab.origin(host).certificate = .expiring(in: .seconds(days * 86_400))
                }
                lab.origin("down.test").behaviour = .reply(.status(500))
                let hosts = [
                    "good.test", "moved.test", "missing.test", "ending.test", "soon.test", "down.test",
                    "{domain: changed.test, labels: {team: growth}}",
                    "{domain: wrong.test, expect: {apps: [ABCDE12345.com.example.other]}}",
                ]
                var settings = Watch.Settings(
                    staleAfter: Watch.soon, defaults: "  full_every: 1s",
                    channels: [Watch.webhook(receiver.url("/in")), Watch.webhook(gone.url("/in"), name: "gone")])
                let watch = try Watch(stage, hosts, settings)
                let (monitor, page) = try await watch.started()
                try await watch.checks(2, of: "good.test", "moved.test", "changed.test", "missing.test")
                lab.origin("changed.test").serve(file("v2"))
                lab.origin("moved.test").serve(file("v2"))
                lab.cdn.fails("missing.test", reason: "SWCERR00101 Bad HTTP Response: 403")
                try await watch.checks(2, of: "moved.test")
                lab.cdn.refresh("moved.test")
                settings.defaults = "  full_every: never"
                _ = try Watch(stage, hosts, settings)
                monitor.signal(SIGHUP)

                let (blind, blindPage) = try await blindMonitor(stage)
                let idlePage = try await idleMonitor(stage)
                try stage.write("rules.yml", try PrometheusFiles.rulesBeyondLimits())
                let prometheus = try await Prometheus.start(
                    on: stage,
                    try PrometheusFiles.configuration(
                        monitors: [page, blindPage, idlePage].map(PrometheusFiles.target),
                        probed: ["good.test", "nobody.test"], rules: stage.path("rules.yml")))

                let all = try PrometheusFiles.alerts()
                var seen: Set<String> = []
                func fires(_ wanted: Set<String>) async throws {
                    let missing = { "missing: \(wanted.subtracting(seen).sorted())" }
                    try await until("the alerts", every: .milliseconds(200), seen: missing) {
                        seen.formUnion(try await prometheus.firing())
                        return seen.isSuperset(of: wanted)
                    }
                }
                try await fires(all.subtracting(["AasaMonitorDown"]))
                for severity in ["warning", "critical"] {
                    _ = try await prometheus.sample(
                        "ALERTS{alertname=\"AasaCertificateExpiring\",severity=\"\(severity)\"}")
                }
                try await blind.kill9()
                try await fires(all)

                for expression in try PrometheusFiles.expressions(domain: "changed.test") {
                    _ = try await prometheus.sample(expression)
                }
                for expression in try PrometheusFiles.documentedExpressions() {
                    _ = try await prometheus.sample(expression)
                }
                for record in try PrometheusFiles.text("aasa-monitor.rules.yml").matches(of: /record: (\S+)/) {
                    _ = try await prometheus.sample(String(record.1))
                }
                let labels = try await prometheus.sample(#"aasa_domain_info{domain="changed.test"}"#)["metric"]
                #expect(labels["team"].string == "growth")
                // Only OpenMetrics has this form of the label.
                _ = try await prometheus.sample(#"aasa_check_duration_seconds_bucket{le="1.0"}"#)
                try await names(page, stage)
                await receiver.shutdown()
                await gone.shutdown()
            }
        }

        /// A monitor on a machine without a network.
        private func blindMonitor(_ stage: Stage) async throws -> (MonitorProcess, page: String) {
            let nowhere = "::127.0.0.1:\(try stage.port())"
            return try await Watch(
                stage, ["good.test", "moved.test"],
                Watch.Settings(store: "blind.db", network: "  connect_to: [\"\(nowhere)\"]"), file: "blind.yaml"
            ).started()
        }

        /// A monitor that checked its domain and will not check again for an hour, without metrics of domains.
        private func idleMonitor(_ stage: Stage) async throws -> String {
            let settings = Watch.Settings(
                interval: "1h", store: "idle.db", server: ", metrics_by_domain: false",
                defaults: "  failure_threshold: 1")
            let (_, page) = try await Watch(stage, ["down.test"], settings, file: "idle.yaml").started()
            try await until("the check", every: .milliseconds(100)) {
                try await fetch(page + "metrics", on: stage).contains("aasa_checks_total{outcome=\"failing\"} 1\n")
            }
            return page
        }

        /// Every metric that files and documents name exists, and every existing metric is in the documents.
        private func names(_ page: String, _ stage: Stage) async throws {
            var real: Set<String> = []
            for path in ["metrics", "probe?target=changed.test&module=full"] {
                let text = try await fetch(page + path, on: stage)
                real.formUnion(text.matches(of: /(?m)^# TYPE (\S+)/).map { String($0.1) })
            }
            let document = PrometheusFiles.metrics(in: try PrometheusFiles.document())
            #expect(real.subtracting(document) == [], "not in docs/reference/metrics.md")
            let suffixes = ["_bucket", "_sum", "_count"]
            let samples = real.union(real.flatMap { name in suffixes.map { name + $0 } })
            #expect(document.subtracting(samples) == [], "only in docs/reference/metrics.md")
            for file in ["aasa-monitor.rules.yml", "aasa-monitor.rules.test.yml", "grafana-dashboard.json"] {
                let named = PrometheusFiles.metrics(in: try PrometheusFiles.text(file))
                #expect(!named.isEmpty && named.subtracting(samples) == [], "only in \(file)")
            }
        }
    }
}
