import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Problems of the monitor that end by what somebody did")
    struct MonitorConditionTests {
        /// What a judgement at some seconds knows of a refused configuration and of channels.
        private struct Look {
            let second: Double
            var refusal: String?
            var sick: [String] = []
            var names: Set<String>? = ["ops", "chat"]
        }

        private func story(_ results: [Look]) throws -> (GlobalState, [IncidentChange]) {
            var state = GlobalState()
            var events: [IncidentChange] = []
            for probed in results {
                var glimpsed = DomainState(domain: try Domain("example.com"))
                glimpsed.lastCheckedAt = .testing + probed.second
                let seen = GlobalSnapshot(
                    domains: [DomainHealth(glimpsed, interval: .seconds(60))],
                    channels: probed.sick.map {
                        FailingChannel(name: $0, isDisabled: true, since: .testing, words: "403")
                    }, channelNames: probed.names,
                    refusal: probed.refusal.map { RefusedConfiguration(since: .testing, words: $0) },
                    startedAt: .testing)
                // Between two judgements it may be stored and read.
                let stored = try JSONDecoder().decode(GlobalState.self, from: JSONEncoder().encode(state))
                #expect(stored == state)
                let evaluation = evaluateGlobal(stored, seen, now: .testing + probed.second)
                state = evaluation.state
                events += evaluation.changes.filter { $0.transition != .recovering }
            }
            return (state, events)
        }

        @Test("a configuration that is refused is told once, and its end as soon as a file is taken")
        func refused() throws {
            let (state, events) = try story([
                Look(second: 0, refusal: "line 4: no such key"), Look(second: 5, refusal: "line 9: no such key"),
                Look(second: 10), Look(second: 12),
            ])
            #expect(events.map(\.transition) == [.firing, .resolved])
            #expect(events.first?.facts?.findings.first?.rule.rawValue == "monitor.config-reload-failed")
            #expect(events.first?.incident.severity == .warning && events.first?.incident.kind == .monitorDegraded)
            #expect(
                events.first?.facts?.diagnosis.cause
                    == Cause(.monitor(.configReloadFailed(fault: "line 4: no such key"))))
            #expect(events.last?.facts?.resolvedText == "the configuration file is in force")
            #expect(state.open.isEmpty)
        }

        @Test("a problem of a channel that is not configured any more ends at once, and says why")
        func removed() throws {
            let (state, events) = try story([
                Look(second: 0, sick: ["ops"]), Look(second: 5, names: ["chat"]),
            ])
            #expect(events.map(\.transition) == [.firing, .resolved])
            #expect(events.last?.incident.reason == .removed)
            #expect(events.last?.facts?.resolvedText == "the channel 'ops' is not configured any more")
            #expect(state.open.isEmpty && state.ended.isEmpty)
        }

        @Test("one that comes back under the same name is another story")
        func another() throws {
            let (_, events) = try story([
                Look(second: 0, sick: ["ops"]), Look(second: 5, names: ["chat"]),
                Look(second: 60, sick: ["ops"]),
            ])
            #expect(events.map(\.transition) == [.firing, .resolved, .firing])
            #expect(Set(events.map(\.incident.id)).count == 2)
        }

        @Test("the same channel, still configured, that works again has recovered")
        func recovered() throws {
            let (_, events) = try story([
                Look(second: 0, sick: ["ops"]), Look(second: 5), Look(second: 50), Look(second: 100),
            ])
            #expect(events.map(\.transition) == [.firing, .resolved])
            #expect(events.last?.incident.reason == .recovered)
        }
    }
}
