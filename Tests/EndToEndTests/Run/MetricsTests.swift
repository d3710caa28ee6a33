// Each metric changes on the real daemon, and Prometheus' own linter has no complaints.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct MetricsTests {
        private static let judge = "/usr/bin/promtool"

        private func scrape(_ stage: Stage, _ page: String) async throws -> [String: Double] {
            let curl = try stage.tool("curl", ["-q", "-sS", "--max-time", Stage.patience, page + "metrics"])
            try await curl.ended()
            var samples: [String: Double] = [:]
            for line in curl.output.split(separator: "\n") where !line.hasPrefix("#") {
                guard let blank = line.lastIndex(of: " "), let value = Double(line[line.index(after: blank)...])
                else { continue }
                samples[String(line[..<blank])] = value
            }
            return samples
        }

        @Test("each metric changes with its event")
        func story() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("good.test").serve(file())
                stage.lab.origin("site.test").serve(file("v1"))
                let watch = try Watch(
                    stage, ["good.test", "site.test"],
                    Watch.Settings(
                        staleAfter: Watch.soon, defaults: "  full_every: 1s",
                        channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, page) = try await watch.started()
                try await watch.checks(8, of: "good.test", "site.test")
                var seen = try await scrape(stage, page)
                #expect(seen["aasa_origin_up{domain=\"site.test\"}"] == 1)
                #expect(seen["aasa_cdn_in_sync{domain=\"site.test\"}"] == 1)
                #expect(seen["aasa_cdn_lag_seconds{domain=\"site.test\"}"] == 0)
                #expect(seen["aasa_domains{state=\"in_sync\"}"] == 2)
                #expect(seen["aasa_incidents_open{kind=\"cdn.stale\",severity=\"error\"}"] == 0)
                #expect(seen["aasa_domains{state=\"stale\"}"] == 0)
                #expect(seen["aasa_notifications_pending{channel=\"hook\"}"] == 0)
                let checked = seen["aasa_last_check_timestamp_seconds{domain=\"site.test\"}"] ?? 0
                #expect(checked > Date().timeIntervalSince1970 - Double(Stage.timeout.components.seconds))
                #expect(seen["aasa_config_last_reload_successful"] == 1)
                #expect(seen["aasa_store_size_bytes"] ?? 0 > 0)
                #expect(seen["process_resident_memory_bytes"] ?? 0 > 0)
                let expiry = seen["aasa_certificate_expiry_timestamp_seconds{domain=\"site.test\"}"] ?? 0
                #expect(expiry > Date().timeIntervalSince1970)
                #expect(seen["aasa_checks_total{outcome=\"ok\"}"] ?? 0 >= 8)
                #expect(seen["aasa_check_duration_seconds_count"] ?? 0 >= 8)
                #expect(seen["aasa_schedule_lateness_seconds_count"] ?? 0 >= 8)

                stage.lab.origin("site.test").serve(file("v2"))
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                try await watch.checks(2, of: "site.test")
                // Counted after the receiver's answer.
                let delivered = "aasa_alert_deliveries_total{channel=\"hook\",outcome=\"delivered\"}"
                try await until("the count of the delivery", every: .milliseconds(50), seen: { "\(seen)" }) {
                    seen = try await scrape(stage, page)
                    return seen[delivered] ?? 0 > 0
                }
                #expect(seen["aasa_cdn_in_sync{domain=\"site.test\"}"] == 0)
                #expect(seen["aasa_cdn_lag_seconds{domain=\"site.test\"}"] ?? 0 > 0)
                #expect(seen["aasa_domains{state=\"stale\"}"] == 1)
                #expect(seen["aasa_incidents_open{kind=\"cdn.stale\",severity=\"error\"}"] == 1)
                #expect(seen["aasa_finding{domain=\"site.test\",rule=\"cdn.stale\",severity=\"error\"}"] == 1)
                #expect(seen["aasa_checks_total{outcome=\"failing\"}"] ?? 0 > 0)
                #expect(seen[delivered] == 1)
                #expect(seen["aasa_propagation_seconds_count"] == 0)

                stage.lab.cdn.refresh("site.test")
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                stage.lab.origin("good.test").behaviour = .reply(.status(500))
                try await watch.checks(4, of: "site.test", "good.test")
                seen = try await scrape(stage, page)
                #expect(seen["aasa_propagation_seconds_count"] == 1)
                #expect(seen["aasa_origin_up{domain=\"good.test\"}"] == 0)
                #expect(!seen.keys.contains { $0.contains(Watch.secret) || $0.contains(receiver.url("")) })
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test(
            "promtool accepts the metrics",
            .enabled(
                if: FileManager.default.isExecutableFile(atPath: judge),
                "promtool is not installed; make setup installs it"))
        func promtool() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let (process, page) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                let judged = try stage.tool(
                    "bash",
                    ["-c", "curl -q -sS --max-time \(Stage.patience) \(page)metrics | \(Self.judge) check metrics"])
                let end = try await judged.ended()
                #expect(end == .exit(0), "\(judged.output)\(judged.errors)")
                #expect(judged.output + judged.errors == "")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
            }
        }
    }
}
