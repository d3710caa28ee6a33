import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Delivery")
    struct DeliveryTests {
        @Test("a channel is notified once of the firing and once of the end")
        func delivers() async throws {
            let world = try World()
            try await world.commit(.firing)
            try await world.pass(60)
            try await world.commit(.resolved)
            try await world.pass(3600)
            #expect(world.types() == ["firing", "resolved"])
            #expect(world.transport.sent.first?.request.userAgent == "aasa-monitor/test")
            #expect(world.delivery.counts() == [DeliveryCount(channel: "hook", outcome: "delivered", attempts: 2)])
            let known = try #require(try await world.known())
            #expect(known.state == .resolved && known.dueAt == nil && known.messageID == nil)
        }

        @Test("failed attempts are repeated with the same key and bytes, and later if there was no response")
        func retries() async throws {
            let world = try World(script: [
                "hook": [.status(500), .fault(.network), .status(502, "no"), .status(408)]
            ])
            try await world.commit(.firing)
            try await world.pass(7200)
            #expect(world.offsets() == [0, 5, 35, 80, 200])
            #expect(Set(world.transport.sent.map(\.id)).count == 1)
            #expect(Set(world.transport.sent.map(\.request.body)).count == 1)
        }

        @Test("a message that was being sent when the process ended is sent again, with the same key and bytes")
        func restarts() async throws {
            let world = try World(script: ["hook": [.dies]])
            try await world.commit(.firing)
            try await world.settle()
            try await world.restart()
            try await world.pass(600)
            #expect(world.types() == ["firing", "firing"])
            #expect(Set(world.transport.sent.map(\.id)).count == 1)
            #expect(Set(world.transport.sent.map(\.request.body)).count == 1)
            try await world.restart()
            try await world.pass(600)
            #expect(world.types().count == 2)
        }

        @Test(
            "each retry decides again: an incident that has ended by then is sent as ended",
            arguments: [
                // Whether the first attempt may have arrived, and what the channel gets next.
                (ScriptedTransport.Reply.status(500), "resolved", "example.com, resolved: "),
                (.fault(.network, wasSent: false), "resolved", "example.com, was firing, resolved: "),
            ])
        func asksAgain(reply: ScriptedTransport.Reply, type: String, words: String) async throws {
            let world = try World(
                script: ["hook": [reply]], World.routing([channel("hook", .slack)]))
            try await world.commit(.firing)
            try await world.settle()
            try await world.commit(.resolved)
            try await world.pass(3600)
            #expect(world.transport.sent.count == 2)
            #expect(world.transport.sent.last?.text.contains(words) == true)
        }

        @Test("a pager never gets an incident that ended unsent, and gets the end of one that may have arrived, twice")
        func pager() async throws {
            let pager = try Service.pagerduty.channel("pager", url: "https://pager.test")
            let unheard = try World(script: ["pager": [.fault(.network, wasSent: false)]], World.routing([pager]))
            try await unheard.commit(.firing)
            try await unheard.settle()
            try await unheard.commit(.resolved)
            try await unheard.pass(86_400)
            #expect(unheard.transport.sent.count == 1)

            let unclear = try World(script: ["pager": [.status(500)]], World.routing([pager]))
            try await unclear.commit(.firing)
            try await unclear.settle()
            try await unclear.commit(.resolved)
            try await unclear.pass(3600)
            #expect(try unclear.actions() == ["trigger", "resolve", "resolve"])
            #expect(unclear.offsets("pager") == [0, 5, 65])
        }

        @Test("after an outage of the receiver, it gets the current state and no queue of old messages")
        func outage() async throws {
            let world = try World(
                script: ["hook": Array(repeating: .fault(.network, wasSent: false), count: 400)],
                World.routing([channel("hook")], domains: ["a.example.com", "b.example.com", "c.example.com"]))
            for domain in ["a.example.com", "b.example.com", "c.example.com"] {
                try await world.commit(.firing, domain)
            }
            try await world.pass(3 * 3600)
            try await world.commit(.resolved, "a.example.com")
            try await world.commit(.worse, "b.example.com")
            let tried = world.transport.sent.count
            world.transport.script("hook", [])
            try await world.pass(3600)
            let sent = world.transport.sent.dropFirst(tried)
            // One message for the ended incident, one for each that still fires, and no old reminders.
            #expect(sent.count { $0.type == "incident.resolved" } == 1)
            #expect(sent.count { $0.type == "incident.firing" } == 2 && sent.count <= 4)
            #expect(Set(sent.compactMap(\.id)).count == sent.count)
        }

        @Test("Retry-After pauses the whole channel and is not an attempt; other channels continue")
        func throttled() async throws {
            let world = try World(
                script: ["hook": [.status(429, retryAfter: "40"), .status(429), .status(429)]],
                World.routing([channel("hook"), channel("ops")], domains: ["a.example.com", "b.example.com"]))
            try await world.commit(.firing, "a.example.com")
            try await world.commit(.firing, "b.example.com")
            try await world.pass(600)
            #expect(world.offsets("hook") == [0, 40, 80, 160, 160])
            #expect(world.offsets("ops") == [0, 0])
        }

        @Test(
            "a refused message is tried once in its plainest form; if refused again, only later versions are sent"
        )
        func refusedMessage() async throws {
            let change = AssociationChange(kind: .added, summary: "x", pointer: "/x")
            let world = try World(script: ["hook": [.status(400, "too odd"), .status(422)]])
            try await world.commit(.firing, changes: [change])
            try await world.pass(7200)
            #expect(world.types() == ["firing", "firing"])
            #expect(world.transport.sent.first?.request.body != world.transport.sent.last?.request.body)
            #expect(Set(world.transport.sent.map(\.id)).count == 1)
            try await world.commit(.worse)
            try await world.pass(60)
            #expect(world.types() == ["firing", "firing", "firing"])
            try await world.commit(.resolved)
            try await world.pass(60)
            #expect(world.types().last == "resolved")
        }

        @Test(
            "a refusing channel is retried after 1 min, 5 min, 15 min, 1 h, and then every 6 h; its messages wait",
            arguments: [401, 403, 404, 302])
        func refusedChannel(status: Int) async throws {
            let world = try World(script: ["hook": Array(repeating: .status(status), count: 6)])
            try await world.commit(.firing)
            try await world.pass(24 * 3600)
            #expect(world.offsets().prefix(7) == [0, 60, 360, 1260, 4860, 26_460, 48_060])
            #expect(world.log.text.filter { $0.hasPrefix("error") }.count == 1)
        }

        @Test("410 is a refusal at once")
        func gone() async throws {
            let world = try World(script: ["hook": [.status(410)]])
            try await world.commit(.firing)
            try await world.settle()
            #expect(world.delivery.troubles().map(\.isDisabled) == [true])
            try await world.pass(600)
            #expect(world.offsets() == [0, 300])
        }

        @Test("an untrusted certificate counts as a refusal only after three failed attempts")
        func certificate() async throws {
            let world = try World(script: ["hook": Array(repeating: .fault(.certificate), count: 4)])
            try await world.commit(.firing)
            try await world.pass(600)
            #expect(world.offsets() == [0, 5, 20, 65, 125])
            #expect(world.delivery.counts().contains { $0.outcome == "channel_refused" && $0.attempts == 1 })
        }

        @Test("after five failures in a row, one message is tried every 30 seconds")
        func degrades() async throws {
            let domains = (0..<8).map { "d\($0).example.com" }
            let world = try World(
                script: ["hook": Array(repeating: .status(500), count: 8)],
                World.routing([channel("hook")], domains: domains))
            for domain in domains { try await world.commit(.firing, domain) }
            try await world.pass(100)
            #expect(world.offsets().prefix(8) == [0, 0, 0, 0, 0, 30, 60, 90])
            try await world.pass(3600)
            #expect(Set(world.transport.sent.suffix(8).compactMap(\.id)).count == 8)
        }

        @Test("no log line and no row contains a secret, even if the receiver quotes it")
        func secrets() async throws {
            let world = try World(script: [
                "hook": [
                    .status(500, "cannot POST /services/T0SECRET/B0SECRET"),
                    .fault(.network, "no route to https://hook.test/services/T0SECRET/B0SECRET"),
                    .status(404, "T0SECRET is unknown"),
                ]
            ])
            try await world.commit(.firing)
            try await world.pass(600)
            let log = try await world.store.deliveries(channel: nil, incident: nil, domain: nil, limit: 9)
            #expect(!log.isEmpty && !"\(log)".contains("SECRET"))
            #expect(try await !"\(world.store.channelRecords())".contains("SECRET"))
            #expect(!world.log.text.joined().contains("SECRET"))
            #expect(world.log.text.first?.contains("hook") == true)
        }
    }
}
