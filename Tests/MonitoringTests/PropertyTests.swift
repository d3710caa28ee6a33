import Evidence
import Facts
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
            case 7: .file(FileTests.accidents.randomElement(using: &random)?.file ?? "")
            default: .file(SampleFile.version(Int.random(in: 1...3, using: &random)))
            }
        }

        /// A random history: anything may follow anything, after any time.
        static func life(_ seed: UInt64, results: Int = 150) throws -> Course {
            var random = SeededGenerator(seed: seed)
            var course = try Course(
                policy: Policy(
                    CheckSettings(
                        failureThreshold: Int.random(in: 1...3, using: &random),
                        recoveryThreshold: Int.random(in: 1...3, using: &random))))
            var hour = 0.0
            let isHasty = Bool.random(using: &random)
            var (origin, cdn) = (reply(&random, cdn: false), reply(&random, cdn: true))
            for _ in 0..<results {
                hour += isHasty ? Double.random(in: 0.001...0.2, using: &random) : .random(in: 0.01...6, using: &random)
                if Int.random(in: 0..<30, using: &random) == 0 { hour += Double.random(in: 0...200, using: &random) }
                if Int.random(in: 0..<4, using: &random) == 0 { origin = reply(&random, cdn: false) }
                if Int.random(in: 0..<4, using: &random) == 0 { cdn = reply(&random, cdn: true) }
                try course.probed(at: hour, origin, cdn)
            }
            return course
        }

        @Test(
            "each incident fires once, its versions are consecutive, and everyone who knows of it gets its end",
            arguments: 0..<Rounds.of(UInt64(8), soak: 60))
        func courses(_ seed: UInt64) throws {
            let course = try Self.life(seed)
            for (_, events) in Dictionary(grouping: course.events, by: \.incident.id) {
                #expect(events.first?.transition == .firing)
                #expect(events.count { $0.transition == .firing } == 1)
                #expect(
                    events.filter { $0.transition != .resolved }.map(\.incident.version)
                        == Array(1...(events.last?.incident.version ?? 1)))
                #expect(Set(events.map(\.incident.kind)).count == 1)
                for (before, after) in zip(events, events.dropFirst()) {
                    // After an end, only the same problem that comes back may follow.
                    let isBack = after.transition == .again || after.transition == .flapping
                    if before.transition == .resolved { #expect(isBack) } else { #expect(after.transition != .again) }
                }
                for event in events {
                    let (incident, mark) = (
                        event.incident, Incident.Mark(version: event.incident.version, at: event.at)
                    )
                    switch event.transition {
                    case .worse: #expect(incident.worse == mark)
                    case .again: #expect(incident.again == mark && !incident.isFlapping)
                    case .flapping: #expect(incident.flapping == mark && incident.isFlapping)
                    default: #expect(incident.worse != mark && incident.again != mark && incident.flapping != mark)
                    }
                    if incident.state != .recovering { #expect(event.facts != nil) }
                }
            }
            for (state, evaluation) in zip(course.evaluations.map(\.state), course.evaluations.dropFirst()) {
                for (kind, open) in state.open {
                    let isOpen = evaluation.state.open[kind]?.incident.id == open.incident.id
                    let isEnded = evaluation.changes.contains {
                        $0.transition == .resolved && $0.incident.id == open.incident.id
                    }
                    let isDropped = evaluation.changes.dropped.contains { $0.id == open.incident.id }
                    #expect([isOpen, isEnded, isDropped].count { $0 } == 1)
                    #expect(!isDropped || !open.hasFired)
                    #expect(!isOpen || evaluation.state.open[kind]?.incident.version ?? 0 >= open.incident.version)
                    // Every difference is a change that the store writes.
                    let isSame = evaluation.state.open[kind]?.incident == open.incident
                    #expect(!isOpen || isSame || evaluation.changes.contains { $0.incident.id == open.incident.id })
                }
            }
            // Every verdict `failing` has an incident, except for a copy that may still arrive within its time.
            var failing = 0
            for evaluation in course.evaluations {
                failing = evaluation.verdict.level == .failing ? failing + 1 : 0
                guard failing >= course.policy.checks.failureThreshold else { continue }
                #expect(
                    evaluation.state.open.values.contains { $0.hasFired || $0.graceUntil != nil },
                    "\(evaluation.verdict.findings.map(\.rule)) \(evaluation.state.open)")
            }
            for evaluation in course.evaluations {
                for (kind, open) in evaluation.state.open {
                    #expect(kind == open.incident.kind && open.incident.state != .resolved)
                    #expect(open.hasFired == (open.incident.state != .pending))
                    #expect(open.hasFired == (open.incident.version > 0))
                    #expect(!open.incident.isFlapping || open.hasFired)
                    #expect(open.incident.inhibitedBy.map { evaluation.state.open[$0]?.hasFired == true } ?? true)
                    #expect(open.history.counted.count <= 16 && open.places?.places.count ?? 0 <= 32)
                }
                #expect(evaluation.state.incidents.turns.values.allSatisfy { $0.count <= Flapping.limit })
                #expect(
                    evaluation.changes.allSatisfy { ($0.incident.state == .resolved) == ($0.incident.reason != nil) })
                #expect(evaluation.changes.dropped.allSatisfy { $0.firedAt == nil && $0.version == 0 })
                #expect(evaluation.verdict.comparison.lagSeconds ?? 0 >= 0)
            }
        }

        @Test(
            "a check with an unknown result opens nothing and closes nothing, whatever came before",
            arguments: 0..<Rounds.of(UInt64(4), soak: 20))
        func unknown(_ seed: UInt64) throws {
            var course = try Self.life(seed, results: 40)
            let (events, open) = (course.events.count, course.state.open)
            for minute in 1...90 {
                try course.probed(at: course.hours + Double(minute) / 60, .failed(.own), .failed(.own))
            }
            #expect(course.events.count == events)
            #expect(course.state.open.mapValues(\.incident.id) == open.mapValues(\.incident.id))
            #expect(course.state.open.mapValues(\.incident.state) == open.mapValues(\.incident.state))
        }

        @Test("two domains, two kinds and two beginnings have different IDs")
        func names() throws {
            var names: Set<String> = []
            var count = 0
            for name in ["a.example", "b.example"] {
                var course = try Course(name, policy: Policy(CheckSettings(failureThreshold: 1)))
                for hour in stride(from: 0.0, to: 8, by: 2) {
                    try course.probed(at: hour, hour < 4 ? .status(500) : .failed(.timedOut), nil)
                    try course.probed(at: hour + 1, .file(SampleFile.version(1)), nil)
                }
                let firing = course.events.filter { $0.transition == .firing }
                names.formUnion(firing.map(\.incident.id))
                count += firing.count
            }
            #expect(count == 8 && names.count == 8)
            #expect(names.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
        }

        @Test("a changed threshold neither repeats nor loses a message")
        func editedThreshold() throws {
            var course = try Course.lagging()
            course.policy.checks.staleAfter = .seconds(12 * 3600)
            try course.probed(at: 27...30, origin: 2, cdn: 1)
            course.policy.checks.staleAfter = .seconds(96 * 3600)
            try course.probed(at: 31...40, origin: 2, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing"])
        }
    }
}
