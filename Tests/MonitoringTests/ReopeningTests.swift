import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Problems that come back")
    struct ReopeningTests {
        static let file = Reply.file(SampleFile.version(1))
        static let down = Reply.failed(.connectionRefused)

        /// An origin that is up (`+`), down (`-`) or unknown (`?`), checked every so many minutes.
        static func course(_ results: String, every minutes: Double, _ policy: Policy) throws -> Course {
            var course = try Course(policy: policy)
            for (index, probed) in results.enumerated() {
                let origin = probed == "+" ? file : probed == "-" ? down : .failed(.own)
                try course.probed(at: Double(index) * minutes / 60, origin, file)
            }
            return course
        }

        /// The notifications, by the number of the check: `2 firing`.
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
            // The window counts from when the problem began again, not from its confirmation.
            ("--+--", 25, 2, ["1 firing", "2 resolved", "4 again"], 1),
            ("--+-?-", 20, 2, ["1 firing", "2 resolved", "5 again"], 1),
            // A check with an unknown result neither reopens an incident nor delays anything.
            ("-+????", 5, 1, ["0 firing", "1 resolved"], 1),
            ("-+????-", 10, 1, ["0 firing", "1 resolved", "6 firing"], 2),
        ]

        @Test("a problem that returns within half an hour is the same incident, later a new one", arguments: 0..<9)
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

        @Test("a reopened incident fires immediately, without an end, and leaves no pending row behind")
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

        @Test("an ended incident is forgotten once it can no longer be reopened")
        func forgotten() throws {
            var course = try Self.course("-+", every: 5, Policy(CheckSettings(failureThreshold: 1)))
            #expect(course.state.ended.count == 1)
            try course.probed(at: 0.7, Self.file, Self.file)
            #expect(course.state.ended.isEmpty)
        }

        @Test("a copy that flips between old and new is one incident; a new change opens a new one with its own grace")
        func copies() throws {
            var course = try Course.lagging(until: 25)
            try course.probed(at: 25.2, origin: 2, cdn: 2)
            try course.probed(at: 25.4, origin: 2, cdn: 1)
            try course.probed(at: 25.6, origin: 2, cdn: 1)
            try course.probed(at: 25.8, origin: 2, cdn: 2)
            // A copy that came back counts as good only after several good answers in a row.
            #expect(course.events.map(\.transition) == [.firing, .resolved, .again])
            #expect(Set(course.events.map(\.incident.id)).count == 1)
            for hour in stride(from: 26.0, through: 51, by: 0.5) { try course.probed(at: hour, origin: 3, cdn: 2) }
            #expect(course.told.last == "50 cdn.stale firing")
        }
    }
}
