import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("What a removed channel was told")
    struct RemovedChannelLogTests {
        private static let words = "end it there by hand"

        private func world(_ kind: ChannelKind) throws -> World {
            try World(channels: [
                Channel(name: "gone", kind: kind, url: "https://gone.test", token: "SECRET"), channel("ops"),
            ])
        }

        /// Tells both channels of an incident and waits until they have heard.
        private func tell(_ world: World, _ id: String, _ type: EventType = .firing, sequence: Int = 1) async throws {
            let event = try event(type, incident: id, sequence: sequence)
            let domain = try Domain("example.com")
            var memory = DomainState(domain: domain)
            memory.lastCheckedAt = noon
            try await world.store.commit(
                CheckRecord(
                    observation: nil, state: memory, incidents: [event.incident],
                    outbox: world.routes.drafts(for: [event], domain: domain)))
            world.delivery.wake()
            try await world.pass { try await world.isEmpty() }
        }

        @Test("a reload names what stays open there, by its key where it is a pager, and names it once")
        func pager() async throws {
            let world = try world(.pagerduty)
            try await world.running {
                try await tell(world, "over")
                try await tell(world, "over", .resolved, sequence: 2)
                try await tell(world, "a1b2")
                let sent = try #require(world.transport.sent(to: "gone").last)
                let key = try #require(try object(sent.request.body)["dedup_key"] as? String)
                try await world.delivery.replace(channels: [channel("ops")])
                let lines = world.log.text.filter { $0.contains(Self.words) }
                #expect(lines.count == 1)
                let line = try #require(lines.first)
                #expect(line.hasPrefix("warning") && line.contains("a1b2 (example.com cdn.stale) dedup_key \(key)"))
                #expect(!line.contains("over (") && !line.contains("SECRET"))
                try await world.delivery.replace(channels: [channel("ops")])
                #expect(world.log.text.count { $0.contains(Self.words) } == 1)
            }
        }

        @Test("a line names ten at most, and how many there are")
        func many() async throws {
            let world = try world(.webhook)
            try await world.running {
                _ = try await world.store.introduce(
                    channel: "gone", now: noon, rules: world.delivery.rules(for: channel("gone")), mayJoin: true
                ) { _, _ in .skip }
                for number in 10..<22 { try await tell(world, "a\(number)") }
                try await world.delivery.replace(channels: [channel("ops")])
                let line = try #require(world.log.text.first { $0.contains(Self.words) })
                #expect(line.contains("a19 (") && !line.contains("a20 (") && line.contains("and 2 more"))
                #expect(line.contains("12") && !line.contains("dedup_key"))
            }
        }

        @Test("what a hand queues again for a removed channel waits for nobody")
        func queuedAgain() async throws {
            let world = try world(.webhook)
            try await world.enqueue([event()])
            #expect(try await world.store.markExpired(channel: "gone", now: noon + 9 * 86_400) == 1)
            try await world.delivery.replace(channels: [channel("ops")])
            let expired = try await world.store.outbox(channel: "gone", states: [.expired], limit: 9).map(\.row.id)
            // By a command that was given another configuration.
            let guest = try Store(path: world.folder + "/monitor.db", access: .beside)
            #expect(try await guest.retry(expired, now: noon).map(\.refusal) == [nil])
            try guest.close()
            #expect(try await world.states()["gone incident.firing"] == .queued)
            await world.delivery.wakeAfterOutsideWrite()
            #expect(try await world.states()["gone incident.firing"] == .dead)
            try world.store.close()
        }
    }
}
