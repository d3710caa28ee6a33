import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Monitor problems")
    struct MonitorTroubleTests {
        /// Domains with an interval of one minute, last checked at these seconds.
        private func probed(
            at second: Double, checkedAt: [Double]? = nil, channels: [FailingChannel] = [], names: Set<String>? = nil,
            isStoreFailing: Bool = false, refusal: String? = nil
        ) throws -> GlobalSnapshot {
            GlobalSnapshot(
                domains: try (checkedAt ?? [second]).enumerated().map { number, checkedAt in
                    var state = DomainState(domain: try Domain("d\(number).example.com"))
                    state.lastCheckedAt = .testing + checkedAt
                    return DomainHealth(state, interval: .seconds(60))
                }, channels: channels, channelNames: names, isStoreFailing: isStoreFailing,
                refusal: refusal.map { RefusedConfiguration(since: .testing, words: $0) }, startedAt: .testing)
        }

        private func story(_ results: [(Double, GlobalSnapshot)]) throws -> (GlobalState, [IncidentChange]) {
            var state = GlobalState()
            var events: [IncidentChange] = []
            for (second, probed) in results {
                // The state may be stored and read between two evaluations.
                let stored = try JSONDecoder().decode(GlobalState.self, from: JSONEncoder().encode(state))
                #expect(stored == state)
                let evaluation = evaluateGlobal(stored, probed, now: .testing + second)
                state = evaluation.state
                events += evaluation.changes.filter { ![.recovering, .rewritten].contains($0.transition) }
            }
            return (state, events)
        }

        @Test("a channel that refuses messages fires immediately, and ends after it has worked for a while")
        func channel() throws {
            let sick = FailingChannel(name: "ops", isDisabled: false, since: .testing, words: "503")
            let worse = FailingChannel(name: "ops", isDisabled: true, since: .testing, words: "403")
            let (state, events) = try story([
                (0, try probed(at: 0, channels: [sick])), (60, try probed(at: 60, channels: [worse])),
                (120, try probed(at: 120)), (125, try probed(at: 125)), (180, try probed(at: 180)),
            ])
            try #require(events.map(\.transition) == [.firing, .worse, .resolved])
            #expect(events.map(\.incident.severity) == [.warning, .error, .error])
            #expect(
                events[1].incident.worse?.version == 2
                    && events[0].facts?.findings.first?.rule.rawValue == "monitor.delivery-failing")
            #expect(state.open.isEmpty && events.allSatisfy { $0.incident.domain == nil })
            #expect(events[0].facts?.trouble == "the channel 'ops' accepts no messages: 503")
            #expect(
                events[2].facts?.diagnosis.id == .over
                    && events[2].facts?.resolvedText == "the channel 'ops' accepts messages again")
        }

        @Test("a refused configuration fires once, and ends as soon as a file is accepted")
        func refused() throws {
            let (state, events) = try story([
                (0, probed(at: 0, refusal: "line 4: no such key")), (5, probed(at: 5, refusal: "line 9: no such key")),
                (10, probed(at: 10)), (12, probed(at: 12)),
            ])
            #expect(events.map(\.transition) == [.firing, .resolved])
            #expect(events.first?.facts?.findings.first?.rule.rawValue == "monitor.config-reload-failed")
            #expect(events.first?.incident.severity == .warning && events.first?.incident.kind == .monitorDegraded)
            #expect(
                events.first?.facts?.diagnosis.cause
                    == Cause(.monitor(.configReloadFailed(fault: "line 4: no such key"))))
            #expect(events.last?.facts?.resolvedText == "the configuration file is active")
            #expect(state.open.isEmpty)
        }

        @Test(
            "a channel that is no longer configured ends immediately with a reason; one with the same name is a new incident"
        )
        func removed() throws {
            let sick = FailingChannel(name: "ops", isDisabled: true, since: .testing, words: "403")
            let results = [
                (0.0, try probed(at: 0, channels: [sick], names: ["ops", "chat"])),
                (5, try probed(at: 5, names: ["chat"])),
                (60, try probed(at: 60, channels: [sick], names: ["ops", "chat"])),
            ]
            let (state, ended) = try story(Array(results.prefix(2)))
            #expect(state.open.isEmpty && state.ended.isEmpty)
            #expect(ended.last?.incident.reason == .removed)
            #expect(ended.last?.facts?.resolvedText == "the channel 'ops' is no longer configured")
            let (_, events) = try story(results)
            #expect(events.map(\.transition) == [.firing, .resolved, .firing])
            #expect(Set(events.map(\.incident.id)).count == 2)
        }

        @Test("two channels are two incidents")
        func twoChannels() throws {
            let both = ["a", "b"].map { FailingChannel(name: $0, isDisabled: true, since: .testing, words: "") }
            let (state, events) = try story([(0, try probed(at: 0, channels: both))])
            #expect(events.count == 2 && Set(events.map(\.incident.id)).count == 2)
            #expect(state.open.keys.allSatisfy { $0.inhibits.isEmpty }, "a dead channel says nothing about domains")
        }

        @Test("a channel that alternately fails and works is flapping, and one incident")
        func flapping() throws {
            let sick = FailingChannel(name: "ops", isDisabled: false, since: .testing, words: "503")
            // Two minutes failing, two minutes working, for an hour; then working.
            let results = try stride(from: 0.0, to: 10_000, by: 30).map { second in
                let isSick = second < 3600 && Int(second / 120) % 2 == 0
                return (second, try probed(at: second, channels: isSick ? [sick] : []))
            }
            let (state, events) = try story(results)
            let flapping = try #require(events.firstIndex { $0.transition == .flapping })
            #expect(events.dropFirst(flapping + 1).filter { $0.transition != .other }.map(\.transition) == [.resolved])
            #expect(Set(events.map(\.incident.id)).count == 1 && state.open.isEmpty)
        }

        @Test("checks late by three intervals fire if there are many; checks after a start get the same time")
        func schedule() throws {
            let (_, early) = try story([(200, try probed(at: 200, checkedAt: [-5000]))])
            #expect(early.isEmpty)
            let (_, late) = try story([
                (300, try probed(at: 300, checkedAt: [0])), (301, try probed(at: 301)), (400, try probed(at: 400)),
            ])
            #expect(late.map(\.transition) == [.firing, .resolved])
            #expect(late.first?.facts?.findings.first?.rule.rawValue == "monitor.schedule-behind")
        }

        /// How many of 100 domains are late by how many intervals, at the first alert and later.
        static let lateness: [(late: Int, by: Double, isOpen: Bool, staysOpen: Bool)] = [
            (11, 3.1, true, true), (10, 9.9, false, true), (1, 9.9, false, true), (1, 10.1, true, true),
            (0, 0, false, false),
            (1, 5.1, false, true), (1, 4.9, false, false), (6, 3.1, false, true), (5, 3.1, false, false),
        ]

        @Test(
            "one domain that is late by ten intervals is enough, even if all others are on time",
            arguments: lateness.indices)
        func oneLate(_ index: Int) throws {
            let row = Self.lateness[index]
            func snapshot(_ late: Int, by intervals: Double, at second: Double) throws -> GlobalSnapshot {
                try probed(at: second, checkedAt: (0..<100).map { $0 < late ? second - 60 - 60 * intervals : second })
            }
            let now = 10_000.0
            let (fresh, events) = try story([(now, try snapshot(row.late, by: row.by, at: now))])
            #expect((fresh.open[.schedule]?.incident.state == .firing) == row.isOpen)
            if row.isOpen { #expect(events.first?.facts?.affected?.count == row.late) }
            let (later, _) = try story([
                (now - 60, try snapshot(1, by: 11, at: now - 60)), (now, try snapshot(row.late, by: row.by, at: now)),
            ])
            #expect((later.open[.schedule]?.incident.state == .firing) == row.staysOpen)
        }

        @Test("checks that are late because the store takes no writes are not a schedule incident")
        func storeFailing() throws {
            let (state, events) = try story([(900, try probed(at: 900, checkedAt: [0], isStoreFailing: true))])
            #expect(state.open.isEmpty && events.isEmpty)
        }

        @Test("a scope for all domains silences the monitor's own incidents; other scopes do not")
        func silences() throws {
            let matches = { (scope: SilenceScope) in
                scope.matches(domain: nil, labels: [:], kind: .monitorDegraded)
            }
            #expect(matches(SilenceScope(domains: [.all])))
            #expect(matches(SilenceScope(domains: [.all], kinds: [.monitorDegraded])))
            #expect(!matches(SilenceScope(domains: [.all], kinds: [.cdnStale])))
            #expect(!matches(SilenceScope(domains: [try DomainPattern("example.com")])))
            #expect(!matches(SilenceScope(labels: ["team": "*"])))
        }
    }
}
