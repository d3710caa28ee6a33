// How long the CDN took for earlier changes, and what messages say about it while a change is under way.

import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Propagation")
    struct PropagationTests {
        /// Checks one hour apart: what the origin has, then what the edges have. `-` is no file, `x` no answer, `.` an
        /// hour without a check.
        @Test(
            "a change takes from its first sight to the check that saw every edge follow",
            arguments: [
                ("1:1", []),
                ("1:1 2:1 2:1 2:2 2:2 2:2", [2]),
                ("1:1 2:1 2:2 2:2 3:2 3:3", [1, 1]),
                // Overtaken by the next change, which counts from its own first sight.
                ("1:1 2:1 3:1 3:2 3:3", [2]),
                // The origin went back to what the CDN still has.
                ("1:1 2:1 1:1 1:1,1", []),
                // In sync immediately: how long it took is unknown.
                ("1:1 2:2 2:2,2", []),
                // An error page is not a change of the file.
                ("1:1 -:1 1:1 2:1 2:2", [1]),
                // Each edge counts. A silent one has not followed until it is seen to follow, or has been absent for
                // long.
                ("1:1 2:1,1 2:2,1 2:2,2", [2]),
                ("1:1,1 2:1,1 2:2,x 2:2,2", [2]),
                // A CDN that does not answer in between changes nothing.
                ("1:1 2:1 2:x 2:2", [2]),
                // An edge that falls back extends the same change.
                ("1:1 2:1,1 2:2,2 2:2,1 2:2,2", [3]),
                // An edge that falls back days later does not belong to the change.
                ("1:1 2:1,1 2:2,2" + String(repeating: " 2:2,2", count: 30) + " 2:2,1 2:2,2", [1]),
                // After a pause nobody knows when the CDN caught up, unless the pause is a small part of the time.
                ("1:1 2:1 . . 2:2", []), ("1:1 2:1 2:1 2:1 2:1 2:1 2:1 2:1 . 2:2", [8]),
                // The first sight of a domain is not a change.
                ("2:1 2:2", []),
            ] as [(String, [Int])])
        func times(_ story: String, _ expected: [Int]) throws {
            var course = try Course(policy: Policy(CheckSettings(recoveryThreshold: 2)))
            for (hour, step) in story.split(separator: " ").enumerated() {
                if step == "." { continue }
                let sides = step.split(separator: ":")
                let edges = sides[1].split(separator: ",").map(Self.reply)
                try course.probed(
                    at: Double(hour),
                    .of(
                        at: .testing + Double(hour) * 3600, origin: Self.reply(sides[0]), cdn: edges[0],
                        scene: Scene().edges(edges)))
            }
            #expect(course.state.propagations.map(\.seconds) == expected.map { $0 * 3600 })
        }

        private static func reply(_ text: Substring) -> Reply {
            switch text {
            case "-": .status(404)
            case "x": .failed(.timedOut, .connecting)
            default: .file(SampleFile.version(Int(text) ?? 0))
            }
        }

        @Test("only the last times are kept, up to a limit")
        func bounded() throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            for version in 2...30 {
                let hour = Double(version) * 10
                try course.probed(at: hour, origin: version, cdn: version - 1)
                try course.probed(at: hour + Double(version) / 10 - 0.1, origin: version, cdn: version - 1)
                try course.probed(at: hour + Double(version) / 10, origin: version, cdn: version)
            }
            #expect(course.state.propagations.count == DomainState.maximumPropagations)
            #expect(course.state.propagations.last?.seconds == 3 * 3600)
        }

        @Test("while a change is under way, five earlier ones give an estimate; four do not", arguments: [4, 5])
        func outlook(_ changes: Int) throws {
            var course = try Course()
            try course.probed(at: 0, origin: 1, cdn: 1)
            for version in 2..<(2 + changes) {
                let hour = Double(version) * 30
                try course.probed(at: hour, origin: version, cdn: version - 1)
                try course.probed(at: hour + Double(version) - 0.1, origin: version, cdn: version - 1)
                try course.probed(at: hour + Double(version), origin: version, cdn: version)
            }
            #expect(course.state.verdict?.text.outlook?.contains("Usually") == false)
            try course.probed(at: 1000, origin: 2 + changes, cdn: 1 + changes)
            #expect(
                course.state.verdict?.text.outlook
                    == (changes == 5
                        ? "Changes usually take 4 h, and 9 of 10 take 6 h at most."
                        : "This is normal until 2 Jan 23:00 UTC. Phones that have the app pick up the change within a week.")
            )
        }
    }
}
