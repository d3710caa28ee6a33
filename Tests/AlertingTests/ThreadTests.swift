// What the engine does with the names that services give to messages: threads, edits, moves, and what a pager is spared.

import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Threads and edits")
    struct ThreadTests {
        private func world(_ service: Service, _ script: [ScriptedTransport.Reply], others: [String] = []) throws
            -> World
        {
            let channels =
                try
                ([service.channel(url: "https://ops.test/api/SECRETPATH")]
                + others.map { try service.channel($0, url: "https://\($0).test/api/SECRETPATH") })
            return try World(script: ["ops": script], channels: channels)
        }

        private func paths(_ world: World) -> [String] {
            world.transport.sent.map {
                "\($0.request.method.rawValue) \(URLComponents(string: $0.request.url)?.path ?? "")"
            }
        }

        @Test("Slack: the end goes into the thread of the first message, and edits it; a reminder is shown to all")
        func slack() async throws {
            let world = try world(
                .slackBot, (1...4).map { .status(200, #"{"ok":true,"channel":"C9","ts":"17.\#($0)"}"#) })
            try await world.enqueue([event(), event(.reminder, sequence: 2)])
            try await world.running {
                try await eventually { try await world.isEmpty() }
                try await world.enqueue([event(.resolved, sequence: 3)])
                try await eventually { world.transport.sent.count == 4 }
            }
            try #require(
                paths(world) == [
                    "post /api/SECRETPATH/chat.postMessage", "post /api/SECRETPATH/chat.postMessage",
                    "post /api/SECRETPATH/chat.postMessage", "post /api/SECRETPATH/chat.update",
                ])
            let bodies = try world.transport.sent.map { try object($0.request.body) }
            #expect(bodies[0]["thread_ts"] == nil && bodies[0]["channel"] as? String == "C0123456789")
            #expect(bodies[1]["thread_ts"] as? String == "17.1" && bodies[1]["reply_broadcast"] as? Bool == true)
            #expect(bodies[2]["thread_ts"] as? String == "17.1" && bodies[2]["reply_broadcast"] as? Bool == false)
            #expect(bodies[3]["ts"] as? String == "17.1" && bodies[3]["channel"] as? String == "C9")
            #expect((bodies[3]["text"] as? String)?.hasPrefix("RESOLVED") == true)
        }

        @Test("an edit that fails costs nobody a message and is tried once")
        func failingEdit() async throws {
            let world = try world(
                .discord,
                [.status(200, #"{"id":"41"}"#), .status(200, #"{"id":"42"}"#), .status(404, "gone SECRETPATH")])
            try await world.running {
                try await world.tell([event(), event(.resolved, sequence: 2)])
                try await eventually { world.transport.sent.count == 3 }
                try await eventually { world.log.text.contains { $0.contains("brought up to date") } }
                #expect(try await world.states()["ops incident.resolved"] == .delivered)
            }
            #expect(paths(world).last == "patch /api/SECRETPATH/messages/41")
            #expect(!world.log.text.joined().contains("SECRET"))
        }

        @Test("Telegram: a group that became another one is followed, without a failure and under the same message")
        func migration() async throws {
            let moved =
                #"{"ok":false,"description":"Bad Request: upgraded","parameters":{"migrate_to_chat_id":-100777}}"#
            let sent = #"{"ok":true,"result":{"message_id":5}}"#
            let world = try world(
                .telegram, [.status(400, moved), .status(200, sent), .status(200, sent), .status(200, sent)])
            try await world.running {
                try await world.tell([event(), event(.resolved, sequence: 2)])
                try await eventually { world.transport.sent.count == 4 }
            }
            let bodies = try world.transport.sent.map { try object($0.request.body) }
            try #require(
                bodies.map { $0["chat_id"] as? String } == ["-1001234567890", "-100777", "-100777", "-100777"])
            #expect((bodies[2]["reply_parameters"] as? [String: Any])?["message_id"] as? Int == 5)
            #expect(world.log.text.filter { $0.contains("the channel has moved") }.count == 1)
            #expect(world.delivery.counts().map(\.outcome) == ["delivered"])
        }

        @Test("Discord: a wish to wait that is meant for all holds all of its channels")
        func global() async throws {
            let world = try world(
                .discord, [.status(429, #"{"retry_after":40.0,"global":true}"#)], others: ["other"])
            try await world.store.enqueue(
                world.routes.drafts(for: [event()], domain: Domain("example.com"), channels: ["ops"]))
            try await world.running {
                try await eventually { !world.transport.sent.isEmpty }
                try await eventually {
                    try await world.store.claim(channel: "other", owner: "x", now: noon, lease: .seconds(1)) == nil
                        && world.delivery.counts().count == 1
                }
                try await eventually { world.log.text.contains { $0.contains("asked to wait") } }
                try await world.enqueue([event(incident: "b")])
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.offsets("ops") == [0, 40, 40])
            #expect(world.offsets("other") == [40])
        }

        @Test("a pager gets no reminder unless the severity changed")
        func pager() async throws {
            let world = try world(.pagerduty, Array(repeating: .status(202, "{}"), count: 9))
            try await world.running {
                try await world.tell([event(severity: .warning)])
                try await world.enqueue([
                    event(.reminder, sequence: 2, severity: .warning), event(.reminder, sequence: 3, severity: .error),
                    event(.resolved, sequence: 4),
                ])
                // The second reminder supersedes the first in the outbox; without it the pager is spared both.
                try await eventually { try await world.isEmpty() }
                try await world.enqueue([event(incident: "b"), event(.reminder, incident: "b", sequence: 2)])
                try await eventually { try await world.isEmpty() }
            }
            let sent = try world.transport.sent.map { try object($0.request.body) }
            try #require(sent.map { $0["event_action"] as? String } == ["trigger", "resolve", "trigger"])
            #expect(sent[0]["dedup_key"] as? String == sent[1]["dedup_key"] as? String)
            #expect(sent[0]["dedup_key"] as? String != sent[2]["dedup_key"] as? String)
            #expect(sent[0]["routing_key"] as? String == "SECRETSECRETSECRETSECRETSECRET00")
        }

        @Test("a rise in severity is told to a pager, and a trigger never follows its own end")
        func pagerRules() throws {
            let format = PagerDutyFormat()
            let reminder = facts(try event(.reminder, sequence: 3, severity: .error))
            #expect(format.isPointless(reminder, told: Told(severity: .error)))
            #expect(!format.isPointless(reminder, told: Told(severity: .warning)))
            #expect(format.isPointless(facts(try event()), told: Told(laterEnd: true)))
            #expect(!format.isPointless(facts(try event()), told: Told(severity: .error)))
            #expect(!format.isPointless(facts(try event(.resolved)), told: Told(laterEnd: true)))
        }

        @Test("what was told is read back: the first name, the last severity, a later end")
        func told() async throws {
            let world = try world(.discord, [.status(200, #"{"id":"41"}"#), .status(200, #"{"id":"42"}"#)])
            try await world.running {
                try await world.tell([event(severity: .warning), event(.resolved, sequence: 5)])
                try await world.store.enqueue(
                    world.routes.drafts(
                        for: [event(.reminder, sequence: 3), event(sequence: 6)], domain: Domain("example.com")))
                let rows = try await world.store.messages(domain: nil, limit: 9)
                let late = try #require(rows.first { $0.sequence == 3 })
                let again = try #require(rows.first { $0.sequence == 6 })
                #expect(
                    try await world.store.told(before: late)
                        == Told(reference: "41", severity: .warning, laterEnd: true))
                #expect(
                    try await world.store.told(before: again)
                        == Told(reference: "41", severity: .error, laterEnd: false))
            }
        }

        @Test("a test message to a pager ends what it opened")
        func pagerTest() async throws {
            let world = try world(.pagerduty, [.status(202, "{}"), .status(202, "{}")])
            let domain = try Domain("example.com")
            let facts = AlertFacts.test(domain: domain, links: world.routes.links(for: domain), now: noon)
            let report = try await world.testMessage.send(facts, to: Service.pagerduty.channel(url: "https://ops.test"))
            #expect(report.outcome == .delivered)
            let sent = try world.transport.sent.map { try object($0.request.body) }
            try #require(sent.map { $0["event_action"] as? String } == ["trigger", "resolve"])
            #expect(sent[0]["dedup_key"] as? String == sent[1]["dedup_key"] as? String)
        }
    }
}
