// What a channel is notified of, by what it knows: silences, acknowledgements, escalation, reloads, new and removed channels.

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
            "after a silence each channel is notified of the present, where it knows something else",
            arguments: [
                // Known before, what happens within the silence, what it gets within it, and afterwards.
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

        @Test("a silence follows the wall clock within a minute, though the process lives on")
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

        @Test("an acknowledgement stops reminders, until the incident becomes worse; unack brings them back")
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

        @Test("a pager gets one acknowledge, in a silence too, and a second one for a second acknowledgement")
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
            "steps of the escalation come in their time, once, to those who do not know; an acknowledgement ends them")
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
            // Worse: nobody looks after that yet, and the time of the steps begins anew.
            try await world.commit(.worse)
            try await world.pass(2 * 3600)
            #expect(world.types("pager") == ["firing", "update"] && world.types("boss").isEmpty)
            try await world.pass(3 * 3600)
            #expect(world.types("boss") == ["firing"])
            try await world.commit(.resolved)
            try await world.pass(60)
            for name in ["hook", "pager", "boss"] { #expect(world.types(name).last == "resolved", "\(name)") }
        }

        @Test("a new channel is notified of what fires, and so is one that was removed and comes back")
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

        @Test("a domain that is removed sends its end to those who know")
        func removedDomain() async throws {
            let world = try World()
            try await world.commit(.firing)
            try await world.pass(60)
            try await world.reload(World.routing([channel("hook")], domains: []))
            try await world.commit(.resolved, reason: .removed)
            try await world.pass(60)
            #expect(world.types() == ["firing", "resolved"])
        }

        @Test("a change is notified 30 minutes after the last message at the earliest; again and flapping at once")
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
            "evidence that is too old notifies nobody: after a stop a check comes first",
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
