import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Staleness")
    struct StalenessTests {
        @Test("a change propagates in silence, is stale once its time is over, and ends when the copy catches up")
        func wholeCourse() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1, origin: 2, cdn: 1)
            #expect(course.state.verdict?.comparison.state == .propagating)
            #expect(course.open(.cdnStale)?.incident.state == .pending)
            try course.look(at: 2...40, origin: 2, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing"])
            try course.look(at: 41, origin: 2, cdn: 2)
            try course.look(at: 42...80, origin: 2, cdn: 2)
            #expect(course.told == ["25 cdn.stale firing", "41 cdn.stale resolved (cdn_caught_up)"])
            #expect(course.events.map(\.incident.version) == [1, 1])
            #expect(Set(course.events.map(\.incident.id)).count == 1)
            #expect(course.state.open.isEmpty)
        }

        @Test("a change that is caught up in time is never told")
        func inTime() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...24, origin: 2, cdn: 1)
            try course.look(at: 25, origin: 2, cdn: 2)
            #expect(course.told.isEmpty)
            #expect(course.evaluations.last?.changes.dropped.map(\.kind) == [.cdnStale])
        }

        @Test("the alert comes to the second, neither before nor after")
        func threshold() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1, origin: 2, cdn: 1)
            try course.look(at: 25 - 1 / 3600.0, origin: 2, cdn: 1)
            #expect(course.told.isEmpty)
            try course.look(at: 25, origin: 2, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing"])
            #expect(course.events.first?.facts?.comparison.lagSeconds == 86400)
        }

        @Test("a second change while behind does not move the beginning")
        func secondChange() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...12, origin: 2, cdn: 1)
            try course.look(at: 13...30, origin: 3, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing"])
            #expect(course.open(.cdnStale)?.incident.since == .testing + 3600)
        }

        @Test("a copy that moves to a version between ends the incident and begins a new, silent clock")
        func intermediate() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...19, origin: 2, cdn: 1)
            try course.look(at: 20...29, origin: 3, cdn: 1)
            try course.look(at: 30...43, origin: 3, cdn: 2)
            #expect(course.told == ["25 cdn.stale firing", "30 cdn.stale resolved (cdn_refreshed)"])
            #expect(course.open(.cdnStale)?.incident.since == .testing + 20 * 3600)
            try course.look(at: 44...50, origin: 3, cdn: 2)
            #expect(course.told.last == "44 cdn.stale firing")
            #expect(course.events.first?.incident.id != course.events.last?.incident.id)
        }

        @Test(
            "an origin that goes back to what the copy says ends it for that reason, however many looks confirm it",
            arguments: 1...3)
        func revert(_ recovery: Int) throws {
            var course = try Course(policy: Policy(CheckSettings(recoveryThreshold: recovery)))
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...26, origin: 2, cdn: 1)
            try course.look(at: 27...40, origin: 1, cdn: 1)
            // As long as one of several servers may have the former file: eight contents in a row.
            #expect(
                course.told == ["25 cdn.stale firing", "\(33 + recovery) cdn.stale resolved (origin_reverted)"])
        }

        @Test("a copy that catches up ends it for that reason, however many looks confirm it", arguments: 1...3)
        func caughtUp(_ recovery: Int) throws {
            var course = try Course(policy: Policy(CheckSettings(recoveryThreshold: recovery)))
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...26, origin: 2, cdn: 1)
            try course.look(at: 27...40, origin: 2, cdn: 2)
            #expect(course.told == ["25 cdn.stale firing", "\(26 + recovery) cdn.stale resolved (cdn_caught_up)"])
        }

        @Test("an origin that alternates between two files tells nobody that a copy of either is old")
        func alternation() throws {
            var course = try Course()
            for hour in 0..<200 { try course.look(at: Double(hour), origin: hour % 2, cdn: 0) }
            #expect(course.told == ["4 origin.inconsistent firing"])
            #expect(course.state.originPeriods.count <= DomainState.maximumPeriods)
        }

        @Test("formatting alone is no change")
        func formatting() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            for hour in 1..<60 {
                try course.look(at: Double(hour), .file(SampleFile.spaced(1)), .file(SampleFile.version(1)))
            }
            #expect(course.state.originPeriods.count == 1)
            #expect(course.told.isEmpty && course.state.open.isEmpty)
        }

        @Test(
            "an error page is never a version: it neither opens staleness nor closes it",
            arguments: [
                Reply.status(404), .status(503), .file("<html>"), .file(#"{"error":"later"}"#), .failed(.timedOut),
            ])
        func errorPages(_ fault: Reply) throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            for hour in 1..<30 { try course.look(at: Double(hour), fault, .file(SampleFile.version(1))) }
            #expect(!course.told.contains { $0.contains("cdn") })
            #expect(course.told.count == 1)
            #expect(course.state.originPeriods.count == 1)
            try course.look(at: 30...60, origin: 1, cdn: 1)
            #expect(course.told.count == 2 && course.told.last?.contains("(recovered)") == true)
        }

        @Test("trouble at the origin keeps a firing staleness as it is")
        func faultWhileStale() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...26, origin: 2, cdn: 1)
            for hour in 27..<30 { try course.look(at: Double(hour), .status(500), .file(SampleFile.version(1))) }
            #expect(course.open(.cdnStale)?.incident.state == .firing)
            #expect(course.open(.cdnStale)?.unknownSince == .testing + 27 * 3600)
            try course.look(at: 30, origin: 2, cdn: 2)
            #expect(
                course.told.filter { $0.contains("stale") } == [
                    "25 cdn.stale firing", "30 cdn.stale resolved (cdn_caught_up)",
                ])
        }

        @Test("a thousand changes leave a bounded memory that still knows when the copy was last current")
        func bounded() throws {
            var state = DomainState(domain: try Domain("example.com"))
            let copy = Reply.file(SampleFile.version(0))
            for step in 0..<1_000 {
                let now = Date.testing + Double(step)
                let observation = try Observation.of(at: now, origin: .file(SampleFile.version(step)), cdn: copy)
                state = evaluate(state, observation, Policy(), now: now, wall: now).state
            }
            #expect(state.originPeriods.count == DomainState.maximumPeriods)
            #expect(state.verdict?.comparison.changedAt == .testing + 1)
            #expect(state.open[.cdnStale]?.incident.since == .testing + 1)
        }
    }
}
