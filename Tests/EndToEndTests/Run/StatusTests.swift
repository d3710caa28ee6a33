// `status` while the daemon runs and after it has stopped: no requests, and no configuration needed.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct StatusTests {
        @Test("from the store, trouble is shown first and in full, and healthy domains in one line")
        func story() async throws {
            try await Stage.with { stage in
                stage.lab.origin("good.test").serve(file())
                stage.lab.origin("site.test").serve(file("v1"))
                let none = try await stage.run(["status", "--store", "monitor.db"])
                #expect(none.end == .exit(66))
                #expect(none.errors.contains("there is no store at \(stage.path("monitor.db"))"))

                let watch = try Watch(
                    stage, ["good.test", "site.test"], Watch.Settings(staleAfter: Watch.soon))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "good.test", "site.test")
                let calm = try await stage.run(["status"])
                #expect(calm.end == .exit(0), "\(calm.errors)")
                #expect(calm.output.hasPrefix("All 2 domains are OK\n"))
                #expect(calm.output.contains("no channel is configured, so nobody is notified"))
                #expect(process.errors.contains("no channel is configured, so no alert is sent"))

                stage.lab.origin("site.test").serve(file("v2"))
                var last = ""
                try await until("the incident", every: .milliseconds(50), seen: { last }) {
                    let seen = try await stage.run(["status", "--store", stage.path("monitor.db")])
                    last = seen.output + seen.errors
                    guard last.contains("cdn.stale firing since") else { return false }
                    #expect(seen.end == .exit(1))
                    return true
                }
                let lines = last.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.first == "1 of 2 domains needs attention")
                #expect(
                    lines.firstIndex { $0.hasPrefix("site.test  FAILING  ") } ?? 99 < lines.firstIndex {
                        $0.hasPrefix("good.test")
                    } ?? 0)
                #expect(last.contains("· incident "))

                // `ack` takes the same id. After the daemon has stopped, everything is still there.
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                let id = try #require(last.firstMatch(of: /incident ([0-9a-f]{12})/)?.1)
                #expect(
                    try await stage.run(["ack", String(id), "--by", "eva", "--store", "monitor.db"]).end == .exit(0))
                let one = try await stage.run(["status", "site.test"])
                #expect(one.output.hasPrefix("No daemon runs: no checks and no alerts since "))
                #expect(one.output.contains("acknowledged by eva"))
                #expect(!one.output.contains("good.test"))
                // Without a running daemon, nothing is known to be fine.
                let well = try await stage.run(["status", "good.test"])
                #expect(well.end == .exit(1) && well.output.hasPrefix("No daemon runs: "))
                #expect(well.output.contains("Last known state: no domain had trouble"), "\(well.output)")
                let failing = try await stage.run(["status", "--failing", "--short"])
                #expect(
                    failing.output.contains("site.test  FAILING  Uses an old file")
                        && !failing.output.contains("good.test")
                )
                let plugin = try await stage.run(["status", "--format", "nagios"])
                #expect(plugin.end == .exit(2) && plugin.output.hasPrefix("AASA CRITICAL - No daemon runs: "))
                let json = try await stage.run(["status", "--format", "json"])
                let documents = try JSONValue(Data(json.output.utf8)).elements
                #expect(documents.map { $0["domain"].string } == ["good.test", "site.test"])
                #expect(documents.last?["verdict"] == .string("failing"))
                #expect(documents.last?["incidents"].elements.first?["kind"] == .string("cdn.stale"))

                let unknown = try await stage.run(["status", "other.test"])
                #expect(unknown.end == .exit(64))
                #expect(unknown.errors.contains("other.test is not watched here"))
            }
        }

        @Test("labels choose the domains, also from the store; an unknown label is an error, not an empty list")
        func labels() async throws {
            try await Stage.with { stage in
                stage.lab.origin("good.test").serve(file())
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(
                    stage, ["{domain: good.test, labels: {team: growth}}", "site.test"], Watch.Settings())
                let (process, page) = try await watch.started()
                try await watch.checks(2, of: "good.test", "site.test")
                for place in [["--store", "monitor.db"], ["--url", page]] {
                    let growth = try await stage.run(["status", "--label", "team=growth"] + place)
                    #expect(growth.end == .exit(0) && growth.output.hasPrefix("1 domain, OK\n"), "\(growth.errors)")
                    #expect(!growth.output.contains("site.test"))
                    let none = try await stage.run(["status", "--label", "team=gorwth"] + place)
                    #expect(none.end == .exit(64) && none.errors.contains("no domain has the label team=gorwth"))
                }
                let silence = ["silence", "team=growth", "--for", "1h", "--reason", "r", "--by", "eva"]
                #expect(try await stage.run(silence + ["--store", "monitor.db"]).end == .exit(0))
                stage.lab.origin("good.test").behaviour = .reply(.status(500))
                try await until("the incident", seen: { process.errors }) { process.errors.contains("incident fired") }
                for place in [["--store", "monitor.db"], ["--url", page]] {
                    let silenced = try await stage.run(["status", "good.test"] + place)
                    #expect(silenced.output.contains("silenced until "), "\(silenced.output)")
                }
                process.signal(SIGKILL)
                try await process.ended()
                // The kernel has released its lock: `status` need not wait for a missing sign of life.
                let dead = try await stage.run(["status", "site.test"])
                #expect(dead.end == .exit(1) && dead.output.hasPrefix("No daemon runs: "), "\(dead.output)")
            }
        }

        @Test("a store without read permission is not reported as missing")
        func forbidden() async throws {
            guard geteuid() == 0 else { return }
            try await Stage.withoutLab { stage in
                let folder = stage.path("closed")
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try stage.write("closed/monitor.db", "")
                #expect(chmod(stage.path("."), 0o755) == 0 && chown(folder, 0, 4) == 0 && chmod(folder, 0o750) == 0)
                let words = try stage.tool(
                    "setpriv",
                    [
                        "--reuid", "65534", "--regid", "65534", "--clear-groups", MonitorProcess.binary.path, "status",
                        "--store", "\(folder)/monitor.db",
                    ])
                try await words.ended()
                #expect(words.end == .exit(66), "\(words.errors)")
                #expect(
                    words.errors.contains(
                        "monitor.db cannot be read by this user; its group is adm: run `sudo adduser nobody adm`"))
                #expect(
                    words.errors.contains("--url http://127.0.0.1:9630") && !words.errors.contains("there is no store"))
            }
        }
    }
}
