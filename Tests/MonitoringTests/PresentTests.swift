import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("The present")
    struct PresentTests {
        @Test("what is told some time after a check tells the age of that instant")
        func age() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...26, origin: 2, cdn: 1)
            let incident = try #require(course.open(.cdnStale)?.incident)
            let now = Date.testing + 26 * 3600 + 1234
            let event = try #require(Event.present(incident, verdict: course.state.verdict, at: now))
            #expect(event.comparison.lagSeconds == 25 * 3600 + 1234)
            let end = try #require(retire(course.state, now: now).events.first)
            #expect(end.comparison.lagSeconds == event.comparison.lagSeconds)
            let before = try #require(Event.present(incident, verdict: course.state.verdict, at: .testing))
            #expect(before.comparison.lagSeconds == 0)
        }
    }
}
