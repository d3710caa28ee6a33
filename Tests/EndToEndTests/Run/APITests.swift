// The API of a running daemon.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct APITests {
        private struct Reply {
            let status: Int
            let text: String
            var json: JSONValue { (try? JSONValue(text)) ?? .absent }
        }

        private func curl(_ stage: Stage, _ address: String, _ options: [String] = []) async throws -> Reply {
            let process = try stage.tool(
                "curl", ["-q", "-sS", "--max-time", Stage.patience, "-w", "\n%{http_code}", address] + options)
            try await process.ended()
            let lines = process.output.split(separator: "\n", omittingEmptySubsequences: false)
            return Reply(
                status: Int(lines.last ?? "") ?? 0, text: lines.dropLast().joined(separator: "\n"))
        }

        @Test("an immediate check sees a change; domains, incidents and history agree")
        func story() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file("v1"))
                stage.lab.origin("calm.test").serve(file())
                // No scheduled check follows the first checks.
                let watch = try Watch(
                    stage, ["site.test", "calm.test"],
                    Watch.Settings(interval: "1h", staleAfter: "1s", defaults: "  failure_threshold: 1"))
                let (process, page) = try await watch.started()
                let api = page + "api/v1"
                #expect(try await curl(stage, page + "readyz").text == "ready\n")
                for host in ["site.test", "calm.test"] {
                    // The first checks are spread over some time; this one joins one or comes before it.
                    let first = try await curl(stage, "\(api)/domains/\(host)/check", ["-X", "POST"])
                    #expect([200, 202].contains(first.status), "\(first.text)")
                    if first.status == 200 { #expect(first.json["verdict"] == .string("ok"), "\(first.text)") }
                    // A long check gets its answer before it ends.
                    try await until("the first check of \(host)", every: .milliseconds(100)) {
                        try await curl(stage, "\(api)/domains/\(host)").json["verdict"] == .string("ok")
                    }
                }

                stage.lab.origin("site.test").serve(file("v2"))
                var seen = JSONValue.absent
                // Most are refused: checks of one domain must be at least ten seconds apart.
                try await until("the stale copy", every: .seconds(2), seen: { "\(seen)" }) {
                    let again = try await curl(stage, "\(api)/domains/site.test/check", ["-X", "POST"])
                    if again.status == 200 { seen = again.json }
                    return seen["comparison"]["state"] == .string("stale")
                }
                let stale = try await curl(stage, "\(api)/domains?state=stale").json
                #expect(stale["domains"].elements.map { $0["domain"] } == [.string("site.test")])
                let open = try await curl(stage, "\(api)/incidents?state=open&domain=site.test").json
                let incident = try #require(open["incidents"].elements.first)
                #expect(incident["kind"] == .string("cdn.stale"))
                let one = try await curl(stage, "\(api)/incidents/\(incident["id"].string ?? "")").json
                #expect(one["comparison"]["changes"].elements.count == 2, "\(one["comparison"])")
                let history = try await curl(stage, "\(api)/domains/site.test/history").json
                let versions = history["versions"].elements
                #expect(versions.count == 2)
                #expect(versions.first?["until"] == .null && versions.last?["changes"] == .null)
                #expect(versions.first?["behaviour"].elements.count == 2)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
            }
        }

        @Test("a probe is a separate check that is not stored, and domains that are not watched are refused")
        func probe() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file("v1"))
                let watch = try Watch(stage, ["site.test"], Watch.Settings(interval: "1h"))
                let (process, page) = try await watch.started()
                let probe = page + "probe?target="
                let good = try await curl(stage, probe + "site.test&module=full")
                #expect(good.status == 200)
                for line in [
                    "probe_success 1", #"aasa_origin_up{domain="site.test"} 1"#,
                    #"aasa_cdn_in_sync{domain="site.test"} 1"#, #"aasa_edges{domain="site.test"} 1"#,
                ] {
                    #expect(good.text.split(separator: "\n").contains { $0 == line }, "\(line)\n\(good.text)")
                }
                #expect(good.text.contains(#/\nprobe_duration_seconds [0-9]+\.[0-9]/#))
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                let bad = try await curl(stage, probe + "https://site.test/")
                #expect(bad.text.contains("probe_success 0\n"))
                #expect(bad.text.contains(#"aasa_origin_up{domain="site.test"} 0"#))
                for target in ["other.test", "127.0.0.1", "localhost", "", "site.test%0aX"] {
                    let refused = try await curl(stage, probe + target)
                    #expect(refused.status == 400, "\(target): \(refused.text)")
                }
                #expect(stage.lab.origin("other.test").requests.isEmpty)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
            }
        }

        @Test("if other domains may be probed, private addresses are refused before any connection")
        func strangers() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file("v1"))
                stage.lab.origin("other.test").serve(file("v1"))
                let watch = try Watch(stage, ["site.test"], Watch.Settings(interval: "1h"))
                let text = try String(contentsOfFile: stage.path("monitor.yaml"), encoding: .utf8)
                try stage.write(
                    "monitor.yaml",
                    text.replacing("server: {", with: "server: {probe_unknown_domains: true, "))
                let (process, page) = try await watch.started()
                #expect(try await curl(stage, page + "probe?target=site.test").status == 200)
                let refused = try await curl(stage, page + "probe?target=other.test")
                #expect(refused.status == 400)
                #expect(refused.text.contains("has no public address"), "\(refused.text)")
                #expect(stage.lab.origin("other.test").requests.isEmpty)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
            }
        }
    }
}
