import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization
import Testing

@testable import Alerting

extension AlertingSuite {
    /// A course of events, the real store and the real watch: what each channel is owed, and when.
    @Suite("Silence watch")
    struct SilenceWatchTests {
        /// A daemon that can be ended and started again over one store.
        final class Stage {
            private let folder: String
            let time = ManualTime()
            private(set) var store: Store
            private(set) var watch: SilenceWatch
            private let routes: Routes
            private var sequence = 0
            private let windows: [MaintenanceWindow]
            let domain: Domain
            /// What the domain's own configuration says; nil: all channels.
            private let channels: [String]?

            init(windows: [MaintenanceWindow] = [], channels: [String]? = nil) async throws {
                folder = FileManager.default.temporaryDirectory.appendingPathComponent("aasa-\(UUID().uuidString)").path
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                domain = try Domain("example.com")
                self.windows = windows
                self.channels = channels
                routes = Routes(
                    channels: [try channel("ops"), try channel("hook")], cdnBaseURL: "https://cdn.test/a/v1")
                store = try Store(path: folder + "/monitor.db")
                watch = Self.watch(store, routes, time, windows, domain, channels)
            }

            deinit { try? FileManager.default.removeItem(atPath: folder) }

            private static func watch(
                _ store: Store, _ routes: Routes, _ time: ManualTime, _ windows: [MaintenanceWindow], _ domain: Domain,
                _ channels: [String]?
            ) -> SilenceWatch {
                let delivery = Delivery(
                    store: store, channels: routes.channels, transport: ScriptedTransport(time: time), time: time,
                    settings: .init(userAgent: "t"),
                    logger: Logger(label: "t", factory: { _ in SwiftLogNoOpLogHandler() }))
                return SilenceWatch(
                    store: store, routes: routes, delivery: delivery, time: time, logger: delivery.logger,
                    windows: windows, recipients: [domain: .init(labels: ["team": "growth"], channels: channels)])
            }

            /// As after a stop of some seconds, or a kill.
            func restart(after seconds: Double = 0) async throws {
                try store.close()
                time.advance(to: time.now() + seconds)
                store = try Store(path: folder + "/monitor.db")
                watch = Self.watch(store, routes, time, windows, domain, channels)
                try await watch.look()
            }

            func pass(_ seconds: Double) async throws {
                time.advance(to: time.now() + seconds)
                try await watch.look()
            }

            func silence(for seconds: Double) async throws {
                _ = try await store.add(
                    SilenceRequest(
                        scope: SilenceScope(domains: [.exactly(domain)]), startsAt: time.now(),
                        endsAt: time.now() + seconds, author: "eva", reason: "upgrade"), now: time.now())
                try await watch.look()
            }

            /// One check that saw this, as the daemon commits it.
            func check(
                _ types: EventType..., state: Incident.State, id: String = "a1", severity: Severity = .error
            ) async throws {
                let now = time.now()
                var events: [Event] = []
                var incident = try event(incident: id, sequence: sequence, severity: severity).incident
                incident.state = state
                for type in types {
                    sequence += 1
                    events.append(try event(type, incident: id, sequence: sequence, severity: severity, at: now))
                }
                incident.sequence = sequence
                if state == .resolved {
                    incident.resolvedAt = now
                    incident.reason = .cdnCaughtUp
                }
                let (told, withheld) = watch.mutings.split(events, labels: ["team": "growth"], at: now)
                var memory = DomainState(domain: domain)
                memory.lastCheckedAt = now
                memory.verdict = Verdict(
                    level: .failing, diagnosis: "as of \(Int(now.timeIntervalSince(noon)))",
                    comparison: Comparison(state: .stale), findings: [])
                try await store.commit(
                    CheckRecord(
                        observation: nil, state: memory, incidents: [incident],
                        outbox: try routes.drafts(for: told, domain: domain, channels: channels),
                        withheld: withheld.map(\.incident.id)))
            }

            /// What is owed or was told, in the order of its making: `ops firing`.
            func told() async throws -> [String] {
                try await store.messages(domain: nil, limit: 100).reversed()
                    .filter { $0.state != .dead }
                    .map { "\($0.channel) \($0.type.rawValue.dropFirst(9))" }
            }
        }

        @Test("without a silence everybody is told, and nothing twice")
        func plain() async throws {
            let stage = try await Stage()
            try await stage.check(.firing, state: .firing)
            try await stage.pass(60)
            try await stage.check(.resolved, state: .resolved)
            try await stage.pass(60)
            #expect(try await stage.told() == ["ops firing", "hook firing", "ops resolved", "hook resolved"])
        }

        @Test("what fires within a silence and goes on is told at its end, once, as it is then")
        func firesWithin() async throws {
            let stage = try await Stage()
            try await stage.silence(for: 3600)
            try await stage.check(.firing, state: .firing)
            try await stage.pass(600)
            try await stage.check(.reminder, state: .firing)
            try await stage.pass(2999)
            #expect(try await stage.told().isEmpty)
            try await stage.pass(1)
            try await stage.pass(1)
            try await stage.restart(after: 5)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
            let row = try #require(try await stage.store.messages(domain: nil, limit: 1).first)
            let facts = try JSONDecoder().decode(AlertFacts.self, from: row.facts)
            #expect(facts.event.diagnosis == "as of 600")
            #expect(facts.event.at == noon + 3600)
            #expect(facts.labels == ["team": "growth"])
            try await stage.check(.resolved, state: .resolved)
            #expect(try await stage.told() == ["ops firing", "hook firing", "ops resolved", "hook resolved"])
        }

