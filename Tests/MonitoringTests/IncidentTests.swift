import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Incidents")
    struct IncidentTests {
        static let file = Reply.file(SampleFile.version(1))
        static let down = Reply.failed(.connectionRefused)

        /// A domain whose origin is up (`+`), down (`-`) or unknown (`?`) at each hour.
        private func course(_ results: String, _ policy: Policy) throws -> Course {
            try ReopeningTests.course(results, every: 60, policy)
        }

        struct Row: Sendable, CustomTestStringConvertible {
            let results: String
            let failures: Int
            let recoveries: Int
            let told: [String]

            init(_ results: String, _ failures: Int, _ recoveries: Int, _ told: [String]) {
                self.results = results
                self.failures = failures
                self.recoveries = recoveries
                self.told = told
            }

            var testDescription: String { "\(results) with thresholds \(failures) and \(recoveries)" }
        }

        static let rows = [
            Row("+++", 1, 1, []), Row("+-+", 2, 1, []), Row("-", 1, 1, ["0 firing"]),
            Row("+--+", 2, 1, ["2 firing", "3 resolved (recovered)"]), Row("+-+-+-", 2, 1, []),
            Row("+----", 3, 1, ["3 firing"]), Row("+--+-+-++", 2, 2, ["2 firing", "8 resolved (recovered)"]),
            Row("--+-++--", 2, 2, ["1 firing", "5 resolved (recovered)", "7 firing"]),
            Row("+-?-", 2, 1, ["3 firing"]), Row("+--???", 2, 1, ["2 firing"]), Row("??????", 1, 1, []),
            Row("+--?+", 2, 1, ["2 firing", "4 resolved (recovered)"]),
            Row("--+?+", 2, 2, ["1 firing", "4 resolved (recovered)"]), Row("+-?+-", 2, 1, []),
            Row("-+", 0, 0, ["0 firing", "1 resolved (recovered)"]),
        ]

        @Test("a problem fires by count, and ends by count", arguments: rows)
        func thresholds(_ row: Row) throws {
            let course = try course(
                row.results,
                Policy(CheckSettings(failureThreshold: row.failures, recoveryThreshold: row.recoveries)))
            #expect(course.told == row.told.map { $0.replacing(" ", with: " origin.unreachable ", maxReplacements: 1) })
        }

        @Test("an incident that comes back while recovering keeps firing under its ID")
        func backAgain() throws {
            let policy = Policy(CheckSettings(failureThreshold: 1, recoveryThreshold: 3))
            let course = try course("-+-++", policy)
            let changes = course.evaluations.map { $0.changes.first?.incident.state }
            #expect(changes == [.firing, .recovering, .firing, .recovering, nil])
            #expect(Set(course.evaluations.flatMap { $0.changes.map(\.incident.id) }).count == 1)
            #expect(course.open(.originUnreachable)?.incident.version == 1)
        }

        @Test("a check that cannot reach the origin cannot judge its file")
        func unreachableHidesBroken() throws {
            var course = try Course()
            for hour in 0...2 { try course.probed(at: Double(hour), .status(500), nil) }
            for hour in 3...6 { try course.probed(at: Double(hour), Self.down, nil) }
            #expect(course.told == ["1 origin.broken firing", "4 origin.unreachable firing"])
            try course.probed(at: 7, Self.file, nil)
            #expect(
                Set(course.told.suffix(2)) == [
                    "7 origin.broken resolved (recovered)", "7 origin.unreachable resolved (recovered)",
                ])
        }

        @Test("a certificate that expires soon fires immediately as a warning, and ends with its renewal")
        func certificate() throws {
            var course = try Course()
            let end = Date.testing + 15 * 86400
            for day in 0...3 { try course.probed(at: Double(day * 24), Self.file.expiring(at: end), Self.file) }
            #expect(course.told == ["24 certificate.expiring firing"])
            #expect(course.events.first?.incident.severity == .warning)
            try course.probed(at: 80, Self.down, Self.file)
            #expect(course.open(.certificateExpiring)?.incident.state == .firing)
            try course.probed(at: 81, Self.file.expiring(at: end + 90 * 86400), Self.file)
            #expect(course.told.last == "81 certificate.expiring resolved (recovered)")
        }

        @Test("a change contains the facts that its message needs")
        func facts() throws {
            var course = try Course.lagging()
            try course.probed(at: 27, origin: 2, cdn: 2)
            #expect(course.told == ["25 cdn.stale firing", "27 cdn.stale resolved (cdn_caught_up)"])
            let firing = try #require(course.events.first?.facts)
            #expect(firing.findings.map(\.rule.rawValue) == ["cdn.stale"] && firing.diagnosis.id == .cdnStale)
            #expect(firing.comparison.state == .stale && firing.affected == nil)
            #expect(course.events.last?.facts?.comparison.state == .inSync)
            // Pending incidents have a row, but no facts.
            #expect(course.evaluations[1].changes.map(\.transition) == [.opened])
            #expect(course.evaluations[1].changes.first?.facts == nil)
        }

        @Test("every domain kind has rules that feed it")
        func table() {
            #expect(Set(FindingKind.allCases.compactMap(\.feeds)) == Set(IncidentKind.ofDomains))
            #expect(Rule(lint: "json-syntax").feeds == .originBroken)
            #expect(Rule(rawValue: "unknown.rule").feeds == nil)
        }
    }
}
