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
            let isHasty = Bool.random(using: &random)
            var (origin, cdn) = (reply(&random, cdn: false), reply(&random, cdn: true))
            for _ in 0..<looks {
                hour += isHasty ? Double.random(in: -0.05...0.2, using: &random) : .random(in: -1...6, using: &random)
                if Int.random(in: 0..<30, using: &random) == 0 { hour += Double.random(in: -50...200, using: &random) }
                if Int.random(in: 0..<4, using: &random) == 0 { origin = reply(&random, cdn: false) }
                if Int.random(in: 0..<4, using: &random) == 0 { cdn = reply(&random, cdn: true) }
                try course.look(at: hour, origin, cdn)
            }
            return course
        }

        @Test(
            "each incident fires once, no beginning follows a beginning without an end between, and messages are counted",
            arguments: 0..<60)
        func courses(_ seed: UInt64) throws {
            let course = try Self.life(seed)
            for (_, told) in Dictionary(grouping: course.events, by: \.incident.id) {
                #expect(told.first?.type == .firing)
                #expect(told.count { $0.type == .firing } == 1)
                #expect(told.map(\.incident.sequence) == Array(1...told.count))
                #expect(Set(told.map(\.incident.kind)).count == 1)
                for (before, after) in zip(told, told.dropFirst()) {
                    // Behind an end only the same trouble, back again.
                    let isBack = after.news == .again || after.news == .flapping && after.incident.state == .firing
                    if before.type == .resolved { #expect(isBack) } else { #expect(after.news != .again) }
                    #expect((after.type == .update) == (after.news != nil))
                }
            }
            for (state, evaluation) in zip(course.evaluations.map(\.state), course.evaluations.dropFirst()) {
                // Whoever was told of trouble is told its end: it is still open, or its end is among the events.
                for (kind, open) in state.open where open.isTold {
                    let isOpen = evaluation.state.open[kind]?.incident.id == open.incident.id
                    let isEnded = evaluation.events.contains {
                        $0.type == .resolved && $0.incident.id == open.incident.id
                    }
                    #expect(isOpen != isEnded)
                }
                for open in evaluation.state.open.values {
                    #expect(
                        open.confirmations >= 0 && open.recoveries >= 0 && open.reopened >= 0 && open.reminders >= 0)
                    #expect(open.incident.state != .pending || !open.isTold)
                    #expect(!open.isFlapping || open.isTold)
                    #expect(open.isTold || open.incident.sequence == 0)
                    #expect(open.facts.told.count <= 16)
                }
                #expect(evaluation.state.turns.values.allSatisfy { $0.count <= 5 })
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

        @Test("a check that can tell nothing opens nothing and closes nothing, whatever went before", arguments: 0..<20)
        func unknown(_ seed: UInt64) throws {
            var course = try Self.life(seed, looks: 40)
            let (events, open) = (course.events.count, course.state.open)
            for minute in 1...90 {
                try course.look(at: course.hours + Double(minute) / 60, .failed(.own), .failed(.own))
            }
            #expect(course.events.dropFirst(events).allSatisfy { $0.type == .reminder })
            #expect(course.state.open.mapValues(\.incident.id) == open.mapValues(\.incident.id))
            #expect(course.state.open.mapValues(\.incident.state) == open.mapValues(\.incident.state))
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
            // The third version is news of its own.
            #expect(course.told == ["25 cdn.stale firing", "31 cdn.stale update changed"])
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
