// Many messages as one: what waits for what, what is said, and that a digest is one message through thick and thin.

import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension World {
    /// A check of a domain each that saw an incident begin, or end.
    func commit(
        _ domains: [String], _ type: EventType = .firing, kind: IncidentKind = .cdnStale, sequence: Int = 1,
        at: Date = noon, severity: Severity = .error, channels: [String]? = nil
    ) async throws {
        for name in domains {
            let domain = try Domain(name)
            var event = try event(
                type, incident: "\(kind.rawValue) \(name)", sequence: sequence, severity: severity, at: at)
            event.incident.domain = domain
            event.incident.kind = kind
            event.incident.since = at - 3600
            var state = DomainState(domain: domain)
            state.lastCheckedAt = at
            try await store.commit(
                CheckRecord(
                    observation: nil, state: state, incidents: [event.incident],
                    outbox: routes.drafts(for: [event], domain: domain, channels: channels)))
        }
        delivery.wake()
    }

    func data(_ index: Int) throws -> [String: Any] {
        let sent = try #require(transport.sent.dropFirst(index).first)
        return try #require(object(sent.request.body)["data"] as? [String: Any])
    }
}

private func names(_ count: Int) -> [String] { (0..<count).map { "d\($0).example.com" } }

extension AlertingSuite {
    @Suite("Grouping")
    struct GroupingTests {
        private func world(
            _ script: [String: [ScriptedTransport.Reply]] = [:], _ channels: [Channel]? = nil
        ) throws -> World {
            try World(script: script, channels: channels, groupWait: .seconds(10))
        }

        @Test("beginnings of one kind share a message, another kind has its own; both come after the wait")
        func groups() async throws {
            let world = try world()
            try await world.running {
                try await world.commit(names(3))
                try await world.commit(["e.example.com"], kind: .originBroken)
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.offsets("hook") == [10, 10])
            let digest = try world.data(0)
            #expect(Set(digest["domains"] as? [String] ?? []) == Set(names(3)) && digest["domain"] == nil)
            #expect(digest["count"] as? Int == 3 && digest["kind"] as? String == "cdn.stale")
            #expect((digest["incidents"] as? [[String: Any]])?.count == 3)
            #expect(try world.data(1)["domain"] as? String == "e.example.com")
        }

        @Test("a single message keeps its form and waits no longer than the wait; updates do not wait")
        func single() async throws {
            let world = try world()
            try await world.running {
                try await world.commit(["a.example.com"])
                try await world.commit(["b.example.com"], .update, sequence: 2)
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.offsets("hook") == [0, 10])
            #expect(try world.data(0)["domain"] as? String == "b.example.com")
            #expect(try world.data(1)["domain"] as? String == "a.example.com")
        }

        @Test("ends share a message while others of the kind go on; the last one waits for nobody")
        func ends() async throws {
            let world = try world()
            try await world.running {
                try await world.commit(names(3))
                try await world.pass { try await world.isEmpty() }
                try await world.commit(names(2), .resolved, sequence: 2, at: noon + 10)
                try await world.pass { try await world.isEmpty() }
                try await world.commit(["d2.example.com"], .resolved, sequence: 2, at: noon + 20)
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.offsets("hook") == [10, 20, 20])
            #expect(world.transport.sent.map(\.type) == ["incident.firing", "incident.resolved", "incident.resolved"])
            #expect(try world.data(1)["count"] as? Int == 2)
            #expect(try world.data(2)["domain"] as? String == "d2.example.com")
        }

