// Decisions by what a channel already knows: silences, acknowledgements, escalation, reloads, new and removed channels.

import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("What a channel knows")
    struct KnowledgeTests {
        @Test(
            "after a silence, each channel gets the current state if it differs from what the channel knows",
            arguments: [
                // Whether the channel knows the incident, what happens in the silence, what is sent then and later.
                (false, [IncidentChange.Transition.firing], [String](), ["firing"]),
                (false, [.firing, .resolved], [], []),
                (true, [], [], []),
                (true, [.worse], [], ["update"]),
                (true, [.resolved], ["resolved"], []),
                (true, [.resolved, .again], ["resolved"], ["update"]),
            ])
        func silences(
            isKnown: Bool, transitions: [IncidentChange.Transition], within: [String], after: [String]
        ) async throws {
            let world = try World()
            if isKnown { try await world.commit(.firing) }
            try await world.settle()
            let before = world.types().count
            try world.silence("example.com", until: 3600)
            for transition in transitions {
                try await world.commit(transition)
                try await world.pass(60)
            }
            #expect(world.types().dropFirst(before) == within[...])
            try await world.pass(3000)
            #expect(world.types().dropFirst(before) == within[...])
            try await world.pass(3000)
            #expect(world.types().dropFirst(before + within.count) == after[...])
        }

        @Test("a silence follows a change of the wall clock within a minute")
        func wallClock() async throws {
            let world = try World()
            try world.silence("example.com", until: 3600)
            try await world.commit(.firing)
            try await world.pass(600)
            world.time.setWall(by: 3000)
            world.delivery.reconsider()
            try await world.pass(60)
            #expect(world.types() == ["firing"])
            #expect(try world.data(0)["incident"] is [String: Any])
        }

        @Test("an acknowledgement stops reminders until the incident becomes worse; unack brings them back")
        func acknowledgement() async throws {
            let world = try World(World.routing([channel("hook")], remindEvery: .seconds(4 * 3600)))
            try await world.commit(.firing)
            try await world.pass(4 * 3600 + 60)
            #expect(world.types() == ["firing", "reminder"])
            let id = try world.incident().id
            try await world.acknowledge(id)
            try await world.pass(24 * 3600)
            #expect(world.types().count == 2)
            try await world.unacknowledge(id)
            try await world.pass(60)
            #expect(world.types().last == "reminder" && world.types().count == 3)
            try await world.acknowledge(id)
            try await world.commit(.worse)
            try await world.pass(25 * 3600)
            #expect(world.types().suffix(2) == ["update", "reminder"])
        }

        @Test("a pager gets one `acknowledge` per acknowledgement, even during a silence")
        func pagerAcknowledgement() async throws {
            let pager = try Service.pagerduty.channel("pager", url: "https://pager.test")
            let world = try World(World.routing([pager]))
            try await world.commit(.firing)
            try await world.settle()
            try world.silence("example.com", until: 86_400)
            let id = try world.incident().id
            for _ in 0..<2 {
                try await world.acknowledge(id)
                try await world.pass(600)
                try await world.unacknowledge(id)
                try await world.pass(600)
            }
            #expect(try world.actions() == ["trigger", "acknowledge", "acknowledge"])
        }

        @Test(
            "escalation steps are sent once, in time, to channels that do not know; an acknowledgement stops them")
        func escalation() async throws {
            let routing = try World.routing(
                [channel("hook"), channel("pager"), channel("boss")],
                escalation: Escalation([
                    .init(after: .seconds(3600), channels: ["pager"]),
                    .init(after: .seconds(4 * 3600), channels: ["boss"]),
                ]))
            let world = try World(routing)
            try await world.commit(.firing)
            try await world.pass(2 * 3600)
            #expect(world.offsets("hook") == [0] && world.offsets("pager") == [3600])
            try await world.restart()
            try await world.acknowledge(world.incident().id)
            try await world.pass(6 * 3600)
            #expect(world.types("boss").isEmpty && world.types("pager") == ["firing"])
            // Nobody has acknowledged the worse incident, so the steps start again.
            try await world.commit(.worse)
            try await world.pass(2 * 3600)
            #expect(world.types("pager") == ["firing", "update"] && world.types("boss").isEmpty)
            try await world.pass(3 * 3600)
            #expect(world.types("boss") == ["firing"])
            try await world.commit(.resolved)
            try await world.pass(60)
            for name in ["hook", "pager", "boss"] { #expect(world.types(name).last == "resolved", "\(name)") }
        }

        @Test("a new channel is notified of firing incidents, and so is one that was removed and added again")
        func channels() async throws {
            let world = try World()
            try await world.commit(.firing)
            try await world.pass(60)
            try await world.reload(World.routing([channel("hook"), channel("ops")]))
            try await world.pass(60)
            #expect(world.types("ops") == ["firing"] && world.types("hook") == ["firing"])
            try await world.reload(World.routing([channel("hook")]))
            try await world.pass(60)
            try await world.reload(World.routing([channel("hook"), channel("ops")]))
            try await world.pass(60)
            try await world.commit(.resolved)
            try await world.pass(60)
            #expect(world.types("ops") == ["firing", "firing", "resolved"])
        }

        @Test("after a domain is removed, the end goes to the channels that know its incident")
        func removedDomain() async throws {
            let world = try World()
            try await world.commit(.firing)
            try await world.pass(60)
            try await world.reload(World.routing([channel("hook")], domains: []))
            try await world.commit(.resolved, reason: .removed)
            try await world.pass(60)
            #expect(world.types() == ["firing", "resolved"])
        }

        @Test("a change is sent at least 30 minutes after the last message; again and flapping at once")
        func updates() async throws {
            let world = try World()
            try await world.commit(.firing)
            try await world.pass(600)
            try await world.commit(.changed)
            try await world.pass(3600)
            #expect(world.offsets() == [0, 1800])
            try await world.commit(.resolved)
            try await world.pass(60)
            try await world.commit(.again)
            try await world.commit(.flapping)
            try await world.pass(60)
            #expect(world.types().suffix(2) == ["resolved", "update"])
        }

        @Test(
            "outdated evidence notifies nobody: after a stop, a check comes first",
            arguments: [true, false])
        func evidence(isChecked: Bool) async throws {
            let world = try World()
            try await world.commit(.firing)
            world.time.advance(to: noon + 7200)
            try await world.pass(3600, isChecking: false)
            #expect(world.types().isEmpty)
            if isChecked { try await world.check() }
            try await world.pass(120, isChecking: false)
            #expect(world.types() == (isChecked ? ["firing"] : []))
        }
    }
}
