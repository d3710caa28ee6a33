// `status` beside the daemon and after it: what it knows, without a request and without the configuration.

import Foundation
import Lab
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct StatusTests {
        @Test("trouble is shown in full and first, what is well in a line, from the store alone")
        func story() async throws {
            try await Stage.with { stage in
                stage.lab.origin("good.test").serve(file())
                stage.lab.origin("site.test").serve(file("v1"))
                let none = try await stage.run(["status", "--store", "monitor.db"])
                #expect(none.end == .exit(66))
                #expect(none.errors.contains("there is no store at \(stage.path("monitor.db"))"))

                let watch = try Watch(stage, ["good.test", "site.test"], Watch.Settings())
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "good.test", "site.test")
                let calm = try await stage.run(["status"])
                #expect(calm.end == .exit(0), "\(calm.errors)")
                #expect(calm.output.hasPrefix("All 2 domains are OK\n"))
                #expect(calm.output.contains("no notification is pending"))

                stage.lab.origin("site.test").serve(file("v2"))
                var last = ""
                for _ in 0..<200 where !last.contains("cdn.stale firing since") {
                    let seen = try await stage.run(["status", "--store", stage.path("monitor.db")])
                    last = seen.output + seen.errors
                    if last.contains("cdn.stale firing since") { #expect(seen.end == .exit(1)) }
                    try await Task.sleep(for: .milliseconds(50))
                }
                let lines = last.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.first == "1 of 2 domains needs attention")
                #expect(
                    lines.firstIndex { $0.hasPrefix("site.test  FAILING  stale, ") } ?? 99 < lines.firstIndex {
                        $0.hasPrefix("good.test")
                    } ?? 0)
                #expect(last.contains("· incident "))

                // The same id goes into `ack`; and after the daemon's end all of it is still there.
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                let id = try #require(last.firstMatch(of: /incident ([0-9a-f]{12})/)?.1)
                #expect(
                    try await stage.run(["ack", String(id), "--by", "eva", "--store", "monitor.db"]).end == .exit(0))
                let one = try await stage.run(["status", "site.test"])
                #expect(one.output.contains("acknowledged by eva"))
                #expect(!one.output.contains("good.test"))
                let json = try await stage.run(["status", "--format", "json"])
                let documents = try JSONValue(Data(json.output.utf8)).elements
                #expect(documents.map { $0["domain"].string } == ["good.test", "site.test"])
                #expect(documents.last?["verdict"] == .string("failing"))
                #expect(documents.last?["incidents"].elements.first?["kind"] == .string("cdn.stale"))

                let unknown = try await stage.run(["status", "other.test"])
                #expect(unknown.end == .exit(1))
                #expect(unknown.errors.contains("other.test is not watched here"))
            }
        }
    }
}