        @Test("500 domains that fail at once are one message to each chat channel, and 500 to a pager")
        func storm() async throws {
            let chats = [Service.slack, .discord, .telegram, .teams, .ntfy]
            let channels =
                try chats.map { try $0.channel($0.rawValue, url: "https://\($0.rawValue).test/api") }
                + [channel("hook"), Service.pagerduty.channel("pager", url: "https://pager.test")]
            let sent = #"{"ok":true,"id":"1","result":{"message_id":5}}"#
            let world = try world(["telegram": [.status(200, sent)]], channels)
            try await world.running {
                try await world.commit(names(500))
                try await world.pass {
                    try await world.store.outboxCounts().allSatisfy { $0.state == .delivered }
                }
                #expect(try await world.store.outboxCounts().allSatisfy { $0.rows == 500 })
            }
            for chat in chats {
                let all = world.transport.sent(to: chat.rawValue)
                #expect(all.count == 1, "\(chat)")
                let text = try chat.texts(try #require(all.first).request.body).joined(separator: "\n")
                #expect(text.contains("500 domains") && text.contains("490 more"), "\(chat)")
            }
            #expect(world.transport.sent(to: "hook").count == 1)
            #expect(world.transport.sent(to: "hook").first.map { $0.request.body.count < 20_000 } == true)
            let pages = try world.transport.sent(to: "pager").map {
                try object($0.request.body)["dedup_key"] as? String
            }
            #expect(pages.count == 500 && Set(pages).count == 500)
        }

        @Test("a repeat after a kill says the same under the same key, though more has come since")
        func killed() async throws {
            let world = try world()
            try await world.commit(names(4))
            let rules = world.delivery.rules(for: try channel())
            let first = try #require(
                try await world.store.claim(
                    channel: "hook", owner: "former", now: noon + 10, lease: .seconds(600), rules: rules))
            let bytes = Data(#"{"frozen":true}"#.utf8)
            _ = try await world.store.freeze(first, owner: "former", bytes: bytes)
            try await world.commit(["late.example.com"])
            world.time.advance(to: noon + 10)
            try await world.running { try await world.pass { try await world.isEmpty() } }
            #expect(world.transport.sent.map(\.id) == [first.sendingKey, world.transport.sent.last?.id])
            #expect(world.transport.sent.first?.request.body == bytes)
            #expect(try world.data(1)["domain"] as? String == "late.example.com")
            let key = first.sendingKey
            #expect(key.utf8.count <= 64 && !key.contains(".") && key != first.messageKey)
        }

        @Test("all members share the fate of their message, and each is told of its own end")
        func fate() async throws {
            let world = try world(["hook": [.status(500), .status(500)]])
            try await world.running {
                try await world.commit(names(3))
                try await world.pass { world.transport.sent.count == 1 }
                try await world.commit(names(1), .resolved, sequence: 2, at: noon + 10)
                try await world.pass { try await world.isEmpty() }
                let rows = try await world.store.messages(domain: nil, limit: 9)
                #expect(rows.filter { $0.type == .firing }.allSatisfy { $0.state == .delivered && $0.attempts == 3 })
                #expect(rows.count { $0.type == .resolved && $0.state == .delivered } == 1)
            }
            #expect(
                world.transport.sent.map(\.type) == [
                    "incident.firing", "incident.firing", "incident.firing", "incident.resolved",
                ])
            #expect(Set(world.transport.sent.prefix(3).map(\.id)).count == 1)
        }

        @Test("the wait of zero keeps messages apart")
        func zero() async throws {
            let world = try World()
            try await world.running {
                try await world.commit(names(3))
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.offsets("hook") == [0, 0, 0])
        }

        @Test(
            "what began and ended before it could be said is one message to a chat",
            arguments: [
                .status(401), .status(429, retryAfter: "60"), .fault(.network, wasSent: false),
                .fault(.certificate, wasSent: false),
            ] as [ScriptedTransport.Reply])
        func unsaid(reply: ScriptedTransport.Reply) async throws {
            let world = try world(["hook": [reply]])
            try await world.running {
                try await world.commit(["a.example.com"])
                try await world.pass { world.transport.sent.count == 1 }
                try await world.commit(["b.example.com"], at: noon + 10)
                try await world.commit(["a.example.com", "b.example.com"], .resolved, sequence: 2, at: noon + 20)
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.transport.sent.map(\.type) == ["incident.firing", "incident.resolved"])
            #expect((try world.data(1)["summary"] as? String)?.hasPrefix("WAS FIRING") == true)
        }

        @Test(
            "a pager hears nothing of what it never heard begin, and the end of all that it may have heard",
            arguments: [true, false])
        func unsaidToPager(wasSent: Bool) async throws {
            let pager = try Service.pagerduty.channel("pager", url: "https://pager.test")
            let world = try world(
                ["pager": [.fault(.network, wasSent: wasSent), .status(202, "{}"), .status(202, "{}")]], [pager])
            try await world.running {
                try await world.commit(["a.example.com"])
                try await eventually { world.transport.sent.count == 1 }
                try await world.store.hold(channel: "pager", until: noon + 5, reason: .throttled)
                try await world.commit(["b.example.com"])
                try await world.commit(["a.example.com", "b.example.com"], .resolved, sequence: 2)
                try await world.pass { try await world.isEmpty() }
            }
            let actions = try world.transport.sent.map { try object($0.request.body)["event_action"] as? String }
            #expect(actions == (wasSent ? ["trigger", "trigger", "resolve"] : ["trigger"]))
        }

        @Test("an end in a chat names when it was, where nobody heard of the beginning")
        func wording() throws {
            var late = facts(try event(.resolved))
            late.isUnsaidEnd = true
            #expect(
                Wording(facts: late).headline
                    == "WAS FIRING · example.com · cdn.stale · from 2026-11-20 06:00 UTC to 2026-11-21 07:00 UTC")
        }
    }
}
