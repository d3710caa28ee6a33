// `history` and `status --watch`: the history of a domain while the daemon runs and after it has stopped.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct HistoryTests {
        @Test("text and JSON show a change, its duration, its incident and its alerts")
        func story() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("site.test").serve(file("v1"))
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(staleAfter: Watch.soon, channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                stage.lab.origin("site.test").serve(file("v2"))
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                let during = try await stage.run(["history", "site.test"])
                #expect(during.end == .exit(0), "\(during.errors)")
                #expect(during.output.contains("served now  not at every edge yet, after "), "\(during.output)")
                #expect(during.output.contains(" so far"))
                #expect(during.output.contains("  cdn.stale  firing  "))
                stage.lab.cdn.refresh("site.test")
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                // The delivery is logged after the receiver's answer.
                try await watch.checks(2, of: "site.test")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))

                let text = try await stage.run(["history", "https://site.test/", "--store", "monitor.db"]).output
                for words in [
                    "served now  at every edge after ", "served for ",
                    " opens ABCDE12345.com.example.app since then\n",
                    " no longer opens ABCDE12345.com.example.app\n",
                    "time until every edge of Apple's CDN served a change\n", "█ ", "  cdn.stale  resolved after ",
                    "(Apple's CDN caught up)", "delivered  hook  firing    cdn.stale  ", "  status 200",
                ] {
                    #expect(text.contains(words), "\(words)\n\(text)")
                }
                #expect(text.hasPrefix("site.test  checked "))
                let json = try await stage.run(["history", "site.test", "--format", "json", "--limit", "1"]).json()
                #expect(json["schema"] == .string("aasa-monitor/history/v1"))
                #expect(json["versions"].elements.count == 1)
                #expect(json["versions"][0]["propagation_seconds"].int == json["propagations"][0]["seconds"].int)
                #expect(json["versions"][0]["changes"].elements.count == 2)
                #expect(json["incidents"][0]["reason"] == .string("cdn_caught_up"))
                #expect(json["deliveries"][0]["outcome"] == .string("delivered"))
                #expect(!(text + "\(json)").contains("whsec_") && !text.contains(receiver.url("")))
                await receiver.shutdown()
            }
        }

        @Test("history of a domain that is not watched is a usage error")
        func refused() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file("v1"))
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let (process, _) = try await watch.started()
                let told = try await stage.run(["history", "other.test"])
                #expect(told.end == .exit(64))
                #expect(told.errors.contains("other.test is not watched here"), "\(told.errors)")
                process.signal(SIGTERM)
                try await process.ended()
            }
        }

        @Test("status --watch runs until interrupted and shows changes")
        func watched() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file("v1"))
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                let status = try stage.start(["status", "--watch"])
                try await until("the first look", seen: { status.errors }) { status.output.contains("1 domain, OK") }
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                try await until("the change", seen: { status.output }) {
                    status.output.contains("1 of 1 domain needs attention")
                }
                #expect(status.end == nil)
                status.signal(SIGINT)
                #expect(try await status.ended() != .exit(0))
                process.signal(SIGTERM)
                try await process.ended()
            }
        }
    }
}
