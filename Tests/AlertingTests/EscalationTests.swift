import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Escalation")
    struct EscalationTests {
        private static func channels() throws -> [Channel] {
            [
                try channel("ops"), try channel("hook"),
                try Channel(name: "pager", kind: .pagerduty, url: "https://pager.test", token: "SECRET"),
                try channel("boss"),
            ]
        }

        private static let escalation = Escalation([
            .init(after: .seconds(3600), channels: ["pager"]), .init(after: .seconds(7200), channels: ["boss"]),
        ])

        private static func routes(_ fleet: Routes.FleetRouting = .init()) throws -> Routes {
            Routes(
                channels: try channels(), cdnBaseURL: "https://cdn.test/a/v1", fleet: fleet, escalation: escalation)
        }

        private static func step(_ after: Double, _ through: Double, sequence: Int = 2) throws -> Event {
            var event = try event(.firing, sequence: sequence)
            event.escalation = EscalationSpan(after: after, through: through)
            return event
        }

        @Test("who is called later is not told at once, unless a domain names it")
        func atOnce() throws {
            let routes = try Self.routes()
            let domain = try Domain("example.com")
            func names(_ event: Event, _ channels: [String]?) throws -> [String] {
                try routes.drafts(for: [event], domain: domain, channels: channels).filter { $0.condition == .always }
                    .map(\.channel)
            }
            #expect(try names(event(), nil) == ["ops", "hook"])
            #expect(try names(event(), ["pager"]) == ["pager"])
            #expect(try names(event(), []) == [])
            #expect(try names(event(.update, sequence: 2), nil) == ["ops", "hook"])
        }

        @Test(
            "a step goes to its channels alone, on the condition that nobody has it in hand",
            arguments: [(0.0, 3600.0, ["pager"]), (3600, 7200, ["boss"]), (0, 7200, ["pager", "boss"])])
        func steps(_ after: Double, _ through: Double, _ names: [String]) throws {
            let domain = try Domain("example.com")
            for routed in [nil, ["hook"], []] as [[String]?] {
                let drafts = try Self.routes().drafts(
                    for: [Self.step(after, through)], domain: domain, channels: routed)
                #expect(drafts.map(\.channel) == names)
                #expect(drafts.allSatisfy { $0.condition == .isEscalation && $0.type == .firing })
                #expect(drafts.map(\.hearsOfHand) == names.map { $0 == "pager" })
            }
        }

        @Test("whoever was called hears how it goes on and ends, and only then", arguments: [true, false])
        func goesOn(isCalled: Bool) async throws {
            let world = try World(channels: Self.channels())
            let routes = try Self.routes()
            let domain = try Domain("example.com")
            var events = [try event()]
            if isCalled { events.append(try Self.step(0, 3600)) }
            events += [try event(.update, sequence: 3), try event(.resolved, sequence: 4)]
            for event in events { try await world.store.enqueue(routes.drafts(for: [event], domain: domain)) }
            let told = try await world.store.messages(domain: nil, limit: 99).reversed()
                .filter { $0.channel == "pager" || $0.channel == "boss" }
                .map { "\($0.channel) \($0.type.rawValue.dropFirst(9))" }
            #expect(told == (isCalled ? ["pager firing", "pager update", "pager resolved"] : []))
            try world.store.close()
        }

        @Test("the fleet's own trouble climbs too, and never over the channel that is sick")
        func fleet() throws {
            func names(_ cause: FleetCause, _ event: Event) throws -> [String] {
                try Self.routes().fleetDrafts(for: event, of: cause).map(\.channel)
            }
            #expect(try names(.cdn, event()) == ["ops", "hook"])
            #expect(try names(.channel("ops"), event()) == ["hook"])
            #expect(try names(.store, Self.step(0, 7200)) == ["pager", "boss"])
            #expect(try names(.channel("pager"), Self.step(0, 7200)) == ["boss"])
        }

        @Test("the first line says that it was passed on")
        func words() throws {
            let story = Story(facts(try Self.step(0, 3600)))
            #expect(story.headline == "ESCALATED · error · example.com · cdn.stale · for 25 h")
        }

        @Test("a pager gets trigger, acknowledge and resolve under one key, and a chat hears of no hand")
        func acknowledge() async throws {
            let world = try World(channels: Self.channels())
            let routes = try Self.routes()
            let domain = try Domain("example.com")
            func commit(_ event: Event) async throws {
                var incident = event.incident
                incident.id = "a1b2"
                var event = event
                event.incident = incident
                var memory = DomainState(domain: domain)
                memory.lastCheckedAt = noon
                try await world.store.commit(
                    CheckRecord(
                        observation: nil, state: memory, incidents: [incident],
                        outbox: routes.drafts(for: [event], domain: domain)))
                world.delivery.wake()
                try await eventually { try await world.isEmpty() }
            }
            try await world.running {
                try await commit(event())
                try await commit(Self.step(0, 3600))
                let hand = Acknowledgement(by: "eva", reason: "on it", at: noon)
                _ = try await world.store.acknowledge(prefix: "a1b2", hand)
                world.delivery.wake()
                try await eventually { try await world.isEmpty() }
                try await commit(event(.resolved, sequence: 3))
            }
            let calls = try world.transport.sent(to: "pager").map { try object($0.request.body) }
            try #require(calls.map { $0["event_action"] as? String } == ["trigger", "acknowledge", "resolve"])
            #expect(Set(calls.map { $0["dedup_key"] as? String }).count == 1)
            #expect(calls[1]["payload"] == nil && calls[1]["routing_key"] as? String == "SECRET")
            #expect(world.transport.sent(to: "ops").map(\.type) == ["incident.firing", "incident.resolved"])
            #expect(world.transport.sent(to: "boss").isEmpty)
        }

        @Test("a channel that is a pager no more says nothing of a hand")
        func otherKind() async throws {
            let world = try World(channels: [channel("pager")])
            let first = try event()
            let facts = try JSONEncoder().encode(facts(first))
            func draft(_ key: String, _ type: EventType) -> OutboxDraft {
                OutboxDraft(
                    messageKey: key, incidentID: "a1", channel: "pager", type: type, sequence: 1, severity: .error,
                    facts: facts, createdAt: noon, expiresAt: noon + 3600)
            }
            try await world.running {
                try await world.store.enqueue([draft("k1", .firing), draft("k2", .acknowledged)])
                world.delivery.wake()
                try await eventually { try await world.isEmpty() }
                #expect(
                    try await world.states() == [
                        "pager incident.firing": .delivered, "pager incident.acknowledged": .superseded,
                    ])
            }
            #expect(world.transport.sent(to: "pager").map(\.type) == ["incident.firing"])
        }
    }
}
