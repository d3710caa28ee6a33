import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Reminders")
    struct ReminderTests {
        static let file = Reply.file(SampleFile.version(1))
        static let down = Reply.failed(.connectionRefused)

        @Test(
            "reminders begin at their interval, grow apart to a day, and end after a week",
            arguments: [
                (24, [24, 48, 72, 96, 120, 144, 168]), (4, [4, 12, 28, 52, 76, 100, 124, 148]),
                (1, [1, 3, 7, 15, 31, 55, 79, 103, 127, 151]), (48, [48, 96, 144]), (200, [200]),
            ])
        func spacing(_ every: Int, _ hours: [Int]) throws {
            var course = try Course(policy: Policy(failureThreshold: 1, remindEvery: .seconds(every * 3600)))
            for hour in 0...500 { try course.look(at: Double(hour), Self.down, Self.file) }
            let told = course.events.dropFirst().map { Int(($0.at.timeIntervalSince(.testing) / 3600).rounded()) }
            #expect(told == hours)
            #expect(course.events.dropFirst().allSatisfy { $0.type == .reminder })
            #expect(course.events.map(\.incident.sequence) == Array(1...hours.count + 1))
            #expect(course.open(.originUnreachable)?.incident.nextReminderAt == nil)
        }

        @Test("those that were missed come as one, and the next keeps the rhythm")
        func missed() throws {
            var course = try Course(policy: Policy(failureThreshold: 1, remindEvery: .seconds(24 * 3600)))
            for hour in [0, 23, 24, 25, 101, 102, 119, 120, 5000, 5001] {
                try course.look(at: Double(hour), Self.down, Self.file)
            }
            #expect(
                course.told.map { $0.replacing(" origin.unreachable", with: "") } == [
                    "0 firing", "24 reminder", "101 reminder", "120 reminder", "5000 reminder",
                ])
            #expect(course.open(.originUnreachable)?.incident.nextReminderAt == nil)
        }

        @Test("an incident that is back is reminded of as a new one")
        func reopened() throws {
            var course = try Course(policy: Policy(failureThreshold: 1, remindEvery: .seconds(2 * 3600)))
            try course.look(at: 0, Self.down, Self.file)
            try course.look(at: 3, Self.down, Self.file)
            try course.look(at: 3.1, Self.file, Self.file)
            try course.look(at: 3.2, Self.down, Self.file)
            #expect(course.events.last?.news == .again)
            #expect(course.open(.originUnreachable)?.incident.nextReminderAt == .testing + 5.2 * 3600)
        }
    }
}
