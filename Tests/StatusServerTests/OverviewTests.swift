import Evidence
import Foundation
import Monitoring
@testable import StatusServer
import Report
import Storage
import Testing

extension StatusServerSuite {
    @Suite("Overview")
    struct OverviewTests {
        @Test("trouble comes first: firing, failing, warning, unchecked, ok; each by name")
        func order() async throws {
            let overview = try await overview(
                [
                    state("a.test", .ok), state("b.test", .warning), state("c.test", nil), state("d.test", .failing),
                    state("e.test", .failing, open: [(.originBroken, .firing)]), state("f.test", .ok),
                    state("g.test", .ok, open: [(.cdnStale, .firing)]),
                ])
            #expect(
                overview.domains.map(\.domain) == [
                    "e.test", "g.test", "d.test", "b.test", "c.test", "a.test", "f.test",
                ])
            #expect(overview.domains.map(\.needsAttention) == [true, true, true, true, false, false, false])
            #expect(overview.headline == "4 of 7 domains need attention")
            // A firing incident is never shown as calm, whatever the last check saw.
            #expect(overview.domains.map(\.verdict) == [.failing, .failing, .failing, .warning, nil, .ok, .ok])
        }

        @Test("while no monitor runs, no domain is ok, and failing domains stay failing")
        func unchecked() async throws {
            let scratch = try ScratchStore()
            try await scratch.store.watch(["a.test", "b.test", "c.test"].map { WatchedDomain(domain: try Domain($0)) })
            try await scratch.commit([state("a.test", .ok), state("b.test", .failing), state("c.test", .warning)])
            for (now, verdicts) in [
                (noon, [Verdict.Level.ok, .failing, .warning]), (noon + 86_400, [.unknown, .failing, .warning]),
            ] {
                let api = API(scratch.store, now: now)
                let reports = try await api.domains(SummaryFilter(), limit: 9).domains
                #expect(reports.map(\.verdict) == verdicts)
                #expect(try await api.domain(Domain("a.test")).base.verdict == verdicts[0])
            }
            let overview = Overview(
                try await API(scratch.store, now: noon + 86_400).status(),
                try await API(scratch.store, now: noon + 86_400).domains(SummaryFilter(), limit: 1).domains, wall: noon)
            #expect(overview.pastHeadline == "no domain had trouble")
        }

