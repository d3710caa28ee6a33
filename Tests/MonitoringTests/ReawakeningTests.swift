import Evidence
import Foundation
import Monitoring
import Testing

extension MonitoringSuite {
    @Suite("In nobody's hand any more")
    struct ReawakeningTests {
        static let rows: [(looks: String, reawakened: [Int])] = [
            ("----", []),
            ("-+-", [2]),
            // That it comes and goes is told in the place of "again", and it was over all the same.
            ("-+-+-+-", [2, 4]),
        ]

        @Test("trouble that is back after its end, however that is told", arguments: 0..<3)
        func back(_ index: Int) throws {
            let row = Self.rows[index]
            let course = try ReopeningTests.course(
                row.looks, every: 5, Policy(failureThreshold: 1, recoveryThreshold: 1, remindEvery: nil))
            let id = try #require(course.events.first).incident.id
            let reawakened = course.evaluations.indices.filter { course.evaluations[$0].reawakened.contains(id) }
            #expect(reawakened == row.reawakened)
        }
    }
}
