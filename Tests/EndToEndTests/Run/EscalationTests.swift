import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct EscalationTests {
        @Test(
            "an incident escalates to the pager once, despite a restart, and is resolved there"
        )
        func story() async throws {
            try await Stage.with { stage in
                let (chat, pager, boss) = (
                    try await LabReceiver.start(), try await LabReceiver.start(), try await LabReceiver.start()
                )
                // The answer of the real service; `answers` would give another one.
                pager.behaviour = .reply(
                    LabReply(status: 202, headers: [], body: Array(#"{"status":"success","dedup_key":"k"}"#.utf8)))
                stage.lab.origin("site.test").serve(file())
                let key = String(repeating: "k", count: 32)
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(
                        alerts: "  escalation: [{after: 2s, channels: [pager]}, {after: 30d, channels: [boss]}]",
                        channels: [
                            Watch.webhook(chat.url("/in")),
                            #"    - {name: pager, type: pagerduty, routing_key: \#(key), url: "\#(pager.url(""))"}"#,
                            Watch.webhook(boss.url("/in"), name: "boss"),
                        ]))
                let (first, _) = try await watch.started()
                try await watch.checks(1, of: "site.test")
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                for receiver in [pager, chat] { _ = try await receiver.deliveries(count: 1, within: Stage.timeout) }
                #expect(try Self.actions(pager) == ["trigger"])
                #expect(chat.messages.map(\.type) == ["incident.firing"])

                try await first.kill9()
                let (second, _) = try await watch.started()
                try await watch.checks(3, of: "site.test")
                #expect(try Self.actions(pager) == ["trigger"], "a restart repeats no step")

                let id = try #require(chat.messages.first).incident
                let done = try await stage.run(["ack", id, "--by", "eva", "--config", watch.file])
                #expect(done.end == .exit(0), "\(done.errors)")
                try await until("the pager's acknowledge") { (try? Self.actions(pager))?.last == "acknowledge" }
                stage.lab.origin("site.test").serve(file())
                try await until("the pager's resolve") { (try? Self.actions(pager))?.last == "resolve" }
                #expect(try Self.actions(pager) == ["trigger", "acknowledge", "resolve"])
                try await until("the end in the chat") { chat.messages.last?.type == "incident.resolved" }
                #expect(try chat.messages.distinct().map(\.type) == ["incident.firing", "incident.resolved"])
                #expect(boss.messages.isEmpty)
                second.signal(SIGTERM)
                #expect(try await second.ended() == .exit(0))
                for receiver in [chat, pager, boss] { await receiver.shutdown() }
            }
        }

        /// What the pager received, without duplicates after a kill.
        private static func actions(_ receiver: LabReceiver) throws -> [String] {
            let events = try receiver.received.map { delivery -> (String, String) in
                let event = try #require(try JSONSerialization.jsonObject(with: delivery.body) as? [String: Any])
                return (event["event_action"] as? String ?? "", event["dedup_key"] as? String ?? "")
            }
            #expect(Set(events.map(\.1)).count == 1)
            return events.map(\.0).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        }
    }
}
