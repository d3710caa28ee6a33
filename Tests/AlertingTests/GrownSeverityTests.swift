import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Trouble that grows within a silence")
    struct GrownSeverityTests {
        private typealias Stage = SilenceWatchTests.Stage

        @Test("whoever was told of less is told at the end how grave it is, once")
        func told() async throws {
            let stage = try await Stage()
            try await stage.check(.firing, state: .firing, severity: .warning)
            try await stage.silence(for: 3600)
            try await stage.check(.update, state: .firing)
            try await stage.pass(600)
            try await stage.check(.reminder, state: .firing)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
            try await stage.pass(3000)
            try await stage.pass(1)
            try await stage.restart(after: 5)
            #expect(try await stage.told() == ["ops firing", "hook firing", "ops update", "hook update"])
            let row = try #require(try await stage.store.messages(domain: nil, limit: 1).first)
            let event = try JSONDecoder().decode(AlertFacts.self, from: row.facts).event
            #expect(event.news == .worse && event.incident.severity == .error && event.at == noon + 3600)
            #expect(event.summary.hasPrefix("example.com: worse: "))
            // A second silence in which nothing changes.
            try await stage.silence(for: 60)
            try await stage.check(.reminder, state: .firing)
            try await stage.pass(60)
            #expect(try await stage.told().count == 4)
        }

        @Test("whoever was told nothing is told of it as of any other, and not that it is worse")
        func untold() async throws {
            let stage = try await Stage()
            try await stage.check(.firing, state: .firing, severity: .warning)
            let row = try #require(
                try await stage.store.claim(channel: "hook", owner: "me", now: noon, lease: .seconds(60)))
            try await stage.store.markDead(
                row, owner: "me", now: noon, attempt: Attempt(class: "permanent_message", status: 400, error: nil))
            try await stage.silence(for: 3600)
            try await stage.check(.update, state: .firing)
            try await stage.pass(3600)
            #expect(try await stage.told() == ["ops firing", "hook firing", "ops update"])
        }

        @Test("where it is over, the end says it all")
        func over() async throws {
            let stage = try await Stage()
            try await stage.check(.firing, state: .firing, severity: .warning)
            try await stage.silence(for: 3600)
            try await stage.check(.update, state: .firing)
            try await stage.check(.resolved, state: .resolved)
            try await stage.pass(3600)
            #expect(try await stage.told() == ["ops firing", "hook firing", "ops resolved", "hook resolved"])
        }

        @Test("so it is with the fleet's own trouble: a channel that fails and is then disabled")
        func fleet() async throws {
            let world = try World(channels: [channel("ops"), channel("sick")])
            let watch = SilenceWatch(
                store: world.store, routes: world.routes, delivery: world.delivery, time: world.time,
                logger: world.delivery.logger, windows: [], recipients: [:])
            var state = FleetState()
            func judge(isDisabled: Bool) async throws {
                let now = world.time.now()
                let sick = FailingChannel(name: "sick", isDisabled: isDisabled, since: noon, words: "500")
                let evaluation = judgeFleet(state, FleetLook(domains: [], channels: [sick]), FleetPolicy(), now: now)
                var record = FleetRecord(state: evaluation.state, incidents: evaluation.incidents)
                for news in evaluation.news {
                    let (told, withheld) = watch.mutings.split([news.event], labels: [:], at: now)
                    record.outbox += try told.flatMap { try world.routes.fleetDrafts(for: $0, of: news.cause) }
                    record.withheld += withheld.map(\.incident.id)
                }
                try await world.store.commit(record, now: now)
                state = evaluation.state
                try await watch.look()
            }
            try await judge(isDisabled: false)
            _ = try await world.store.add(
                SilenceRequest(
                    scope: SilenceScope(domains: [.all]), startsAt: noon, endsAt: noon + 60, author: "eva",
                    reason: "move"), now: noon)
            try await watch.look()
            world.time.advance(to: noon + 10)
            try await judge(isDisabled: true)
            world.time.advance(to: noon + 60)
            try await judge(isDisabled: true)
            try await watch.look()
            let told = try await world.store.messages(domain: nil, limit: 9).reversed()
                .map { "\($0.channel) \($0.type.rawValue.dropFirst(9))" }
            #expect(told == ["ops firing", "ops update"])
            try world.store.close()
        }
    }
}
