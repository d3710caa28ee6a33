import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Trouble that comes and goes")
    struct FlappingTests {
        typealias Story = ReopeningTests

        static let rows: [(looks: String, minutes: Double, recoveries: Int, told: [String])] = [
            // The fifth turn is told as flapping; no more until it is calm, then the end.
            (
                "-+-+-+-+-" + String(repeating: "+", count: 20), 5, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 flapping", "20 resolved"]
            ),
            // It is down when it is calm again: that was told last, so nothing is told.
            (
                "-+-+-+" + String(repeating: "-", count: 20) + "++", 5, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 flapping", "26 resolved"]
            ),
            // The fifth turn may be an end: it is kept back, for it would be taken back soon.
            (
                "-++++++-+-+-+-" + String(repeating: "+", count: 20), 9, 1,
                [
                    "0 firing", "1 resolved", "7 firing", "8 resolved", "9 again", "10 resolved", "11 flapping",
                    "20 resolved",
                ]
            ),
            // What no message would be sent for is no turn.
            ("-+-+-+-+-+-+", 5, 2, ["0 firing"]),
            // Four turns within any hour are none too many.
            (
                "-+-+-+-+", 20, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 again", "5 resolved", "6 again", "7 resolved"]
            ),
            // A look that cannot tell ends nothing, calm or not.
            (
                "-+-+-+????????????????+", 5, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 flapping", "22 resolved"]
            ),
        ]

        @Test("five turns within an hour are told as one, and the end once it is calm", arguments: 0..<6)
        func turns(_ index: Int) throws {
            let row = Self.rows[index]
            let course = try Story.course(
                row.looks, every: row.minutes,
                Policy(failureThreshold: 1, recoveryThreshold: row.recoveries, remindEvery: nil))
            #expect(Story.told(course, every: row.minutes) == row.told)
        }

        @Test("while it comes and goes the incident stays one, with its flag and without reminders")
        func state() throws {
            let policy = Policy(failureThreshold: 1, remindEvery: .seconds(600))
            let course = try Story.course(String(repeating: "-+", count: 30), every: 5, policy)
            let open = try #require(course.open(.originUnreachable))
            #expect(open.isFlapping && open.incident.state == .recovering)
            #expect(course.events.last?.news == .flapping)
            #expect(course.events.last?.summary.contains("comes and goes") == true)
            #expect(Set(course.events.map(\.incident.id)).count == 1)
        }

        @Test("a domain that is watched no longer ends what comes and goes at once")
        func retired() throws {
            let course = try Story.course("-+-+-+", every: 5, Policy(failureThreshold: 1, remindEvery: nil))
            #expect(course.open(.originUnreachable)?.isFlapping == true)
            let end = retire(course.state, now: .testing + 3600)
            #expect(end.events.map(\.type) == [.resolved])
            #expect(end.state.open.isEmpty)
        }
    }
}
