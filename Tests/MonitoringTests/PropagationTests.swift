// How long the CDN took for earlier changes, and what is said of it while one is waiting.

import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Propagation")
    struct PropagationTests {
        /// Checks an hour apart, each as what the origin and then the edges have; `-` is no file, `x` no answer, `.` an hour without a check.
        @Test(
            "the time of a change is from its first sight to the check that saw every edge follow",
            arguments: [
                ("1:1", []),
                ("1:1 2:1 2:1 2:2 2:2 2:2", [2]),
                ("1:1 2:1 2:2 2:2 3:2 3:3", [1, 1]),
                // Overtaken by the next change, which counts from its own first sight.
                ("1:1 2:1 3:1 3:2 3:3", [2]),
                // The origin came back to what the CDN has all along.
                ("1:1 2:1 1:1 1:1,1", []),
                // Seen at once: nobody knows how long it took.
                ("1:1 2:2 2:2,2", []),
                // An error page is no change of the file.
                ("1:1 -:1 1:1 2:1 2:2", [1]),
                // Each edge counts; a silent one has not followed until it is seen to, or has been away for long.
                ("1:1 2:1,1 2:2,1 2:2,2", [2]),
                ("1:1,1 2:1,1 2:2,x 2:2,2", [2]),
                // A CDN that could not be asked meanwhile changes nothing.
                ("1:1 2:1 2:x 2:2", [2]),
                // An edge that falls back prolongs the same change.
                ("1:1 2:1,1 2:2,2 2:2,1 2:2,2", [3]),
                // One that falls back days later is no part of it.
                ("1:1 2:1,1 2:2,2" + String(repeating: " 2:2,2", count: 30) + " 2:2,1 2:2,2", [1]),
                // After a pause nobody knows when the CDN caught up, unless the pause is a small part of the time.
                ("1:1 2:1 . . 2:2", []), ("1:1 2:1 2:1 2:1 2:1 2:1 2:1 2:1 . 2:2", [8]),
                // The first sight of a domain is no change.
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

        @Test("a bounded number of times is kept, the last ones")
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

        @Test("while a change waits, five earlier ones say what is usual; four say nothing", arguments: [4, 5])
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
