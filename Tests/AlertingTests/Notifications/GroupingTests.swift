// Digests: what waits for what, and that a digest stays one message.

import Evidence
import Foundation
import GRDB
import Monitoring
import TestSupport
import Testing

@testable import Alerting
@testable import Storage

private func names(_ count: Int) -> [String] { (0..<count).map { "d\($0).example.com" } }

extension AlertingSuite {
    @Suite("Grouping")
    struct GroupingTests {
        private func world(
            _ script: [String: [ScriptedTransport.Reply]] = [:], _ channels: [Channel]? = nil,
            domains: [String] = names(9),
            interval: Duration = .seconds(300)
        ) throws -> World {
            try World(
                script: script,
                World.routing(
                    channels ?? [channel("hook")], domains: domains, groupWait: .seconds(10), groupInterval: interval))
        }

        @Test("a group waits for others; its next message comes after the interval; another kind has its own group")
        func groups() async throws {
            let world = try world()
            for name in names(3) { try await world.commit(.firing, name) }
            try await world.commit(.firing, "d3.example.com", kind: .originBroken)
            try await world.pass(60)
            try await world.commit(.firing, "d4.example.com")
            try await world.commit(.firing, "d5.example.com")
            try await world.pass(600)
            #expect(world.offsets() == [10, 10, 310])
            let digest = try world.data(0)
            #expect(Set(digest["domains"] as? [String] ?? []) == Set(names(3)) && digest["domain"] == nil)
            #expect(digest["count"] as? Int == 3 && digest["kind"] as? String == "cdn.stale")
            #expect((digest["incidents"] as? [[String: Any]])?.count == 3)
            #expect(try world.data(1)["domain"] as? String == "d3.example.com")
            #expect(try world.data(2)["count"] as? Int == 2)
        }

        @Test("ends share a message while others of the kind still fire; the last end does not wait")
        func ends() async throws {
            let world = try world()
            for name in names(3) { try await world.commit(.firing, name) }
            try await world.pass(20)
            for name in names(2) { try await world.commit(.resolved, name) }
            try await world.pass(20)
            try await world.commit(.resolved, "d2.example.com")
            try await world.pass(20)
            #expect(world.offsets() == [10, 30, 40])
            #expect(world.types() == ["firing", "resolved", "resolved"])
            #expect(try world.data(1)["count"] as? Int == 2)
        }

        @Test("many domains that fail within five minutes are two or three messages to a chat, and one each to a pager")
        func storm() async throws {
            let count = Rounds.of(100, soak: 500)
            let pager = try Service.pagerduty.channel("pager", url: "https://pager.test")
            let world = try world([:], [channel("hook"), pager], domains: names(count))
            for chunk in 0..<5 {
                for name in names(count)[(chunk * count / 5)..<((chunk + 1) * count / 5)] {
                    try await world.commit(.firing, name)
                }
                try await world.pass(60)
            }
            try await world.pass(600)
            #expect((2...3).contains(world.transport.sent(to: "hook").count))
            let counted = try (0..<world.transport.sent(to: "hook").count).map {
                try world.data($0)["count"] as? Int ?? 1
            }
            #expect(counted.reduce(0, +) == count)
            #expect(world.transport.sent(to: "hook").allSatisfy { $0.request.body.count < 20_000 })
            #expect(world.transport.sent(to: "pager").count == count)
        }

        @Test("a digest is repeated with the same key and bytes, even if one of its incidents has ended")
        func sameBytes() async throws {
            let world = try world(["hook": [.status(500), .status(502)]])
            for name in names(3) { try await world.commit(.firing, name) }
            try await world.pass(11)
            try await world.commit(.resolved, "d0.example.com")
            try await world.pass(600)
            #expect(world.types() == ["firing", "firing", "firing", "resolved"])
            #expect(Set(world.transport.sent.prefix(3).map(\.request.body)).count == 1)
            #expect(Set(world.transport.sent.prefix(3).map(\.id)).count == 1)
        }

        @Test("incidents that do not fit into a digest follow at once")
        func full() async throws {
            let world = try world(domains: names(1010))
            for name in names(1010) { try await world.commit(.firing, name) }
            try await world.pass(15)
            #expect(try (0..<world.transport.sent.count).map { try world.data($0)["count"] as? Int } == [1000, 10])
        }

