import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Trouble of the monitor's own")
    struct MonitorTroubleTests {
        /// One domain that was checked on time.
        private func look(
            at second: Double, checkedAt: Double? = nil, channels: [FailingChannel] = [], store: StoreTrouble? = nil
        ) throws -> FleetLook {
            var state = DomainState(domain: try Domain("example.com"))
            state.lastCheckedAt = .testing + (checkedAt ?? second)
            return FleetLook(
                domains: [DomainGlimpse(state, interval: .seconds(60))], channels: channels, store: store,
                startedAt: .testing)
        }

        private func story(_ looks: [(Double, FleetLook)]) -> (FleetState, [Event]) {
            var state = FleetState()
            var events: [Event] = []
            for (second, look) in looks {
                let evaluation = judgeFleet(state, look, FleetPolicy(), now: .testing + second)
                state = evaluation.state
                events += evaluation.news.map(\.event)
            }
            return (state, events)
        }

        @Test("a channel that refuses us is told at once, and its end when it has worked for a while")
        func channel() throws {
            let sick = FailingChannel(name: "ops", isDisabled: false, since: .testing, words: "503")
            let worse = FailingChannel(name: "ops", isDisabled: true, since: .testing, words: "403")
            let (state, events) = story([
                (0, try look(at: 0, channels: [sick])), (60, try look(at: 60, channels: [worse])),
                (120, try look(at: 120)), (125, try look(at: 125)), (180, try look(at: 180)),
            ])
            try #require(events.map(\.type) == [.firing, .update, .resolved])
            #expect(events.map(\.incident.severity) == [.warning, .error, .error])
            #expect(events[1].news == .worse && events[0].findings.first?.rule.rawValue == "monitor.delivery-failing")
            #expect(state.open.isEmpty && events.allSatisfy { $0.incident.domain == nil })
            #expect(events[0].summary == "aasa-monitor: the channel 'ops' takes no messages (for 0 s)")
        }

        @Test("two channels are two stories")
        func twoChannels() throws {
            let both = ["a", "b"].map { FailingChannel(name: $0, isDisabled: true, since: .testing, words: "") }
            let (state, events) = story([(0, try look(at: 0, channels: both))])
            #expect(events.count == 2 && Set(events.map(\.incident.id)).count == 2)
            #expect(state.withholding.causes.isEmpty, "a dead channel says nothing about domains")
        }

        @Test("a store that takes no writes for half a minute is told, and a lock that passes is not")
        func store() throws {
            let trouble = StoreTrouble(since: .testing, words: "no space is left")
            let (passed, none) = story([
                (5, try look(at: 5, store: trouble)), (20, try look(at: 20, store: trouble)),
                (25, try look(at: 25)), (90, try look(at: 90)),
            ])
            #expect(none.isEmpty && passed.open.isEmpty)
            let (_, events) = story([(5, try look(at: 5, store: trouble)), (40, try look(at: 40, store: trouble))])
            #expect(events.map(\.type) == [.firing])
            #expect(events.first?.incident.since == .testing)
            #expect(events.first?.diagnosis.contains("no space is left") == true)
        }

        @Test("checks that are late by three intervals are told; a start is given the same time")
        func schedule() throws {
            let (_, early) = story([(200, try look(at: 200, checkedAt: -5000))])
            #expect(early.isEmpty)
            let (_, late) = story([
                (300, try look(at: 300, checkedAt: 0)), (301, try look(at: 301)), (400, try look(at: 400)),
            ])
            #expect(late.map(\.type) == [.firing, .resolved])
            #expect(late.first?.findings.first?.rule.rawValue == "monitor.schedule-behind")
        }

        @Test("a scope for all domains silences the monitor's own trouble too, and no other scope does")
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

        @Test("nobody is reminded of what somebody has taken in hand; its end and what is worse are told")
        func acknowledged() throws {
            let incident = Incident(
                id: "abcd", domain: try Domain("example.com"), kind: .cdnStale, severity: .error, state: .firing,
                since: .testing, openedAt: .testing)
            let events = [EventType.firing, .reminder, .update, .resolved].map {
                Event(
                    type: $0, news: $0 == .update ? .worse : nil, at: .testing, incident: incident, summary: "",
                    diagnosis: "", comparison: Comparison(state: .stale), findings: [])
            }
            let mutings = Mutings(acknowledged: ["abcd": Acknowledgement(by: "eva", reason: "", at: .testing)])
            let (told, withheld) = mutings.split(events, labels: [:], at: .testing)
            #expect(told.map(\.type) == [.firing, .update, .resolved] && withheld.isEmpty)
            #expect(events.map(\.isReawakening) == [false, false, true, false])
        }
    }
}
