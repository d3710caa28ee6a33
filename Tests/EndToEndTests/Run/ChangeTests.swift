// `notify: [changes]`: a webhook that is notified of new versions, and one that is notified of incidents.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct ChangeTests {
        @Test(
            "only a channel for changes gets a new version: when it is live and when every edge serves it"
        ) func story() async throws {
            try await Stage.with { stage in
                let (news, trouble) = (try await LabReceiver.start(), try await LabReceiver.start())
                stage.lab.origin("site.test").serve(file("v1"))
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(
                        staleAfter: Watch.soon,
                        channels: [
                            #"    - {name: news, type: webhook, url: "\#(news.url("/in"))", notify: [changes]}"#,
                            Watch.webhook(trouble.url("/in")),
                        ]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                #expect(news.messages.isEmpty)
                stage.lab.origin("site.test").serve(file("v2"))
                _ = try await news.deliveries(count: 1, within: Stage.timeout)
                _ = try await trouble.deliveries(count: 1, within: Stage.timeout)
                let status = try await stage.run(["status", "site.test"]).output
                #expect(!status.contains("change firing"), "\(status)")
                stage.lab.cdn.refresh("site.test")
                _ = try await news.deliveries(count: 2, within: Stage.timeout)
                _ = try await trouble.deliveries(count: 2, within: Stage.timeout)
                // The receiver has the message before the store has its outcome.
                func log() async throws -> [JSONValue] {
                    try await stage.run(["deliveries", "list", "--channel", "news", "--format", "json"]).json().elements
                }
                try await until("both outcomes", every: .milliseconds(200)) { try await log().count == 2 }
                try await watch.checks(2, of: "site.test")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))

                let told = try news.messages.distinct()
                #expect(told.map(\.type) == ["change.detected", "change.propagated"])
                #expect(Set(told.map(\.incident)).count == 1 && told.allSatisfy { $0.kind == "change" })
                let summaries = told.map { $0.json["data"]["summary"].string ?? "" }
                #expect(
                    summaries.first?.wholeMatch(of: /site\.test: version [0-9a-f]{8} is live at the origin/) != nil,
                    "\(summaries)")
                #expect(
                    summaries.last?.wholeMatch(of: /site\.test: every edge serves version [0-9a-f]{8} \(after .+\)/)
                        != nil, "\(summaries)")
                #expect(told.first?.json["data"]["comparison"]["changes"].elements.count == 2)
                #expect(told.last?.json["data"]["incident"]["reason"] == .string("cdn_caught_up"))
                #expect(
                    try trouble.messages.distinct().map(\.gist) == [
                        "incident.firing cdn.stale site.test", "incident.resolved cdn.stale site.test",
                    ])
                #expect(
                    try await log().map { $0["type"] } == [.string("change.propagated"), .string("change.detected")])
                for receiver in [news, trouble] { await receiver.shutdown() }
            }
        }
    }
}
