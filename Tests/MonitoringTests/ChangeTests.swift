// New versions of the origin's file, followed to every edge: which ones are reported, and which ones end silently.

import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Changes") struct ChangeTests {
        private static func course(_ story: String, policy: Policy = Policy(followsChanges: true)) throws -> Course {
            var course = try Course(policy: policy)
            for (hour, step) in story.split(separator: " ").enumerated() {
                let sides = step.split(separator: ":").map { side in
                    Int(side).map { Reply.file(SampleFile.version($0)) } ?? .status(side == "-" ? 404 : 503)
                }
                try course.probed(at: Double(hour), sides[0], sides[1])
            }
            return course
        }

        /// `detected 1` is a change that the check at hour 1 saw. An end has its reason.
        private static func told(_ course: Course) -> [String] {
            course.events.filter { $0.incident.kind == .change }.map { event in
                let hour = Int(event.at.timeIntervalSince(.testing) / 3600)
                return "\(event.incident.reason?.rawValue ?? "detected") \(hour)"
            }
        }

        @Test(
            "a change and its arrival are each reported once; a newer version supersedes a change under way",
            arguments: [
                // The first version of a domain is not a change, whatever Apple's CDN has.
                ("1:1 1:1", []), ("1:- 1:1", []), ("2:1 2:2", []),
                ("1:1 2:1 2:1 2:2 2:2", ["detected 1", "cdn_caught_up 3"]),
                // In sync immediately: both are still reported, one after the other.
                ("1:1 2:2 2:2", ["detected 1", "cdn_caught_up 2"]),
                ("1:1 2:1 3:1 3:3", ["detected 1", "superseded 2", "detected 2", "cdn_caught_up 3"]),
                // A third version that is in sync when first seen, while another change is followed, supersedes it,
                // whatever its source.
                ("1:1 2:1 3:3 3:3", ["detected 1", "superseded 2", "detected 2", "cdn_caught_up 3"]),
                ("1:1 2:1 2:3 3:3 3:3", ["detected 1", "superseded 3", "detected 3", "cdn_caught_up 4"]),
                ("1:1 2:1 1:1 1:1", ["detected 1", "superseded 2", "detected 2", "cdn_caught_up 3"]),
                (
                    "1:1 2:1 3:1 1:1 1:1",
                    ["detected 1", "superseded 2", "detected 2", "superseded 3", "detected 3", "cdn_caught_up 4"]
                ),
                // An error page or a failing CDN is neither a version nor an arrival.
                ("1:1 -:1 1:1", []), ("1:1 2:1 -:1 2:x 2:2", ["detected 1", "cdn_caught_up 4"]),
                // An origin with two contents is a separate problem.
                (
                    "1:1 2:1 1:1 2:1 1:1 2:1 1:1 2:1",
                    ["detected 1", "superseded 2", "detected 2", "superseded 3"]
                ),
            ] as [(String, [String])]) func story(_ story: String, _ expected: [String]) throws
        {
            let course = try Self.course(story)
            #expect(Self.told(course) == expected)
            let ids = course.events.filter { $0.incident.kind == .change }.map(\.incident.id)
            #expect(Set(ids).count == expected.count { $0.hasPrefix("detected") })
        }

        @Test("the message names the version and how long it took") func words() throws {
            let course = try Self.course("1:1 2:1 2:1 2:2")
            let events = course.events.filter { $0.incident.kind == .change }
            let version = ContentHash(of: SampleFile.version(2).utf8).hex.prefix(8)
            #expect(events.first?.facts?.trouble == "version \(version) is live at the origin")
            #expect(events.first?.facts?.comparison.changes.isEmpty == false)
            #expect(events.last?.facts?.resolvedText == "every edge serves version \(version)")
            #expect(events.last?.incident.since == .testing + 3600)
            #expect(events.allSatisfy { $0.incident.severity == .note })
        }

        @Test("if nobody is notified of changes there are none, and one under way ends") func unfollowed()
            throws
        {
            #expect(Self.told(try Self.course("1:1 2:1 2:2", policy: Policy())).isEmpty)
            var course = try Self.course("1:1 2:1")
            course.policy.followsChanges = false
            try course.probed(at: 3, origin: 2, cdn: 1)
            #expect(Self.told(course) == ["detected 1", "removed 3"])
            #expect(course.state.change == nil)
            course = try Self.course("1:1 2:1")
            let retired = retire(course.state, now: .testing + 3 * 3600)
            #expect(retired.changes.contains { $0.incident.kind == .change && $0.incident.reason == .removed })
        }
    }
}
