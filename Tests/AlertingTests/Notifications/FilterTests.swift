import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    /// `severity` and `kinds` of a channel, as incidents go on.
    @Suite("Filters")
    struct FilterTests {
        private func strict() throws -> Channel {
            var channel = try channel("strict")
            channel.minimumSeverity = .error
            return channel
        }

        /// One channel for all from warnings up, and one for errors.
        private func world(_ routing: Routing? = nil) throws -> World {
            try World(
                routing ?? World.routing([channel("hook"), strict()], domains: ["example.com", "b.example.com"]))
        }

        @Test("a warning that worsens is a firing to a channel for errors, and its end follows")
        func worsens() async throws {
            let world = try world()
            try await world.commit(.firing, kind: .certificateExpiring, severity: .warning)
            try await world.pass(60)
            #expect(world.types() == ["firing"] && world.types("strict").isEmpty)
            try await world.commit(.worse, kind: .certificateExpiring, severity: .error)
            try await world.pass(60)
            #expect(world.types() == ["firing", "update"] && world.types("strict") == ["firing"])
            try await world.commit(.resolved, kind: .certificateExpiring)
            try await world.pass(60)
            #expect(world.types("strict") == ["firing", "resolved"])
        }

        @Test("a warning that ends is nothing to a channel for errors, and neither are its reminders")
        func ends() async throws {
            let world = try world()
            try await world.commit(.firing, kind: .certificateExpiring, severity: .warning)
            try await world.pass(86_400 + 600)
            #expect(world.types() == ["firing", "reminder"])
            try await world.commit(.resolved, kind: .certificateExpiring)
            try await world.pass(86_400)
            #expect(world.types().last == "resolved" && world.types("strict").isEmpty)
        }

        @Test("an incident that a channel knows and would not be notified of any more sends its end alone")
        func narrowed() async throws {
            let world = try world()
            try await world.commit(.firing)
            try await world.pass(60)
            var narrow = try channel("hook")
            narrow.kinds = ["origin.*"]
            try await world.reload(World.routing([narrow, strict()]))
            try await world.commit(.worse)
            try await world.pass(2 * 86_400)
            #expect(world.types() == ["firing"])
            try await world.commit(.resolved)
            try await world.pass(60)
            #expect(world.types() == ["firing", "resolved"])
        }

        @Test("a filter that lets more through notifies of what still fires")
        func widened() async throws {
            let world = try world()
            try await world.commit(.firing, kind: .certificateExpiring, severity: .warning)
            try await world.pass(60)
            try await world.reload(World.routing([channel("hook"), channel("strict")]))
            try await world.pass(60)
            #expect(world.types("strict") == ["firing"])
        }

        @Test("a digest holds what the filter lets through, and nothing else")
        func digest() async throws {
            let names = ["a.test", "b.test", "c.test"]
            let world = try world(
                World.routing([channel("hook"), strict()], domains: names, groupWait: .seconds(10)))
            for name in names {
                try await world.commit(
                    .firing, name, kind: .certificateExpiring, severity: name == "b.test" ? .warning : .error)
            }
            try await world.pass(60)
            #expect((try world.data(0)["domains"] as? [String])?.sorted() == names)
            #expect((try world.data(0, "strict")["domains"] as? [String])?.sorted() == ["a.test", "c.test"])
            // What worsens later comes by itself.
            try await world.commit(.worse, "b.test", kind: .certificateExpiring, severity: .error)
            try await world.pass(60)
            #expect(try world.data(1, "strict")["domain"] as? String == "b.test")
        }

        @Test("a channel that a domain names is notified at once, though a step of the escalation names it, too")
        func namedTwice() async throws {
            let escalation = Escalation([.init(after: .seconds(3600), channels: ["pager"])])
            let world = try world(
                World.routing([channel("hook"), channel("pager")], escalation: escalation, routed: ["pager"]))
            try await world.commit(.firing)
            try await world.pass(60)
            #expect(world.types("pager") == ["firing"] && world.types().isEmpty)
        }

        @Test("a step of the escalation for errors alone passes its filter, too")
        func escalates() async throws {
            var pager = try channel("pager")
            pager.kinds = ["cdn.*"]
            let escalation = Escalation([.init(after: .seconds(3600), channels: ["pager"])])
            let world = try world(World.routing([channel("hook"), pager], escalation: escalation))
            try await world.commit(.firing)
            try await world.commit(.firing, kind: .originBroken)
            try await world.pass(7200)
            #expect(world.types() == ["firing", "firing"])
            #expect(world.types("pager") == ["firing"])
            #expect(try world.data(0, "pager")["kind"] as? String == "cdn.stale")
        }

        @Test(
            "the monitor's own trouble passes the filters of the fallback like any other",
            arguments: [
                (Severity.warning, [], Severity.warning, true), (.error, [], .warning, false),
                (.error, [], .error, true),
                (.warning, ["monitor.*"], .warning, true), (.warning, ["cdn.*"], .error, false),
            ] as [(Severity, [String], Severity, Bool)])
        func fallback(least: Severity, kinds: [String], severity: Severity, isNotified: Bool) async throws {
            var ops = try channel("ops")
            ops.minimumSeverity = least
            ops.kinds = kinds
            let world = try world(World.routing([channel("hook"), ops], fallback: "ops"))
            let own = Incident(
                id: "own", subject: .global(.schedule), kind: .monitorDegraded, severity: severity, state: .firing,
                since: noon, openedAt: noon, firedAt: noon, version: 1)
            try await world.commit(own, .firing)
            try await world.pass(60)
            #expect(world.types("ops") == (isNotified ? ["firing"] : []))
            #expect(world.types().isEmpty)
        }
    }
}
