import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Conditions of the monitor that end by what somebody did")
    struct MonitorConditionTests {
        /// What a judgement at some seconds knows of a refused configuration and of channels.
        private struct Look {
            let second: Double
            var refusal: String?
            var sick: [String] = []
            var names: Set<String>? = ["ops", "chat"]
        }

        private func story(_ looks: [Look]) throws -> (FleetState, [Event]) {
            var state = FleetState()
            var events: [Event] = []
            for look in looks {
                var glimpsed = DomainState(domain: try Domain("example.com"))
                glimpsed.lastCheckedAt = .testing + look.second
                let seen = FleetLook(
                    domains: [DomainGlimpse(glimpsed, interval: .seconds(60))],
                    channels: look.sick.map {
                        FailingChannel(name: $0, isDisabled: true, since: .testing, words: "403")
                    }, channelNames: look.names,
                    refusal: look.refusal.map { RefusedConfiguration(since: .testing, words: $0) },
                    startedAt: .testing)
                // Between two judgements it may be stored and read.
                let stored = try JSONDecoder().decode(FleetState.self, from: JSONEncoder().encode(state))
                #expect(stored == state)
                let evaluation = judgeFleet(stored, seen, FleetPolicy(), now: .testing + look.second)
                state = evaluation.state
                events += evaluation.news.map(\.event)
            }
            return (state, events)
        }

        @Test("a configuration that is refused is told once, and its end as soon as a file is taken")
        func refused() throws {
            let (state, events) = try story([
                Look(second: 0, refusal: "line 4: no such key"), Look(second: 5, refusal: "line 9: no such key"),
                Look(second: 10), Look(second: 12),
            ])
            #expect(events.map(\.type) == [.firing, .resolved])
            #expect(events.first?.findings.first?.rule.rawValue == "monitor.config-reload-failed")
            #expect(events.first?.incident.severity == .warning && events.first?.incident.kind == .monitorDegraded)
            #expect(events.first?.diagnosis.contains("line 4: no such key") == true)
            #expect(events.last?.summary == "aasa-monitor: the configuration file is in force (after 12 s)")
            #expect(state.open.isEmpty)
        }

        @Test("a refused configuration says nothing about domains")
        func withholdsNothing() throws {
            let (state, _) = try story([Look(second: 0, refusal: "x")])
            #expect(state.open.count == 1 && state.withholding.causes.isEmpty)
        }

        @Test("trouble of a channel that is not configured any more ends at once, and says why")
        func removed() throws {
            let (state, events) = try story([
                Look(second: 0, sick: ["ops"]), Look(second: 5, names: ["chat"]),
            ])
            #expect(events.map(\.type) == [.firing, .resolved])
            #expect(events.last?.incident.reason == .removed)
            #expect(
                events.last?.summary
                    == "aasa-monitor: the channel 'ops' is not configured any more (after 5 s)")
            #expect(state.open.isEmpty && state.ended.isEmpty)
        }

        @Test("one that comes back under the same name is another story")
        func another() throws {
            let (_, events) = try story([
                Look(second: 0, sick: ["ops"]), Look(second: 5, names: ["chat"]),
                Look(second: 60, sick: ["ops"]),
            ])
            #expect(events.map(\.type) == [.firing, .resolved, .firing])
            #expect(Set(events.map(\.incident.id)).count == 2)
        }

        @Test("the same channel, still configured, that works again has recovered")
        func recovered() throws {
            let (_, events) = try story([
                Look(second: 0, sick: ["ops"]), Look(second: 5), Look(second: 50), Look(second: 100),
            ])
            #expect(events.map(\.type) == [.firing, .resolved])
            #expect(events.last?.incident.reason == .recovered)
        }
    }
}
