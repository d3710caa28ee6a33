import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Escalation")
    struct EscalationTests {
        static let file = Reply.file(SampleFile.version(1))
        static let down = Reply.failed(.connectionRefused)

        /// Looks at hours of the story, and at which the steps of 1 h, 4 h and 12 h are told, as `hour: after-through`.
        struct Row: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let down: [Double]
            let up: [Double]
            let told: [String]
            var steps = [1.0, 4, 12]
        }

        static let rows = [
            Row(
                testDescription: "each step once, when it is due", down: [0, 0.5, 1, 1.5, 4, 5, 11, 12, 13, 50], up: [],
                told: ["1: 0-1", "4: 1-4", "12: 4-12"]),
            Row(
                testDescription: "steps that were missed come as one", down: [0, 5, 6, 11, 500], up: [],
                told: ["5: 0-4", "500: 4-12"]),
            Row(testDescription: "none is reached before the end", down: [0, 0.9], up: [1, 1.1, 8], told: []),
            Row(
                testDescription: "trouble that is back begins anew", down: [0, 2, 2.4, 2.9, 3.4], up: [2.2],
                told: ["2: 0-1", "3: 0-1"]),
            Row(
                testDescription: "one good look of two ends nothing", down: [0, 0.5, 1.5], up: [1],
                told: ["2: 0-1"]),
            Row(testDescription: "no steps, no calls", down: [0, 5, 50], up: [], told: [], steps: []),
        ]

        @Test("each step is told once, and none that was not reached", arguments: rows)
        func course(_ row: Row) throws {
            let recovery = row.testDescription.hasPrefix("one good") ? 2 : 1
            var course = try Course(
                policy: Policy(
                    failureThreshold: 1, recoveryThreshold: recovery, remindEvery: nil,
                    escalateAfter: row.steps.map { .seconds($0 * 3600) }))
            for hour in (row.down + row.up).sorted() {
                try course.look(at: hour, row.down.contains(hour) ? Self.down : Self.file, Self.file)
            }
            #expect(Self.calls(course.events) == row.told)
            #expect(course.events.map(\.incident.sequence) == Array(1...course.events.count))
        }

        @Test("another list of steps repeats none and goes on from where it was")
        func reload() throws {
            var course = try Course(
                policy: Policy(failureThreshold: 1, remindEvery: nil, escalateAfter: [.seconds(3600), .seconds(7200)]))
            for hour in [0, 1.0] { try course.look(at: hour, Self.down, Self.file) }
            // One before what has passed, the same, and one that is due by now.
            course.policy.escalateAfter = [.seconds(1800), .seconds(3600), .seconds(5400)]
            for hour in [1.2, 1.5, 2, 3] { try course.look(at: hour, Self.down, Self.file) }
            #expect(Self.calls(course.events) == ["1: 0-1", "2: 1-1.5"])
        }

        @Test("a warning calls nobody; what grows to an error does, counted from then")
        func severity() throws {
            let incident = Incident(
                id: "a1", domain: nil, kind: .certificateExpiring, severity: .warning, state: .firing, since: .testing,
                openedAt: .testing, firedAt: .testing)
            var open = OpenIncident(incident: incident)
            #expect(Self.pass(&open, 5) == nil)
            open.incident.severity = .error
            open.escalatesFrom = .testing + 5 * 3600
            #expect(Self.pass(&open, 5.5) == nil)
            #expect(Self.pass(&open, 6) == EscalationSpan(after: 0, through: 3600))
            #expect(Self.pass(&open, 6) == nil)
            // The clock was set back.
            #expect(Self.pass(&open, -5) == nil)
        }

        /// As the course does it: one look that saw it fire.
        private static func pass(_ open: inout OpenIncident, _ hours: Double) -> EscalationSpan? {
            open.passSteps([.seconds(3600)], at: .testing + hours * 3600)
        }

        @Test("a consequence is not told to more people while its cause fires, and is when it outlives it")
        func inhibited() throws {
            let gone = Reply.status(404)
            var course = try Course(
                policy: Policy(failureThreshold: 1, remindEvery: nil, escalateAfter: [.seconds(3600)]))
            try course.look(at: 0, Self.file, Self.file)
            try course.look(at: 0.1, Self.file, gone)
            #expect(course.told == ["0 cdn.missing firing"])
            for hour in [0.5, 1.2, 1.4] { try course.look(at: hour, Self.down, gone) }
            #expect(Self.calls(course.events) == [])
            for hour in [1.5, 1.6] { try course.look(at: hour, Self.file, gone) }
            #expect(course.events.filter { $0.escalation != nil }.map(\.incident.kind) == [.cdnMissing])
        }

        @Test("an incident of the fleet climbs by the same steps")
        func fleet() throws {
            var world = try FleetWorld(20, interval: .seconds(600))
            world.fleetPolicy.escalateAfter = [.seconds(3600), .seconds(14_400)]
            try world.run(until: 30_000) { _, second in
                (FleetWorld.file, second < 1800 ? FleetWorld.file : .status(404))
            }
            let parents = world.told.filter { $0.kind == .cdnWide }
            try #require(parents.map(\.type) == [.firing, .firing, .firing])
            #expect(Set(parents.map(\.incident)).count == 1)
            #expect(parents[1].at - parents[0].at >= 3600 && parents[1].at - parents[0].at < 3700)
            #expect(parents[2].at - parents[0].at >= 14_400)
        }

        @Test("what an earlier version stored is read, and climbs from its firing")
        func earlier() throws {
            let open = OpenIncident(
                incident: Incident(
                    id: "a1", domain: nil, kind: .originBroken, severity: .error, state: .firing, since: .testing,
                    openedAt: .testing, firedAt: .testing))
            let text = String(decoding: try JSONEncoder().encode(open), as: UTF8.self)
            #expect(!text.contains("escalat"))
            var read = try JSONDecoder().decode(OpenIncident.self, from: Data(text.utf8))
            #expect(Self.pass(&read, 2) == EscalationSpan(after: 0, through: 3600))
        }

        static func calls(_ events: [Event]) -> [String] {
            events.compactMap { event in
                event.escalation.map { span in
                    #expect(event.type == .firing && event.incident.state == .firing)
                    let hour = Int((event.at.timeIntervalSince(.testing) / 3600).rounded())
                    let ends = [span.after, span.through].map { ($0 / 3600).formatted(.number.grouping(.never)) }
                    return "\(hour): \(ends[0])-\(ends[1])"
                }
            }
        }
    }
}
