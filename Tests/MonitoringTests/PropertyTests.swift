import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Properties")
    struct PropertyTests {
        static func reply(_ random: inout SeededGenerator, cdn: Bool) -> Reply {
            switch Int.random(in: 0..<16, using: &random) {
            case 0: .status(404)
            case 1: .status(503)
            case 2: .failed(Failure.Kind.allCases.randomElement(using: &random) ?? .own)
            case 3: .file("<html>")
            case 4: cdn ? .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden") : .certificate(.expired)
            case 5: .file(SampleFile.spaced(1))
            case 6: .file("{}")
            default: .file(SampleFile.version(Int.random(in: 1...3, using: &random)))
            }
        }

        /// A wild life: anything may follow anything, after any time, the clock now and then going back.
        static func life(_ seed: UInt64, looks: Int = 150) throws -> Course {
            var random = SeededGenerator(seed: seed)
            var course = try Course(
                policy: Policy(
                    failureThreshold: Int.random(in: 1...3, using: &random),
                    recoveryThreshold: Int.random(in: 1...3, using: &random),
                    remindEvery: Bool.random(using: &random) ? .seconds(6 * 3600) : nil))
            var hour = 0.0
            var (origin, cdn) = (reply(&random, cdn: false), reply(&random, cdn: true))
            for _ in 0..<looks {
                hour += Double.random(in: -1...6, using: &random)
                if Int.random(in: 0..<30, using: &random) == 0 { hour += Double.random(in: -50...200, using: &random) }
                if Int.random(in: 0..<4, using: &random) == 0 { origin = reply(&random, cdn: false) }
                if Int.random(in: 0..<4, using: &random) == 0 { cdn = reply(&random, cdn: true) }
                try course.look(at: hour, origin, cdn)
            }
            return course
        }

        @Test(
            "each incident fires once at most, is resolved once at most and after it, and counts its messages",
            arguments: 0..<40)
        func courses(_ seed: UInt64) throws {
            let course = try Self.life(seed)
            for (_, told) in Dictionary(grouping: course.events, by: \.incident.id) {
                #expect(told.first?.type == .firing)
                #expect(told.count { $0.type == .firing } == 1)
                #expect(told.dropLast().allSatisfy { $0.type != .resolved })
                #expect(told.map(\.incident.sequence) == Array(1...told.count))
                #expect(Set(told.map(\.incident.kind)).count == 1)
            }
            for evaluation in course.evaluations {
                #expect(evaluation.incidents.allSatisfy { $0.state != .resolved || $0.reason != nil })
                #expect(evaluation.dropped.allSatisfy { $0.firedAt == nil && $0.sequence == 0 })
                #expect(evaluation.state.open.allSatisfy { $0.key == $0.value.incident.kind })
                #expect(evaluation.state.open.values.allSatisfy { $0.incident.state != .resolved })
                #expect(evaluation.verdict.comparison.lagSeconds ?? 0 >= 0)
            }
            #expect(!course.events.contains { $0.summary.contains("-") && $0.summary.contains("for -") })
        }

        @Test("the same life gives the same messages under the same names")
        func determinism() throws {
            let (first, second) = (try Self.life(7), try Self.life(7))
            #expect(first.events == second.events)
            #expect(first.state == second.state)
            #expect(!first.events.isEmpty)
        }

        @Test("two domains, two kinds and two beginnings have names of their own")
        func names() throws {
            var names: Set<String> = []
            var count = 0
            for name in ["a.example", "b.example"] {
                var course = try Course(name, policy: Policy(failureThreshold: 1, remindEvery: nil))
                for hour in stride(from: 0.0, to: 8, by: 2) {
                    try course.look(at: hour, hour < 4 ? .status(500) : .failed(.timedOut), nil)
                    try course.look(at: hour + 1, .file(SampleFile.version(1)), nil)
                }
                let firing = course.events.filter { $0.type == .firing }
                names.formUnion(firing.map(\.incident.id))
                count += firing.count
            }
            #expect(count == 8 && names.count == 8)
            #expect(names.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
        }

        @Test("a clock that goes back by days makes no age negative and tells nothing twice")
        func clockBack() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...30, origin: 2, cdn: 1)
            try course.look(at: -100, origin: 2, cdn: 1)
            #expect(course.state.verdict?.comparison.lagSeconds == 0)
            try course.look(at: -99, origin: 3, cdn: 1)
            try course.look(at: 31, origin: 3, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing"])
        }

        @Test("a threshold that is edited neither repeats nor loses a message")
        func editedThreshold() throws {
            var course = try Course()
            try course.look(at: 0, origin: 1, cdn: 1)
            try course.look(at: 1...26, origin: 2, cdn: 1)
            course.policy.staleAfter = .seconds(12 * 3600)
            try course.look(at: 27...30, origin: 2, cdn: 1)
            course.policy.staleAfter = .seconds(96 * 3600)
            try course.look(at: 31...40, origin: 2, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing"])
        }
    }
}
