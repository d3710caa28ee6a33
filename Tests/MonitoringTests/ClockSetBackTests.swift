import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    /// Between two looks the memory is written down and read again, so that each is a restart too.
    @Suite("A clock that is set back while trouble lasts")
    struct ClockSetBackTests {
        static let file = Reply.file(SampleFile.version(1))
        static let down = Reply.failed(.connectionRefused)

        /// Looks each tenth of an hour for nine hours, with a clock that is set back by `hours` after 2.5 of them.
        private func course(_ policy: Policy, setBackBy hours: Double, _ answer: Reply = down) throws -> Course {
            var course = try Course(policy: policy)
            for tenth in 0...90 {
                let real = Double(tenth) / 10
                try course.look(at: tenth <= 25 ? real : real - hours, real < 1 ? Self.down : answer, Self.file)
            }
            return course
        }

        /// When in truth something was told, in tenths of an hour; the clock was set back by so many hours.
        private func tenths(_ events: [Event], setBackBy hours: Double) -> [Int] {
            events.map { event in
                let hour: Double = event.at.timeIntervalSince(.testing) / 3600
                // By the new clock all looks lie before the first one.
                let real: Double = hour < 0 ? hour + hours : hour
                return Int((real * 10).rounded())
            }
        }

        @Test("nobody waits for a step of the escalation until the clock has caught up", arguments: [12.0, 25, 8760])
        func steps(_ hours: Double) throws {
            let course = try course(
                Policy(failureThreshold: 1, remindEvery: nil, escalateAfter: [.seconds(3600), .seconds(14_399)]),
                setBackBy: hours)
            let calls = course.events.filter { $0.escalation != nil }
            #expect(calls.map(\.escalation?.through) == [3600, 14_399])
            // The tenth in which the clock was set is lost, and the step comes with the next look.
            #expect(tenths(calls, setBackBy: hours) == [10, 41])
        }

        @Test("nor for a reminder, whose rhythm stays", arguments: [12.0, 25, 8760])
        func reminders(_ hours: Double) throws {
            let course = try course(
                Policy(failureThreshold: 1, remindEvery: .seconds(7199)), setBackBy: hours)
            let reminders = course.events.filter { $0.type == .reminder }
            #expect(tenths(reminders, setBackBy: hours) == [20, 61])
            let stored = course.evaluations.flatMap(\.incidents).last { $0.state == .firing }
            #expect(stored?.nextReminderAt == course.open(.originUnreachable)?.incident.nextReminderAt)
        }

        @Test("a look that can tell nothing counts as well as any")
        func unknown() throws {
            let course = try course(
                Policy(failureThreshold: 1, remindEvery: nil, escalateAfter: [.seconds(4 * 3600)]), setBackBy: 25,
                .failed(.own))
            #expect(course.events.count { $0.escalation != nil } == 1)
        }

        @Test("the fleet's own trouble climbs on as well, also over a restart", arguments: [false, true])
        func fleet(isRestarted: Bool) throws {
            var state = FleetState()
            var stored = state
            let policy = FleetPolicy(remindEvery: nil, escalateAfter: [.seconds(3600)])
            let trouble = StoreTrouble(since: .testing, words: "full")
            var told: [(real: Double, isCall: Bool)] = []
            for real in stride(from: 120.0, to: 7200, by: 10) {
                let now = Date.testing + (real < 1800 ? real : real - 86_400)
                if real == 1800, isRestarted { state = stored }
                let evaluation = judgeFleet(state, FleetLook(domains: [], store: trouble), policy, now: now)
                state = evaluation.state
                // As the daemon does: what is only older is not worth a write.
                if !evaluation.incidents.isEmpty {
                    stored = try JSONDecoder().decode(FleetState.self, from: JSONEncoder().encode(state))
                }
                told += evaluation.news.map { (real, $0.event.escalation != nil) }
            }
            #expect(told.map(\.isCall) == [false, true])
            // What the store does not know to have passed is lost.
            let first: Double = isRestarted ? 1800 : told.first?.real ?? 0
            let latest: Double = first + 3600 + 20
            #expect(told.last.map { $0.real <= latest } == true)
        }
    }
}