        @Test(
            "a refused digest without a plainer form is not tried again, and all its incidents count as refused"
        )
        func refusedDigest() async throws {
            let world = try world(["hook": [.status(413)]])
            for name in names(4) { try await world.commit(.firing, name) }
            try await world.pass(600)
            #expect(try (0..<world.transport.sent.count).map { try world.data($0)["count"] as? Int } == [4])
            let rows = try await world.store.deliveries(channel: "hook", incident: nil, domain: nil, limit: 20)
            #expect(rows.map(\.outcome) == Array(repeating: .refused, count: 4))
            try await world.commit(.worse, names(4)[0])
            try await world.pass(600)
            #expect(world.transport.sent.count == 2)
        }

        @Test("an unreadable row delays no other message", arguments: [false, true])
        func unreadable(isPager: Bool) async throws {
            let pager = try Service.pagerduty.channel("hook", url: "https://hook.test")
            let world = try world(
                ["hook": isPager ? [.status(429, retryAfter: "60")] : []],
                isPager ? [pager] : nil)
            for name in names(3) { try await world.commit(.firing, name) }
            try await world.settle()
            try await world.store.write {
                try $0.execute(sql: "UPDATE incident SET kind = 'unknown' WHERE domain = 'd1.example.com'")
            }
            try await world.pass(600)
            for name in names(3) {
                let rows = try await world.store.deliveries(
                    channel: "hook", incident: nil, domain: try Domain(name), limit: 20)
                #expect(rows.contains { $0.outcome == .delivered } == (name != "d1.example.com"), "\(name)")
            }
            #expect(try await world.store.pendingNotifications().isEmpty)
        }

        @Test("a pending message of a recovering incident waits, and delays no other", arguments: [false, true])
        func recovering(isPager: Bool) async throws {
            let pager = try Service.pagerduty.channel("hook", url: "https://hook.test")
            let world = try world(
                ["hook": isPager ? [.status(429, retryAfter: "60")] : []], isPager ? [pager] : nil)
            try await world.commit(.firing, "d0.example.com")
            try await world.pass(20)
            try await world.commit(.firing, "d1.example.com")
            try await world.settle()
            try await world.commit(.recovering, "d1.example.com")
            try await world.commit(.firing, "d2.example.com", kind: .originBroken)
            try await world.pass(900)
            let all = world.transport.sent.map(\.text)
            #expect(all.contains { $0.contains("d2.example.com") })
            #expect(!all.contains { $0.contains("d1.example.com") })
            try await world.commit(.resolved, "d1.example.com")
            try await world.pass(900)
            #expect(world.transport.sent.contains { $0.text.contains("d1.example.com") } != isPager)
        }

        @Test("a receiver that refuses everything is in trouble after few requests, even with large digests")
        func refusesAll() async throws {
            let names = names(Rounds.of(200, soak: 500))
            let world = try world(
                ["hook": Array(repeating: .status(400), count: 3000)], domains: names)
            for kind in [IncidentKind.cdnStale, .cdnMissing, .originBroken] {
                for name in names { try await world.commit(.firing, name, kind: kind) }
            }
            try await world.pass(60)
            #expect(world.delivery.troubles().map(\.name) == ["hook"])
            #expect(world.transport.sent.count < 60)
        }

        @Test("reminders of one kind share a message")
        func reminders() async throws {
            let world = try world()
            for name in names(4) { try await world.commit(.firing, name) }
            try await world.pass(86_400 + 600)
            #expect(world.types() == ["firing", "reminder"])
        }
    }

    @Suite("Inhibition by global incidents")
    struct InhibitionTests {
        private func parent(_ state: Incident.State, at now: Date, cause: GlobalCause = .cdn) -> Incident {
            Incident(
                id: "parent", subject: .global(cause), kind: cause.kind, severity: .error, state: state, since: now,
                openedAt: now, firedAt: state == .pending ? nil : now, resolvedAt: state == .resolved ? now : nil,
                version: state == .pending ? 0 : 1)
        }

        /// Two domains, and the kind that an incident of the CDN inhibits for them.
        private static func counted() throws -> AffectedDomains {
            AffectedDomains(
                [try Domain("a.example.com"), try Domain("b.example.com")], of: 9, explaining: [.cdnStale])
        }

        private func world(_ channels: [Channel]? = nil, _ script: [String: [ScriptedTransport.Reply]] = [:]) throws
            -> World
        {
            try World(
                script: script,
                World.routing(
                    channels ?? [channel("hook")], domains: ["a.example.com", "b.example.com", "c.example.com"]))
        }

