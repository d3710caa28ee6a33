import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct SilencedReturnTests {
        @Test(
            "an acknowledged incident that recurs during a silence escalates again"
        )
        func story() async throws {
            try await Stage.with { stage in
                let (chat, pager) = (try await LabReceiver.start(), try await LabReceiver.start())
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(
                        alerts: "  escalation: [{after: 2s, channels: [pager]}]",
                        channels: [
                            Watch.webhook(chat.url("/in")), Watch.webhook(pager.url("/in"), name: "pager"),
                        ]))
                let (process, page) = try await watch.started()
                try await watch.checks(1, of: "site.test")
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                for receiver in [pager, chat] { _ = try await receiver.deliveries(count: 1, within: Stage.timeout) }
                let id = try #require(chat.messages.first).incident
                let done = try await stage.run(["ack", id, "--by", "eva", "--config", watch.file])
                #expect(done.end == .exit(0), "\(done.errors)")
                stage.lab.origin("site.test").serve(file())
                _ = try await pager.deliveries(count: 2, within: Stage.timeout)

                // Through the daemon: it applies immediately.
                let silence = try await stage.run(
                    ["silence", "site.test", "--for", "1h", "--reason", "move", "--url", String(page.dropLast())])
                #expect(silence.end == .exit(0), "\(silence.errors)")
                #expect(
                    process.errors.contains(
                        /msg=delivered attempt=1 channel=pager domain=site\.test incident=[0-9a-f]{32}/)
                )
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                try await until("the incident's return", seen: { process.errors }) {
                    process.errors.contains("incident came back")
                }
                let end = try await stage.run(["silence", "expire", "1", "--config", watch.file])
                #expect(end.end == .exit(0), "\(end.errors)")
                _ = try await pager.deliveries(count: 3, within: Stage.timeout)
                let expected = ["incident.firing", "incident.resolved", "incident.firing"]
                #expect(try pager.messages.distinct().map(\.type) == expected)
                #expect(Set(pager.messages.map(\.incident)) == [id])
                // The chat is notified at once, with an update of the same incident.
                try await until("the update") { chat.messages.last?.type == "incident.update" }
                #expect(chat.messages.last?.json["data"]["summary"].string?.contains("again: ") == true)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                let lines = process.errors.split(separator: "\n")
                let file = stage.folder.appending(path: "monitor.yaml").path
                let start = lines.first { $0.contains("level=notice msg=\"starting aasa-monitor\"") } ?? ""
                #expect(start.contains(" configuration=\(file) store=/"), "\(start)")
                #expect(process.errors.contains("level=notice msg=stopping signal=SIGTERM"))
                #expect(lines.last?.contains("level=notice msg=stopped ") == true, "\(lines.suffix(2))")
                for receiver in [chat, pager] { await receiver.shutdown() }
            }
        }
    }
}
