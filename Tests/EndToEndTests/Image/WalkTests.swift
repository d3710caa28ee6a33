// Everything that a team sets up, in one test: the image, Debian's Prometheus and Alertmanager, and the check of pull
// requests. `make image-test` runs it.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite(
        .enabled(if: Image.folder != nil, "there is no image; make image-test makes one"),
        .enabled(if: Prometheus.isInstalled && Alertmanager.isInstalled, "make setup installs Prometheus"))
    struct WalkTests {
        private static let site = "site.test"

        @Test(
            "a merged mistake raises its alerts, also across a kill of the monitor, and lint --fix ends them"
        )
        func walk() async throws {
            try await Stage.with { stage in
                let (chat, pager) = (try await LabReceiver.start(), try await LabReceiver.start())
                let (origin, moved) = (stage.lab.origin(Self.site), stage.lab.origin("moved.test"))
                origin.serve(Sample.clean)
                moved.serve(file("v1"))
                let image = try Image(
                    on: stage, watching: [Self.site, "moved.test"], chat: chat.url("/services/x"),
                    "defaults: {interval: 500ms, full_every: 1s, failure_threshold: 1, stale_after: 1s, timeout: 60s}")
                let first = try await image.started()
                try await confined(image)
                let (prometheus, alertmanager) = try await watchers(of: image, pager, on: stage)
                // Everything is fine, and no alert names a domain.
                _ = try await prometheus.sample("aasa_cdn_in_sync{domain=\"\(Self.site)\"} == 1")
                let early = try await alertmanager.alerts()
                #expect(Self.alerts(early).isEmpty)
                #expect(Self.told(chat, of: ".test") == 0)
                // A slow change, for the propagation diagrams.
                moved.serve(file("v2"))
                try await until("the message on the old copy") { Self.told(chat, of: "moved.test") == 1 }
                stage.lab.cdn.refresh("moved.test")
                try await until("RESOLVED for moved.test") { Self.told(chat, of: "moved.test") == 2 }

                // The request fails, but somebody merges it.
                let request = try await PullRequest(on: stage)
                request.expectRed(try await request.run(with: PullRequest.mistaken))
                origin.serve(request.repository.read(Repository.file))
                _ = try await alertmanager.alerts("the alert") { Self.alerts($0).contains("AasaOriginDown") }
                // The other site's copy lags again. A site without a valid file cannot lag.
                moved.serve(file("v3"))
                for expression in try PrometheusFiles.expressions(domain: "moved.test") {
                    _ = try await prometheus.sample(expression)
                }

                var before: [JSONValue] = []
                try await until("a message about each incident", every: .milliseconds(100), seen: { "\(before)" }) {
                    before = try await image.incidents()
                    return !before.isEmpty && before.allSatisfy { $0["notified"].elements.count == 1 }
                }
                let told = Self.told(chat, of: Self.site)
                let killed = Date()
                #expect(try await image.end(first, by: "KILL") == .exit(128 + SIGKILL))
                let second = try await image.started()
                // The monitor has checked again, and Prometheus has the result.
                _ = try await prometheus.sample(
                    """
                    aasa_checks_total{outcome="failing"} > 2 and on (instance) \
                    process_start_time_seconds > \(Int(killed.timeIntervalSince1970) - 1)
                    """)
                let after = try await image.incidents()
                for key in ["id", "kind", "state", "opened_at", "notified"] {
                    #expect(after.map { $0[key] } == before.map { $0[key] }, "\(key)")
                }
                #expect(Self.told(chat, of: Self.site) == told)

                _ = try request.expectGreen(try await request.mended())
                origin.serve(request.repository.read(Repository.file))
                for host in [Self.site, "moved.test"] { stage.lab.cdn.refresh(host) }
                _ = try await alertmanager.alerts("the end of the alerts") { Self.alerts($0).isEmpty }
                try await until("the end of the incidents", every: .milliseconds(100)) {
                    try await image.incidents().isEmpty
                }
                try await until("RESOLVED for the site") { Self.told(chat, of: Self.site) > told }
                try await until("the message from Alertmanager") {
                    let passed = pager.received.compactMap { try? JSONValue($0.body) }
                        .filter { $0["commonLabels"]["domain"].string == Self.site }
                    return Set(passed.compactMap { $0["status"].string }) == ["firing", "resolved"]
                }
                #expect(try await image.end(second, by: "TERM") == .exit(0))
                await chat.shutdown()
                await pager.shutdown()
            }
        }

        /// The health check of the Dockerfile works, and the program has no more rights than it needs.
        private func confined(_ image: Image) async throws {
            let health = try await image.inside(
                "curl", "-q", "-fsS", "-o", "/dev/null", "http://\(image.address)/healthz")
            #expect(health.end == .exit(0), "\(health.errors)")
            #expect(try await image.inside("touch", "/usr/bin/x").end != .exit(0), "the root file system is writable")
            let status = try await image.inside("cat", "/proc/1/status").output
            #expect(status.contains(/Uid:\t963\t963\t963\t963\n/))
            #expect(status.contains(/CapEff:\t0000000000000000\n/))
        }

        /// Prometheus with the rules, configured as in scrape-metrics.yml with a token, and the Alertmanager that it
        /// notifies.
        private func watchers(
            of image: Image, _ pager: LabReceiver, on stage: Stage
        ) async throws -> (Prometheus, Alertmanager) {
            let alertmanager = try await Alertmanager.start(on: stage, receiver: pager.url("/in"))
            try stage.write("rules.yml", try PrometheusFiles.rulesAtOnce())
            let prometheus = try await Prometheus.start(
                on: stage,
                try PrometheusFiles.configuration(
                    monitors: [image.address], probed: [Self.site], rules: stage.path("rules.yml"),
                    token: stage.path("secrets/aasa-token"), alertmanager: PrometheusFiles.target(alertmanager.url)))
            return (prometheus, alertmanager)
        }

        /// How many messages name the host.
        private static func told(_ chat: LabReceiver, of host: String) -> Int {
            chat.received.count { String(decoding: $0.body, as: UTF8.self).contains(host) }
        }

        /// The names of the alerts about the site.
        private static func alerts(_ all: [JSONValue]) -> Set<String> {
            Set(all.map { $0["labels"] }.filter { $0["domain"].string == site }.compactMap { $0["alertname"].string })
        }
    }
}
