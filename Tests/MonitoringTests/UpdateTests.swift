import Evidence
import Foundation
import TestSupport
import Testing

@testable import Monitoring

extension MonitoringSuite {
    @Suite("Updates")
    struct UpdateTests {
        /// The origin's answer at checks every so many minutes: `4` is 404, `h` a login page, `t` a redirect.
        private func course(_ results: String, every minutes: Double) throws -> Course {
            var course = try Course()
            for (index, probed) in results.enumerated() {
                let origin: Reply =
                    switch probed {
                    case "4": .status(404)
                    case "5": .status(500)
                    case "h": .file("<html>")
                    default: .file("{}")
                    }
                try course.probed(at: Double(index) * minutes / 60, origin, nil)
            }
            return course
        }

        static let rows: [(results: String, minutes: Double, told: [String])] = [
            ("444444444", 10, ["1 firing"]),
            // The same rule with other text is not a change.
            ("4445555555", 10, ["1 firing"]),
            // Counts once as many checks agree as confirm a failure. Other code decides how often channels are notified
            // of it.
            ("44hhhhhh", 10, ["1 firing", "3 changed"]), ("44h4h4h4h4h4", 10, ["1 firing"]),
            // What counted before does not count again.
            ("44hhhh4444hhhh4444", 10, ["1 firing", "3 changed"]),
        ]

        @Test("changed facts count once, when they are confirmed", arguments: 0..<5)
        func changed(_ index: Int) throws {
            let row = Self.rows[index]
            let course = try course(row.results, every: row.minutes)
            #expect(ReopeningTests.told(course, every: row.minutes) == row.told)
            #expect(course.open(.originBroken)?.incident.version == row.told.count)
        }

        @Test("the stored facts stay current even if they counted before or only grew older")
        func rewritten() throws {
            let course = try course("44hhhh4444444444", every: 10)
            let written = course.evaluations.enumerated().flatMap { index, evaluation in
                evaluation.changes.filter { $0.facts != nil }.map { "\(index) \($0.transition.rawValue)" }
            }
            #expect(written == ["1 firing", "2 rewritten", "3 changed", "6 rewritten", "7 rewritten", "13 rewritten"])
            let last = course.evaluations.flatMap(\.changes).last
            #expect(last?.incident.version == 2 && last?.facts?.findings.first?.rule.rawValue == "origin.status")
        }

        @Test("a problem that keeps changing stops counting, and its memory stays small")
        func bounded() {
            var history = FactsHistory()
            var changed = 0
            for step in 0..<100 {
                let facts = ContentHash(of: "\(step)".utf8)
                if case .changed = history.see(facts, required: 1, at: .testing + Double(step)) { changed += 1 }
            }
            // It fired with the first.
            #expect(changed == FactsHistory.limit - 1 && history.counted.count == FactsHistory.limit)
        }

        @Test("while edges disagree, a message says what the newest check saw")
        func edges() throws {
            var course = try Course.lagging()
            #expect(course.events.last?.facts?.diagnosis.effect.harm == .some)
            let (old, new) = (Reply.file(SampleFile.version(1)), Reply.file(SampleFile.version(2)))
            try course.probed(
                at: 27,
                .of(at: .testing + 27 * 3600, origin: new, cdn: new, scene: Scene().edges([new, new, old])))
            #expect(course.told == ["25 cdn.stale firing"])
            let written = course.evaluations.last?.changes.compactMap(\.facts).last
            #expect(written?.diagnosis.effect.harm == .atSomeEdges && written?.comparison.state == .mixed)
        }

        @Test("more edges make it worse, and light checks do not know how many there are")
        func moreEdges() throws {
            var course = try Course()
            let (old, new) = (Reply.file(SampleFile.version(1)), Reply.file(SampleFile.version(2)))
            func probed(_ hour: Double, _ replies: [Reply], isFull: Bool = true) throws {
                var observation = try Observation.of(
                    at: .testing + hour * 3600, origin: new, cdn: replies[0], scene: Scene().edges(replies))
                if !isFull { observation.full = nil }
                try course.probed(at: hour, observation)
            }
            try course.probed(at: 0, origin: 1, cdn: 1)
            for hour in 1...30 { try probed(Double(hour), [new, old, new, new]) }
            #expect(course.told == ["25 cdn.stale firing"])
            for minute in 1...6 { try probed(30 + Double(minute) / 60, [old, old, new, new], isFull: false) }
            #expect(course.told == ["25 cdn.stale firing"])
            for hour in 31...34 { try probed(Double(hour), [new, old, old, new]) }
            #expect(course.told.last == "32 cdn.stale worse")
            for hour in 35...38 { try probed(Double(hour), [old, old, old, old]) }
            #expect(course.told.suffix(2) == ["32 cdn.stale worse", "36 cdn.stale worse"])
            for hour in 39...42 { try probed(Double(hour), [new, old, old, old]) }
            for hour in 43...46 { try probed(Double(hour), [old, old, old, old]) }
            #expect(course.told.last == "36 cdn.stale worse")
        }

        @Test("another change at the origin is an update for a stale copy; its start stays")
        func staleCopy() throws {
            var course = try Course.lagging()
            try course.probed(at: 27...40, origin: 3, cdn: 1)
            #expect(course.told == ["25 cdn.stale firing", "28 cdn.stale changed"])
            #expect(course.events.last?.incident.since == .testing + 3600)
            #expect(course.events.first?.facts?.comparison.changes != course.events.last?.facts?.comparison.changes)
        }
    }
}
