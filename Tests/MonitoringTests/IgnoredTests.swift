// Ignored findings neither open an incident nor keep one open.

import Evidence
import Facts
import Foundation
import TestSupport
import Testing

@testable import Monitoring

extension MonitoringSuite {
    @Suite("Ignored findings")
    struct IgnoredTests {
        static let file = Reply.file(SampleFile.version(1))
        static let other = Reply.file(SampleFile.version(2))

        struct Row: CustomTestStringConvertible {
            let rule: String
            let kind: IncidentKind
            var origin = file
            var cdn = file
            var policy = Policy()
            /// The checks that create it, starting from this file.
            var before: Reply?
            var scene: Scene?
            var testDescription: String { rule }
        }

        static let rows: [Row] = [
            Row(rule: "origin.status", kind: .originBroken, origin: .status(500)),
            Row(
                rule: "origin.content-type", kind: .originBroken,
                origin: .file("<html>").with { $0.headers["Content-Type"] = "text/html" }),
            Row(rule: "origin.unreachable", kind: .originUnreachable, origin: .failed(.connectionRefused)),
            Row(rule: "cdn.stale", kind: .cdnStale, origin: other, cdn: file, before: file),
            Row(rule: "cdn.divergent", kind: .cdnDivergent, origin: other, cdn: file),
            Row(rule: "cdn.missing", kind: .cdnMissing, cdn: .status(404)),
            Row(
                rule: "expect.app-missing", kind: .expectationFailed,
                policy: Policy(expectations: Expectations(apps: ["ABCDE12345.com.example.other"]))),
            Row(rule: "cdn.edges-differ", kind: .cdnDivergent, scene: .calm(file).edges([file, other])),
            Row(
                rule: "origin.address-differs", kind: .originInconsistent,
                scene: Scene.calm(file, cdn: file).addresses([file, other])),
        ]

        private func run(_ row: Row, _ ignored: [IgnoredRule], from start: Int = 0) throws -> Course {
            var policy = row.policy
            policy.checks.ignore = ignored
            var course = try Course(policy: policy)
            if let before = row.before { try course.probed(at: 0, before, before) }
            try probed(row, &course, 1...60)
            return course
        }

        private func probed(_ row: Row, _ course: inout Course, _ hours: ClosedRange<Int>) throws {
            for hour in hours {
                guard let scene = row.scene else {
                    try course.probed(at: Double(hour), row.origin, row.cdn)
                    continue
                }
                try course.probed(
                    at: Double(hour),
                    Observation.of(
                        at: .testing + Double(hour) * 3600, origin: row.origin, cdn: row.cdn, scene: scene))
            }
        }

        /// All findings of the row's last check that feed its kind: one problem may have several findings.
        private func rules(_ row: Row, _ course: Course) -> [IgnoredRule] {
            let fed = (course.state.verdict?.findings ?? []).map(\.rule).filter { $0.feeds == row.kind }
            return Set(fed + [Rule(rawValue: row.rule)]).map { IgnoredRule($0, reason: "known") }
        }

        @Test("ignored findings open no incident", arguments: rows)
        func opensNone(_ row: Row) throws {
            let plain = try run(row, [])
            #expect(plain.told.contains { $0.hasSuffix("\(row.kind.rawValue) firing") })
            #expect(plain.state.verdict?.findings.contains { $0.rule.rawValue == row.rule } == true)
            let ignoring = try run(row, rules(row, plain))
            #expect(!ignoring.told.contains { $0.contains(row.kind.rawValue) }, "\(ignoring.told)")
            #expect(ignoring.state.verdict?.ignored.contains { $0.finding.rule.rawValue == row.rule } == true)
        }

        @Test("an incident that is open when the rule arrives ends in the usual way", arguments: rows)
        func ends(_ row: Row) throws {
            var course = try run(row, [])
            #expect(course.open(row.kind)?.hasFired == true)
            course.policy.checks.ignore = rules(row, course)
            course.policy.checks.recoveryThreshold = 2
            try probed(row, &course, 61...61)
            #expect(course.open(row.kind)?.incident.state == .recovering)
            try probed(row, &course, 62...62)
            #expect(course.told.last == "62 \(row.kind.rawValue) resolved (ignored)")
            #expect(course.open(row.kind) == nil)
        }

        @Test("a light check that confirms the last full one is enough for that", arguments: rows)
        func endsAtLight(_ row: Row) throws {
            var course = try run(row, [])
            course.policy.checks.ignore = rules(row, course)
            let seen = row.scene == nil ? (row.origin, row.cdn) : (Self.file, Self.file)
            try course.probed(at: 61, seen.0, seen.1, full: nil)
            #expect(course.told.last == "61 \(row.kind.rawValue) resolved (ignored)")
        }

        @Test("an ignored problem that hides another one does not end the other's incident")
        func hidden() throws {
            var course = try Course(
                policy: Policy(CheckSettings(ignore: [IgnoredRule(Rule(rawValue: "origin.status"), reason: "known")])))
            let page = Reply.file("<html>").with { $0.headers["Content-Type"] = "text/html" }
            for hour in 0..<4 { try course.probed(at: Double(hour), page, Self.file) }
            #expect(course.open(.originBroken)?.hasFired == true)
            for hour in 4..<12 { try course.probed(at: Double(hour), .status(500), Self.file) }
            #expect(course.open(.originBroken)?.incident.state == .firing, "\(course.told)")
            try course.probed(at: 12, Self.file, Self.file)
            #expect(course.told.last == "12 origin.broken resolved (recovered)")
        }

        @Test("after its expiry date it counts again, by the wall clock")
        func until() throws {
            let row = Self.rows[0]
            let day = try #require(CalendarDay(String(Date.testing.ISO8601Format().prefix(10))))
            let course = try run(row, [IgnoredRule(Rule(rawValue: row.rule), reason: "known", until: day)])
            let opened = try #require(course.state.open[row.kind]?.incident.openedAt)
            #expect(opened >= day.end && opened < day.end + 3600)
        }

        @Test("an alternating origin can be ignored too")
        func alternation() throws {
            var policy = Policy()
            for isIgnored in [false, true] {
                if isIgnored {
                    policy.checks.ignore = [IgnoredRule(Rule(rawValue: "origin.address-differs"), reason: "known")]
                }
                var course = try Course(policy: policy)
                for hour in 0..<12 { try course.probed(at: Double(hour), origin: 1 + hour % 2, cdn: 1) }
                #expect((course.open(.originInconsistent)?.hasFired ?? false) == !isIgnored)
            }
        }

        @Test("a light check shows the last full check's findings under the current rules, without a change message")
        func light() throws {
            let row = Row(rule: "origin.root-copy-differs", kind: .originBroken)
            var course = try Course()
            let scene = Scene.calm(Self.file, cdn: Self.file).with { $0.rootCopy = Self.other }
            try course.probed(at: 0, Observation.of(at: .testing, origin: Self.file, cdn: Self.file, scene: scene))
            #expect(course.state.verdict?.level == .warning)
            course.policy.checks.ignore = [IgnoredRule(Rule(rawValue: row.rule), reason: "known")]
            let light = try course.glance(Self.file, Self.file)
            #expect(light.verdict.level == .ok && !light.isNews)
            #expect(light.verdict.ignored.map(\.finding.rule.rawValue) == [row.rule])
            #expect(light.verdict.diagnosis.cause.rule?.rawValue != row.rule)
            #expect(DomainStatus(of: light.verdict, open: [TrackedIncident]()) == .inSync)
            course.policy.checks.ignore = []
            #expect(try course.glance(Self.file, Self.file).verdict.level == .warning)
        }
    }
}