        @Test("what begins and ends within a silence is told to nobody")
        func passesWithin() async throws {
            let stage = try await Stage()
            try await stage.silence(for: 3600)
            try await stage.check(.firing, state: .firing)
            try await stage.pass(60)
            try await stage.check(.resolved, state: .resolved)
            try await stage.pass(3600)
            #expect(try await stage.told().isEmpty)
            #expect(try await stage.store.withheldIncidents().isEmpty)
        }

        @Test("the end of what was told before is told within the silence")
        func endsWithin() async throws {
            let stage = try await Stage()
            try await stage.check(.firing, state: .firing)
            try await stage.silence(for: 3600)
            try await stage.check(.reminder, state: .firing)
            try await stage.check(.resolved, state: .resolved)
            let expected = ["ops firing", "hook firing", "ops resolved", "hook resolved"]
            #expect(try await stage.told() == expected)
            try await stage.pass(3600)
            #expect(try await stage.told() == expected)
        }

        @Test("who was told before and nothing has changed is told nothing")
        func unchanged() async throws {
            let stage = try await Stage()
            try await stage.check(.firing, state: .firing)
            try await stage.silence(for: 3600)
            try await stage.check(.reminder, state: .firing)
            try await stage.pass(3600)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
            #expect(try await stage.store.withheldIncidents().isEmpty)
        }

        @Test("of two channels only the one that was not told is told at the end", arguments: [false, true])
        func twoChannels(isOver: Bool) async throws {
            let stage = try await Stage()
            try await stage.check(.firing, state: .firing)
            // The receiver refused it for good: this channel knows nothing.
            let row = try #require(
                try await stage.store.claim(channel: "hook", owner: "me", now: noon, lease: .seconds(60)))
            try await stage.store.markDead(
                row, owner: "me", now: noon, attempt: Attempt(class: "permanent_message", status: 400, error: nil))
            try await stage.silence(for: 3600)
            try await stage.check(.reminder, state: .firing)
            if isOver { try await stage.check(.resolved, state: .resolved) }
            try await stage.pass(3600)
            #expect(
                try await stage.told() == (isOver ? ["ops firing", "ops resolved"] : ["ops firing", "hook firing"]))
        }

        @Test("a domain's own routes hold at the end of a silence too")
        func routed() async throws {
            let stage = try await Stage(channels: ["hook"])
            try await stage.silence(for: 60)
            try await stage.check(.firing, state: .firing)
            try await stage.pass(60)
            #expect(try await stage.told() == ["hook firing"])
        }

        @Test("a restart within a silence tells nothing, and its end afterwards is noticed")
        func restartWithin() async throws {
            let stage = try await Stage()
            try await stage.silence(for: 3600)
            try await stage.check(.firing, state: .firing)
            try await stage.restart(after: 60)
            try await stage.check(state: .firing)
            #expect(try await stage.told().isEmpty)
            try await stage.pass(3600)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
        }

        @Test(
            "a silence that ended during a stop is settled after the first check, by what that sees",
            arguments: [false, true])
        func longStop(isOver: Bool) async throws {
            let stage = try await Stage()
            try await stage.silence(for: 3600)
            try await stage.check(.firing, state: .firing)
            try await stage.restart(after: 86_400)
            #expect(try await stage.told().isEmpty)
            if isOver {
                try await stage.check(.resolved, state: .resolved)
            } else {
                try await stage.check(state: .firing)
            }
            try await stage.pass(1)
            try await stage.pass(1)
            #expect(try await stage.told() == (isOver ? [] : ["ops firing", "hook firing"]))
            #expect(try await stage.store.withheldIncidents().isEmpty)
        }

        @Test("what was told and ended during a stop is told within the silence that still holds")
        func transitionDuringStop() async throws {
            let stage = try await Stage()
            try await stage.check(.firing, state: .firing)
            try await stage.silence(for: 86_400)
            try await stage.check(.reminder, state: .firing)
            try await stage.restart(after: 3600)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
            try await stage.check(.resolved, state: .resolved)
            #expect(try await stage.told() == ["ops firing", "hook firing", "ops resolved", "hook resolved"])
        }

        @Test("what seems to be over at the end of a silence is told only if it is not")
        func recovering() async throws {
            let stage = try await Stage()
            try await stage.silence(for: 60)
            try await stage.check(.firing, state: .firing)
            try await stage.check(state: .recovering)
            try await stage.pass(60)
            #expect(try await stage.told().isEmpty)
            try await stage.check(state: .firing)
            try await stage.pass(1)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
        }

        @Test("a silence that takes over from another leaves no gap to speak in; ended early, it lets speak")
        func overlapping() async throws {
            let stage = try await Stage()
            try await stage.silence(for: 600)
            try await stage.silence(for: 7200)
            try await stage.check(.firing, state: .firing)
            try await stage.pass(601)
            #expect(try await stage.told().isEmpty)
            _ = try await stage.store.endSilence(id: "2", now: stage.time.now())
            try await stage.pass(1)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
        }

        @Test("the end of a maintenance window is noticed like that of a silence")
        func window() async throws {
            // A Saturday, 07:00 UTC.
            let window = MaintenanceWindow(
                name: "w", scope: SilenceScope(domains: [.all]), days: [.sat], start: try #require(TimeOfDay("08:00")),
                extent: .until(try #require(TimeOfDay("08:30"))),
                zone: try #require(TimeZone(identifier: "Europe/Berlin")),
                reason: "weekly")
            let stage = try await Stage(windows: [window])
            try await stage.check(.firing, state: .firing)
            try await stage.pass(1799)
            #expect(try await stage.told().isEmpty)
            try await stage.pass(1)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
        }
    }
}
