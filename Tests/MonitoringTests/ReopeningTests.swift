import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Trouble that comes back")
    struct ReopeningTests {
        static let file = Reply.file(SampleFile.version(1))
        static let down = Reply.failed(.connectionRefused)

        /// An origin that is up (`+`) or down (`-`), or cannot be judged (`?`), looked at every so many minutes.
        static func course(_ results: String, every minutes: Double, _ policy: Policy) throws -> Course {
            var course = try Course(policy: policy)
            for (index, probed) in results.enumerated() {
                let origin = probed == "+" ? file : probed == "-" ? down : .failed(.own)
                try course.probed(at: Double(index) * minutes / 60, origin, file)
            }
            return course
        }

        /// What was told, by the number of the look: `2 firing`.
        static func told(_ course: Course, every minutes: Double) -> [String] {
            course.events.map { event in
                let probed = Int((event.at.timeIntervalSince(.testing) / 60 / minutes).rounded())
                return "\(probed) \(event.transition.rawValue)"
            }
        }

        static let rows: [(results: String, minutes: Double, failures: Int, told: [String], incidents: Int)] = [
            ("-+-", 29, 1, ["0 firing", "1 resolved", "2 again"], 1),
            ("-+-", 30, 1, ["0 firing", "1 resolved", "2 firing"], 2),
            ("-+-+", 10, 1, ["0 firing", "1 resolved", "2 again", "3 resolved"], 1),
            ("--+-+", 10, 2, ["1 firing", "2 resolved"], 1),
            ("--+--+", 10, 2, ["1 firing", "2 resolved", "4 again", "5 resolved"], 1),
            // Within the window counts when the trouble began again, not when it was confirmed.
            ("--+--", 25, 2, ["1 firing", "2 resolved", "4 again"], 1),
            ("--+-?-", 20, 2, ["1 firing", "2 resolved", "5 again"], 1),
            // A look that cannot tell neither reopens nor is waited for.
            ("-+????", 5, 1, ["0 firing", "1 resolved"], 1),
            ("-+????-", 10, 1, ["0 firing", "1 resolved", "6 firing"], 2),
        ]

        @Test("trouble that is back within half an hour is the same incident, later a new one", arguments: 0..<9)
        func window(_ index: Int) throws {
            let row = Self.rows[index]
            let course = try Self.course(
                row.results, every: row.minutes, Policy(CheckSettings(failureThreshold: row.failures)))
            #expect(Self.told(course, every: row.minutes) == row.told)
            #expect(Set(course.events.map(\.incident.id)).count == row.incidents)
            let last = try #require(course.events.last?.incident)
            #expect(last.version == row.told.count { !$0.hasSuffix("resolved") } - row.incidents + 1)
            #expect((last.again != nil) == row.told.contains { $0.hasSuffix("again") })
        }

        @Test("a reopened incident fires at once, without an end, and leaves no pending row behind")
        func state() throws {
            let course = try Self.course("--+--", every: 5, Policy())
            let open = try #require(course.open(.originUnreachable))
            #expect(open.incident.again?.version == 2 && open.incident.state == .firing)
            #expect(open.incident.resolvedAt == nil && open.incident.reason == nil)
            #expect(open.incident.since == .testing)
            #expect(course.state.ended.isEmpty)
            let dropped = try #require(course.evaluations.last?.changes.dropped)
            #expect(dropped.count == 1 && dropped.first?.id != open.incident.id)
        }

        @Test("what ended is forgotten once it can no longer be reopened")
        func forgotten() throws {
            var course = try Self.course("-+", every: 5, Policy(CheckSettings(failureThreshold: 1)))
            #expect(course.state.ended.count == 1)
            try course.probed(at: 0.7, Self.file, Self.file)
            #expect(course.state.ended.isEmpty)
        }

        @Test("a copy that flips between old and new is one story; a new change is a new one with a grace of its own")
        func copies() throws {
            var course = try Course.lagging(until: 25)
            try course.probed(at: 25.2, origin: 2, cdn: 2)
            try course.probed(at: 25.4, origin: 2, cdn: 1)
            try course.probed(at: 25.6, origin: 2, cdn: 1)
            try course.probed(at: 25.8, origin: 2, cdn: 2)
            // One that came back is good only when several answers in a row are.
            #expect(course.events.map(\.transition) == [.firing, .resolved, .again])
            #expect(Set(course.events.map(\.incident.id)).count == 1)
            for hour in stride(from: 26.0, through: 51, by: 0.5) { try course.probed(at: hour, origin: 3, cdn: 2) }
            #expect(course.told.last == "50 cdn.stale firing")
        }
    }
}
