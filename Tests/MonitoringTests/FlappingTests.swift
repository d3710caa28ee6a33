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
            // The fifth turn is told as flapping; no more until it is calm, then the end.
            (
                "-+-+-+-+-" + String(repeating: "+", count: 20), 5, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 flapping", "20 resolved"]
            ),
            // It is down when it is calm again: the last word was that notifications pause.
            (
                "-+-+-+" + String(repeating: "-", count: 20) + "++", 5, 1,
                ["0 firing", "1 resolved", "2 again", "3 resolved", "4 flapping", "17 again", "26 resolved"]
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

        @Test("five turns within an hour are one notification, and the end comes once it is stable", arguments: 0..<6)
        func turns(_ index: Int) throws {
            let row = Self.rows[index]
            let course = try Story.course(
                row.results, every: row.minutes,
                Policy(CheckSettings(failureThreshold: 1, recoveryThreshold: row.recoveries)))
            #expect(Story.told(course, every: row.minutes) == row.told)
        }

        @Test("while it flaps the incident stays one, and nothing raises its version")
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
            // Facts stay those of a firing, though half of the checks see nothing wrong.
            let facts = course.evaluations.flatMap(\.changes).filter { $0.transition != .resolved }.compactMap(\.facts)
            #expect(facts.allSatisfy { $0.findings.contains { $0.rule.rawValue == "origin.unreachable" } })
        }

        @Test("an acknowledgement lapses at a return, whether it is flapping or not; flapping alone leaves it")
        func acknowledged() throws {
            func holds(_ results: String, version: Int, every minutes: Double = 5) throws -> Bool {
                let course = try Story.course(results, every: minutes, Policy(CheckSettings(failureThreshold: 1)))
                let incident = try #require(course.events.last?.incident)
                return Acknowledgement(by: "eva", reason: "", at: .testing, version: version).holds(for: incident)
            }
            #expect(try holds("-+", version: 1))
            #expect(try !holds("-+-", version: 1))
            #expect(try !holds("-+-+-", version: 2))
            // The fifth turn is an end: it stays open.
            #expect(try holds("-++++++-+-+-+", version: 4, every: 9))
        }

        @Test("a domain that is no longer monitored ends a flapping incident at once")
        func retired() throws {
            let course = try Story.course("-+-+-+", every: 5, Policy(CheckSettings(failureThreshold: 1)))
            #expect(course.open(.originUnreachable)?.incident.isFlapping == true)
            let end = retire(course.state, now: .testing + 3600)
            #expect(end.changes.map(\.transition) == [.resolved])
            #expect(end.changes.first?.incident.reason == .removed && end.state.open.isEmpty && end.state.ended.isEmpty)
        }
    }
}