        @Test("a pending global incident suppresses nothing")
        func pending() async throws {
            let world = try world()
            try await world.commit(parent(.pending, at: noon), .opened, affected: try Self.counted())
            try await world.commit(.firing, "a.example.com")
            try await world.settle()
            #expect(world.types() == ["firing"])
        }

        @Test(
            "a delivered global incident suppresses its kinds; after it ends, a check comes before the other alerts"
        )
        func delivered() async throws {
            let world = try world()
            try await world.commit(parent(.firing, at: noon), .firing, affected: try Self.counted())
            try await world.settle()
            try await world.commit(.firing, "a.example.com")
            try await world.commit(.firing, "b.example.com", kind: .originBroken)
            try await world.pass(3600)
            #expect(world.types() == ["firing", "firing"])
            var end = parent(.firing, at: noon)
            end.state = .resolved
            end.resolvedAt = world.time.now()
            try await world.commit(end, .resolved, affected: try Self.counted())
            world.delivery.reconsider()
            try await world.pass(5, isChecking: false)
            #expect(world.types() == ["firing", "firing", "resolved"])
            try await world.pass(1200)
            #expect(world.types() == ["firing", "firing", "resolved", "firing"])
        }

        @Test("a global incident inhibits only its domains and its kinds, even after a restart")
        func counts() async throws {
            let world = try world()
            try await world.commit(parent(.firing, at: noon), .firing, affected: try Self.counted())
            try await world.settle()
            try await world.restart()
            try await world.commit(.firing, "a.example.com")
            try await world.commit(.firing, "a.example.com", kind: .cdnMissing)
            try await world.commit(.firing, "c.example.com")
            try await world.settle()
            let texts = world.transport.sent.dropFirst().map(\.text)
            #expect(texts.count == 2)
            #expect(texts.contains { $0.contains("a.example.com") && $0.contains("cdn.missing") })
            #expect(texts.contains { $0.contains("c.example.com") && $0.contains("cdn.stale") })
        }

        @Test("if a global incident cannot be delivered, the alerts that it inhibits wait a minute and are then sent")
        func notDelivered() async throws {
            let world = try world(nil, ["hook": Array(repeating: .status(500), count: 4)])
            try await world.commit(parent(.firing, at: noon), .firing, affected: try Self.counted())
            try await world.commit(.firing, "a.example.com")
            try await world.pass(3600)
            #expect(world.transport.sent.contains { $0.text.contains("a.example.com") })
        }

        @Test("a channel that filters out the global incident, or has no route to it, gets the inhibited alerts")
        func filtered() async throws {
            var stale = try channel("stale")
            stale.kinds = ["cdn.stale"]
            let world = try world([channel("hook"), stale])
            try await world.commit(parent(.firing, at: noon), .firing, affected: try Self.counted())
            try await world.settle()
            try await world.commit(.firing, "a.example.com")
            try await world.pass(600)
            #expect(world.types("hook") == ["firing"] && world.types("stale") == ["firing"])
            #expect(world.transport.sent(to: "stale").first?.text.contains("a.example.com") == true)
        }

        @Test("a global incident is silenced if all its domains are silenced, or everything is")
        func silenced() async throws {
            for text in ["*.example.com", "all"] {
                let world = try world()
                try world.silence(text, until: 3600)
                try await world.commit(parent(.firing, at: noon), .firing, affected: try Self.counted())
                try await world.pass(3500)
                #expect(world.types().isEmpty, "\(text)")
                try await world.pass(200)
                #expect(world.types() == ["firing"], "\(text)")
            }
        }

        @Test("trouble of a channel goes to the fallback, not to the channel itself")
        func fallback() async throws {
            let routing = try World.routing(
                [channel("hook"), channel("ops"), channel("third")], fallback: "ops")
            let world = try World(routing)
            try await world.commit(
                parent(.firing, at: noon, cause: .channel("hook")), .firing, affected: try Self.counted())
            try await world.settle()
            #expect(world.types("ops") == ["firing"] && world.types("hook").isEmpty && world.types("third").isEmpty)
        }

        @Test("an incident waits for the next evaluation of all domains together")
        func evaluation() async throws {
            let world = try world()
            world.delivery.set(global: noon - 1)
            try await world.commit(.firing, "a.example.com")
            try await world.pass(20)
            #expect(world.types().isEmpty)
            world.delivery.set(global: world.time.now())
            try await world.pass(5)
            #expect(world.types() == ["firing"])
        }
    }
}
