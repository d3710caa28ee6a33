import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Updates")
    struct UpdateTests {
        /// The origin's answer at looks every so many minutes: `4` is 404, `h` a login page, `t` a redirect.
        private func course(_ looks: String, every minutes: Double) throws -> Course {
            var course = try Course()
            for (index, look) in looks.enumerated() {
                let origin: Reply =
                    switch look {
                    case "4": .status(404)
                    case "5": .status(500)
                    case "h": .file("<html>")
                    default: .file("{}")
                    }
                try course.look(at: Double(index) * minutes / 60, origin, nil)
            }
            return course
        }

        static let rows: [(looks: String, minutes: Double, told: [String])] = [
            ("444444444", 10, ["1 firing"]),
            // The same rule with other words is no news.
            ("4445555555", 10, ["1 firing"]),
            // Told once the interval is over, and twice seen.
            ("44hhhhhh", 10, ["1 firing", "4 changed"]), ("44hhhhhh", 60, ["1 firing", "3 changed"]),
            ("44h4h4h4h4h4", 10, ["1 firing"]),
            // What was told before is not told again.
            ("44hhhh4444hhhh4444", 20, ["1 firing", "3 changed"]),
        ]

        @Test("facts that changed are told once, confirmed, and not too often", arguments: 0..<6)
        func changed(_ index: Int) throws {
            let row = Self.rows[index]
            let course = try course(row.looks, every: row.minutes)
            #expect(ReopeningTests.told(course, every: row.minutes) == row.told)
        }

        @Test("a further change at the origin is told of a stale copy; the beginning stays")
        func staleCopy() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...26, origin: 2, cdn: 1)
            try course.look(at: 27...40, origin: 3, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing", "28 cdn.stale update changed"])
            #expect(course.events.last?.incident.since == .testing + 3600)
            #expect(course.events.first?.comparison.changes != course.events.last?.comparison.changes)
        }
    }
}