        @Test("a reader of the store sees the daemon's maintenance windows")
        func windows() async throws {
            let scratch = try ScratchStore()
            try await scratch.commit([state("a.test", .failing, open: [(.cdnStale, .firing)])])
            let window = MaintenanceWindow(
                name: "deploy", scope: SilenceScope(domains: [try DomainPattern("a.test")]),
                days: Set(Weekday.allCases), start: try #require(TimeOfDay("06:00")), extent: .lasting(.seconds(7200)),
                zone: try #require(TimeZone(identifier: "UTC")), reason: "weekly")
            func report() async throws -> IncidentReport? {
                try await API(scratch.store, now: noon).domain(Domain("a.test")).base.incidents.first
            }
            #expect(try await report()?.silencedUntil == nil)
            try await scratch.store.note(maintenance: [window])
            #expect(try await report()?.silencedUntil == noon + 3600)
            #expect(try await API(scratch.store, now: noon).silences().maintenance.map(\.name) == ["deploy"])
            // A reload removed it.
            try await scratch.store.note(maintenance: [])
            #expect(try await report()?.silencedUntil == nil)
        }

        static let headlines: [([Verdict.Level?], String)] = [
            ([], "No domain is watched"),
            ([nil], "1 domain, not checked yet"),
            ([nil, nil], "2 domains, not checked yet"),
            ([.ok], "1 domain, OK"),
            ([.ok, .ok], "All 2 domains are OK"),
            ([.ok, nil, .ok], "2 of 3 domains OK, 1 not checked yet"),
            ([.failing], "1 of 1 domain needs attention"),
            ([.ok, .warning, nil, .ok], "1 of 4 domains needs attention"),
            ([.failing, .warning], "2 of 2 domains need attention"),
        ]

        @Test("the headline counts the domains that need attention", arguments: headlines)
        func headline(levels: [Verdict.Level?], expected: String) async throws {
            let overview = try await overview(
                levels.enumerated().map { try state("d\($0.offset).test", $0.element) })
            #expect(overview.headline == expected)
        }

        static let comparisons: [(Comparison, String)] = [
            (Comparison(state: .inSync, bytesEqual: true), "in sync"),
            (Comparison(state: .inSync, bytesEqual: false), "in sync in meaning; the bytes differ"),
            (Comparison(state: .stale, lagSeconds: 93600), "stale, 26 h behind"),
            (Comparison(state: .propagating, lagSeconds: 300), "propagating, 5 min behind"),
            (Comparison(state: .propagating), "propagating"),
            (Comparison(state: .missing), "missing: Apple has no copy"),
        ]

        @Test("the comparison is shown in words, with the lag", arguments: comparisons)
        func comparison(comparison: Comparison, expected: String) async throws {
            let overview = try await overview([state("a.test", .ok, comparison: comparison)])
            #expect(overview.domains.first?.comparison?.summary == expected)
        }

        @Test("every state of a comparison has its own words")
        func allComparisons() async throws {
            var words: Set<String> = []
            for kind in Comparison.State.allCases {
                let overview = try await overview([state("a.test", .ok, comparison: Comparison(state: kind))])
                words.insert(try #require(overview.domains.first?.comparison?.summary))
            }
            #expect(words.count == Comparison.State.allCases.count)
        }

        @Test("after a clock correction a reader of the store sees what the daemon sees")
        func correctedClock() async throws {
            let correction: TimeInterval = 5 * 86_400
            let scratch = try ScratchStore()
            try await scratch.commit([state("a.test", .ok, open: [(.cdnStale, .firing)])])
            func age(_ wall: Date) async throws -> TimeInterval {
                let page = try await API(scratch.store, now: wall).domains(SummaryFilter(), limit: 1)
                return wall.timeIntervalSince(try #require(page.domains.first?.checkedAt))
            }
            let query = IncidentQuery(limit: 5)
            let before = try await age(noon)
            let plain = try await API(scratch.store, now: noon).incidents(query)
            // Without the daemon's note, it looks as if no check had run for days.
            let lost = try await age(noon + correction)
            try await scratch.store.note(wallAhead: correction)
            let after = try await age(noon + correction)
            #expect(before == after && before != lost)
            let page = try await API(scratch.store, now: noon + correction).incidents(query)
            #expect(page.incidents.count == plain.incidents.count)
            for (shown, stored) in zip(page.incidents, plain.incidents) {
                #expect(shown.since == stored.since + correction)
            }
        }

        @Test("the overview names the end and author of a silence of all domains, but not of some")
        func silenceOfAll() async throws {
            let scratch = try ScratchStore()
            try await scratch.commit([state("a.test", .ok)])
            func nobody() async throws -> String? {
                try await API(scratch.store, now: noon).status().silenced
            }
            for (pattern, words) in [("*.example.com", nil), ("*", "by eva covers all domains")] {
                let scope = SilenceScope(domains: [try DomainPattern(pattern)])
                _ = try await scratch.store.add(
                    Silence(
                        scope: scope, startsAt: noon - 60, endsAt: noon + 3600, author: "eva", reason: "move"))
                let said = try await nobody()
                #expect(
                    words.map { said?.contains($0) == true && said?.contains("until 2026-11-21 08:00 UTC") == true }
                        ?? (said == nil), "\(said ?? "nothing")")
            }
        }

        @Test("a domain without a verdict says so")
        func waiting() async throws {
            let row = try #require(try await overview([state("a.test", nil, checkedAt: nil)]).domains.first)
            #expect(row.verdict == nil && row.parts == [] && row.checkedAt == nil && row.comparison == nil)
        }

        @Test("incidents show kind, state and start; resolved ones are left out")
        func incidents() async throws {
            let overview = try await overview(
                [
                    state(
                        "a.test", .failing,
                        open: [
                            (.cdnDivergent, .pending), (.originBroken, .recovering), (.originUnreachable, .firing),
                            (.cdnMissing, .resolved),
                        ])
                ])
            let incidents = try #require(overview.domains.first?.incidents)
            #expect(incidents.map(\.kind) == [.cdnDivergent, .originBroken, .originUnreachable])
            #expect(incidents.map(\.state) == [.pending, .recovering, .firing])
            #expect(incidents.first?.since == noon - 26 * 3600)
        }

        @Test(
            "pending notifications are counted",
            arguments: [
                (0, "no notification is pending"), (1, "1 notification is pending"), (3, "3 notifications are pending"),
            ])
        func pending(count: Int, expected: String) async throws {
            let overview = try await overview([], pending: count)
            #expect(overview.notifications == expected + (count == 0 ? "" : " for ops, the oldest from 5 min ago"))
        }

        @Test("text from outside is made displayable and cut, even if it is one long character")
        func strangers() async throws {
            let bomb = "e" + String(repeating: "\u{0301}", count: 100_000)
            let overview = try await overview(
                [state("a.test", .ok, "turn \u{202E}around\u{1B}[31m"), state("b.test", .ok, bomb)])
            #expect(overview.domains.first?.parts[1].contains("turn \u{FFFD}around\u{FFFD}[31m") == true)
            #expect(try #require(overview.domains.last).parts.allSatisfy { $0.unicodeScalars.count <= 2000 })
        }

        @Test("an open incident shows its silence, what inhibits it, and who acknowledged it")
        func context() throws {
            let record = IncidentRecord(
                incident: Incident(
                    id: "0123456789abcdef", subject: .global(.cdn), kind: .cdnWide, severity: .error, state: .firing,
                    since: noon - 600, openedAt: noon - 600, version: 1),
                acknowledgement: Acknowledgement(by: "eva", reason: "", at: noon, version: 1))
            let context = IncidentContext(
                global: [
                    (
                        record,
                        IncidentFacts(
                            diagnosis: .monitor(
                                .cdnWide(.missing, domains: 9, of: 9), .ofMany(.missing, domains: 9)),
                            affected: AffectedDomains([try Domain("a.test")], of: 9, explaining: [.cdnStale]))
                    )
                ])
            let time = ReportTime(now: noon)
            let inhibitors = try [IncidentKind.cdnStale, .originBroken].map { kind in
                context.report(try incident("x", "a.test", kind, .firing), acknowledgement: nil, time: time).inhibitedBy
            }
            #expect(inhibitors == [.cdnWide, nil])
            let global = context.reports(time)
            #expect(global.map(\.effect) == ["Links of 9 domains open the website, not the app."])
            #expect(global.map(\.acknowledged?.by) == ["eva"])
        }

        @Test("times are those of the wall clock")
        func clocks() throws {
            let time = ReportTime(now: noon, wall: noon + 3600)
            let stale = try state("a.test", .failing, open: [(.cdnStale, .firing)])
            let incident = IncidentReport(try #require(stale.open[.cdnStale]).incident, time: time)
            let report = DomainReport(stale.domain, labels: [:], state: stale, incidents: [incident], time: time)
            #expect(report.checkedAt == noon + 3600 - 60)
            #expect(report.incidents.map(\.since) == [noon + 3600 - 26 * 3600])
        }
    }
}
