import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Flapping")
    struct FlappingTests {
        typealias Story = ReopeningTests

        static let rows: [(results: String, minutes: Double, recoveries: Int, told: [String])] = [
            // The fifth change is sent as flapping; nothing more until it is stable, then the end.
            (
                "-+-+-+-+-" + String(repeating: "+", count: 20), 5, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 flapping", "20 resolved"]
            ),
            // Down when it becomes stable: the last message said that notifications pause.
            (
                "-+-+-+" + String(repeating: "-", count: 20) + "++", 5, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 flapping", "17 again", "26 resolved"]
            ),
            // The fifth change may be an end. It is suppressed, because it would soon be withdrawn.
            (
                "-++++++-+-+-+-" + String(repeating: "+", count: 20), 9, 1,
                [
                    "0 firing", "1 resolved", "7 firing", "8 resolved", "9 again", "10 resolved", "11 flapping",
                    "20 resolved",
                ]
            ),
            // A change without a message does not count.
            ("-+-+-+-+-+-+", 5, 2, ["0 firing"]),
            // Four changes within an hour are not too many.
            (
                "-+-+-+-+", 20, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 again", "5 resolved", "6 again", "7 resolved"]
            ),
            // A check with an unknown result ends nothing, whether flapping or not.
            (
                "-+-+-+????????????????+", 5, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 flapping", "22 resolved"]
            ),
        ]

        @Test("five changes within an hour are one notification, and the end comes once it is stable", arguments: 0..<6)
        func turns(_ index: Int) throws {
            let row = Self.rows[index]
            let course = try Story.course(
                row.results, every: row.minutes,
                Policy(CheckSettings(failureThreshold: 1, recoveryThreshold: row.recoveries)))
            #expect(Story.told(course, every: row.minutes) == row.told)
        }

        @Test("while it flaps it stays one incident, and its version does not grow")
        func state() throws {
            let course = try Story.course(
                String(repeating: "-+", count: 30), every: 5, Policy(CheckSettings(failureThreshold: 1)))
            let open = try #require(course.open(.originUnreachable))
            #expect(open.incident.isFlapping && open.incident.state == .recovering)
            #expect(course.events.last?.transition == .flapping)
            #expect(Set(course.events.map(\.incident.id)).count == 1)
            // Firing, again, flapping; the last return was both.
            #expect(open.incident.version == 3 && open.incident.flapping?.version == 3)
            #expect(open.incident.again == open.incident.flapping)
            // The facts stay those of a firing incident, although half of the checks see no problem.
            let facts = course.evaluations.flatMap(\.changes).filter { $0.transition != .resolved }.compactMap(\.facts)
            #expect(facts.allSatisfy { $0.findings.contains { $0.rule.rawValue == "origin.unreachable" } })
        }

        @Test("an acknowledgement lapses at a return, flapping or not; flapping alone keeps it")
        func acknowledged() throws {
            func holds(_ results: String, version: Int, every minutes: Double = 5) throws -> Bool {
                let course = try Story.course(results, every: minutes, Policy(CheckSettings(failureThreshold: 1)))
                let incident = try #require(course.events.last?.incident)
                return Acknowledgement(by: "eva", reason: "", at: .testing, version: version).holds(for: incident)
            }
            #expect(try holds("-+", version: 1))
            #expect(try !holds("-+-", version: 1))
            #expect(try !holds("-+-+-", version: 2))
            // The fifth change is an end: the incident stays open.
            #expect(try holds("-++++++-+-+-+", version: 4, every: 9))
        }

        @Test("a domain that is no longer monitored ends a flapping incident immediately")
        func retired() throws {
            let course = try Story.course("-+-+-+", every: 5, Policy(CheckSettings(failureThreshold: 1)))
            #expect(course.open(.originUnreachable)?.incident.isFlapping == true)
            let end = retire(course.state, now: .testing + 3600)
            #expect(end.changes.map(\.transition) == [.resolved])
            #expect(end.changes.first?.incident.reason == .removed && end.state.open.isEmpty && end.state.ended.isEmpty)
        }
    }
}
