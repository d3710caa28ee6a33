// `incidents`: open and past incidents, from the store and from the daemon.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct IncidentsCommandTests {
        @Test("incidents lists open incidents with instructions, past ones with --all, and one by its id")
        func story() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                for host in ["good.test", "bad.test", "over.test"] { stage.lab.origin(host).serve(file()) }
                let watch = try Watch(
                    stage, ["good.test", "bad.test", "over.test"],
                    Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, page) = try await watch.started()
                try await watch.checks(1, of: "good.test", "bad.test", "over.test")
                let none = try await stage.run(["incidents"])
                #expect(none.end == .exit(0) && none.output == "no incident is open\n", "\(none.errors)")

                stage.lab.origin("over.test").behaviour = .reply(.status(500))
                stage.lab.origin("bad.test").behaviour = .reply(.status(500))
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                stage.lab.origin("over.test").serve(file())
                _ = try await receiver.deliveries(count: 3, within: Stage.timeout)
                for place in [["--store", "monitor.db"], ["--url", page]] {
                    func incidents(_ options: String...) async throws -> MonitorProcess {
                        let process = try await stage.run(["incidents"] + options + place)
                        #expect(process.errors.isEmpty || process.end == .exit(64), "\(options) \(process.errors)")
                        return process
                    }
                    let open = try await incidents()
                    #expect(open.output.hasPrefix("1 incident is open\n\n"), "\(open.output)")
                    #expect(open.output.contains("origin.broken of bad.test  firing since "))
                    #expect(!open.output.contains("over.test"))
                    let all = try await incidents("--all")
                    #expect(all.output.hasPrefix("1 incident is open; 1 resolved\n"), "\(all.output)")
                    #expect(all.output.contains("origin.broken of over.test  resolved after "))
                    let listed = try await incidents("--since", "1h", "--format", "json").json().elements
                    #expect(Set(listed.compactMap { $0["domain"].string }) == ["bad.test", "over.test"])
                    let later = Date(timeIntervalSinceNow: 60).formatted(.iso8601)
                    let now = try await incidents("--since", later, "--format", "json").json().elements
                    #expect(now.compactMap { $0["domain"].string } == ["bad.test"])
                    let one = try await incidents("--domain", "over.test", "--all", "--format", "json").json().elements
                    let id = try #require(one.first?["id"].string)
                    let shown = try await incidents(String(id.prefix(6)))
                    #expect(shown.output.contains("origin.broken of over.test  resolved"), "\(shown.output)")
                    #expect(try await incidents("--kind", "cdn.stale").output == "no incident is open\n")
                    let well = try await incidents("--domain", "good.test")
                    #expect(well.end == .exit(0) && well.output == "no incident is open\n")
                    let unknown = try await incidents("--domain", "other.test")
                    #expect(unknown.end == .exit(64) && unknown.errors.contains("other.test is not watched here"))
                    let missing = try await incidents("ffff")
                    #expect(
                        missing.end == .exit(64)
                            && missing.errors.contains("no incident has an id that begins with 'ffff'"))
                }
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                // Incidents that a stopped daemon left open are not current.
                let dead = try await stage.run(["incidents"])
                #expect(dead.end == .exit(0) && dead.errors.contains("No daemon runs: "), "\(dead.errors)")
                await receiver.shutdown()
            }
        }
    }
}
