import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    /// `severity` and `kinds` of a channel, while incidents change.
    @Suite("Filters")
    struct FilterTests {
        private func strict() throws -> Channel {
            var channel = try channel("strict")
            channel.minimumSeverity = .error
            return channel
        }

        /// One channel for warnings and errors, and one for errors only.
        private func world(_ routing: Routing? = nil) throws -> World {
            try World(
                routing ?? World.routing([channel("hook"), strict()], domains: ["example.com", "b.example.com"]))
        }

        @Test("a warning that becomes an error is a new incident for a channel with errors only, and its end is sent")
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

        @Test("a channel for errors gets neither the reminders nor the end of a warning")
        func ends() async throws {
            let world = try world()
            try await world.commit(.firing, kind: .certificateExpiring, severity: .warning)
            try await world.pass(86_400 + 600)
            #expect(world.types() == ["firing", "reminder"])
            try await world.commit(.resolved, kind: .certificateExpiring)
            try await world.pass(86_400)
            #expect(world.types().last == "resolved" && world.types("strict").isEmpty)
        }

        @Test("an incident that a narrowed filter now excludes still sends its end")
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

        @Test("after a filter is widened, the channel is notified of incidents that still fire")
        func widened() async throws {
            let world = try world()
            try await world.commit(.firing, kind: .certificateExpiring, severity: .warning)
            try await world.pass(60)
            try await world.reload(World.routing([channel("hook"), channel("strict")]))
            try await world.pass(60)
            #expect(world.types("strict") == ["firing"])
        }

        @Test("a digest contains only incidents that pass the filter")
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
            // A warning that becomes an error later is a message of its own.
            try await world.commit(.worse, "b.test", kind: .certificateExpiring, severity: .error)
            try await world.pass(60)
            #expect(try world.data(1, "strict")["domain"] as? String == "b.test")
        }

        @Test("a channel that a domain names is notified at once, even if an escalation step names it, too")
        func namedTwice() async throws {
            let escalation = Escalation([.init(after: .seconds(3600), channels: ["pager"])])
            let world = try world(
                World.routing([channel("hook"), channel("pager")], escalation: escalation, routed: ["pager"]))
            try await world.commit(.firing)
            try await world.pass(60)
            #expect(world.types("pager") == ["firing"] && world.types().isEmpty)
        }

        @Test("an escalation step also applies the channel's filter")
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
            "the monitor's own incidents must pass the fallback's filters, too",
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
