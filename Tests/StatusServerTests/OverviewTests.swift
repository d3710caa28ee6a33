import Evidence
import Foundation
import Monitoring
@testable import StatusServer
import Storage
import Testing

extension StatusServerSuite {
    @Suite("Overview")
    struct OverviewTests {
        @Test("trouble comes first: firing, failing, warning, unchecked, then what is fine, each by name")
        func order() async throws {
            let overview = try await overview(
                [
                    state("a.test", .ok), state("b.test", .warning), state("c.test", nil), state("d.test", .failing),
                    state("e.test", .failing, open: [(.originBroken, .firing)]), state("f.test", .ok),
                    state("g.test", .ok, open: [(.cdnStale, .firing)]),
                ])
            #expect(
                overview.rows.map(\.name) == ["e.test", "g.test", "d.test", "b.test", "c.test", "a.test", "f.test"])
            #expect(overview.rows.map(\.needsAttention) == [true, true, true, true, false, false, false])
            #expect(overview.headline == "4 of 7 domains need attention")
            // What fires is calm nowhere, whatever the last check saw.
            #expect(overview.rows.map(\.level) == [.failing, .failing, .failing, .warning, .unchecked, .ok, .ok])
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

        @Test("the headline counts", arguments: headlines)
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

        @Test("the comparison is told in words, with the lag", arguments: comparisons)
        func comparison(comparison: Comparison, expected: String) async throws {
            let overview = try await overview([state("a.test", .ok, comparison: comparison)])
            #expect(overview.rows.first?.comparison == expected)
        }

        @Test("every state of a comparison has words of its own")
        func allComparisons() async throws {
            var words: Set<String> = []
            for kind in Comparison.State.allCases {
                let overview = try await overview([state("a.test", .ok, comparison: Comparison(state: kind))])
                words.insert(try #require(overview.rows.first?.comparison))
            }
            #expect(words.count == Comparison.State.allCases.count)
        }

        @Test("who reads the store after the wall clock was corrected sees what the daemon sees")
        func correctedClock() async throws {
            let correction: TimeInterval = 5 * 86_400
            let scratch = try ScratchStore()
            try await scratch.commit([state("a.test", .ok, open: [(.cdnStale, .firing)])])
            func reading(_ wall: Date) async throws -> StatusReading {
                try await StatusReading(scratch.store, domains: [], withDocuments: false, now: wall)
            }
            let before = try await reading(noon)
            // Without the daemon's word it is as if nobody had checked for days.
            let lost = try await reading(noon + correction)
            try await scratch.store.note(wallAhead: correction)
            let after = try await reading(noon + correction)
            let checked = try [before, lost, after].map { try #require($0.overview.rows.first?.checked) }
            #expect(checked[0] == checked[2] && checked[0] != checked[1], "\(checked)")
            let query = IncidentQuery(limit: 5)
            let page = try await IncidentPage(scratch.store, query, now: noon + correction)
            let plain = try await IncidentPage(scratch.store, query, time: PageTime(now: noon))
            #expect(page.incidents.count == plain.incidents.count)
            for (shown, stored) in zip(page.incidents, plain.incidents) {
                #expect(shown.since == stored.since + correction)
            }
        }

        @Test("a silence of everything is said, with its end and whose it is; one of a few domains is not")
        func silenceOfAll() async throws {
            let scratch = try ScratchStore()
            try await scratch.commit([state("a.test", .ok)])
            func nobody() async throws -> String? {
                try await StatusReading(scratch.store, domains: [], withDocuments: false, now: noon).overview.nobody
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
        func unchecked() async throws {
            let row = try #require(try await overview([state("a.test", nil, checkedAt: nil)]).rows.first)
            #expect(row.level == .unchecked && row.verdict == "not checked yet")
            #expect(row.checked == nil && row.comparison == nil)
        }

        @Test("incidents are told with kind, state and start, the confirmed ones first, resolved ones not at all")
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
            let incidents = try #require(overview.rows.first?.incidents)
            #expect(incidents.map(\.kind) == ["origin.unreachable", "origin.broken", "cdn.divergent"])
            #expect(incidents.map(\.state) == ["firing", "recovering", "pending"])
            #expect(incidents.first?.since == "26 h ago")
        }

        static let ages: [(Double, String)] = [
            (-5, "just now"), (0, "just now"), (45, "1 min ago"), (959, "15 min ago"), (7500, "2 h 5 min ago"),
        ]

        @Test("how long ago a check was is told as on the pages", arguments: ages)
        func age(seconds: Double, age: String) async throws {
            let overview = try await overview([state("a.test", .ok, checkedAt: noon - seconds)])
            #expect(overview.rows.first?.checked == age)
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

        @Test("a text of a stranger is made displayable and cut, however few characters it has")
        func strangers() async throws {
            let bomb = "e" + String(repeating: "\u{0301}", count: 100_000)
            let overview = try await overview(
                [state("a.test", .ok, "turn \u{202E}around\u{1B}[31m"), state("b.test", .ok, bomb)])
            #expect(overview.rows.first?.diagnosis[1].contains("turn \u{FFFD}around\u{FFFD}[31m") == true)
            #expect(try #require(overview.rows.last).diagnosis.allSatisfy { $0.unicodeScalars.count <= 600 })
        }

        @Test("an open incident shows what silences and inhibits it, and who acknowledged it")
        func context() throws {
            let stale = try state("a.test", .failing, open: [(.cdnStale, .firing), (.originBroken, .firing)])
            let record = IncidentRecord(
                incident: Incident(
                    id: "0123456789abcdef", subject: .global(.cdn), kind: .cdnWide, severity: .error, state: .firing,
                    since: noon - 600, openedAt: noon - 600, version: 1),
                acknowledgement: Acknowledgement(by: "eva", reason: "", at: noon, version: 1))
            let overview = Overview(
                [stale], pending: [],
                context: IncidentContext(
                    acknowledgements: ["a.test-originBroken": Acknowledgement(by: "mia", reason: "", at: noon)],
                    global: [
                        (
                            record,
                            IncidentFacts(
                                diagnosis: .monitor(
                                    .cdnWide(.missing, domains: 9, of: 9), .ofMany(.missing, domains: 9)),
                                affected: AffectedDomains([try Domain("a.test")], of: 9, explaining: [.cdnStale]))
                        )
                    ]),
                time: PageTime(now: noon))
            let incidents = try #require(overview.rows.first?.incidents)
            #expect(incidents.map(\.kind) == ["cdn.stale", "origin.broken"])
            #expect(incidents.map(\.inhibitedBy) == ["cdn.wide", nil])
            #expect(incidents.map(\.acknowledgedBy) == [nil, "mia"])
            #expect(overview.global.map(\.diagnosis.first) == ["Links of 9 domains open the website, not the app."])
            #expect(overview.global.map(\.acknowledgedBy) == ["eva"])
        }

        @Test("instants are shown as clocks show them, ages are those of the steady clock")
        func clocks() throws {
            let stale = try state("a.test", .failing, open: [(.cdnStale, .firing)])
            let overview = Overview(
                [stale], pending: [], time: PageTime(now: noon, wall: noon + 3600))
            #expect(overview.rows.first?.checked == "1 min ago")
            #expect(overview.rows.first?.incidents.map(\.since) == ["26 h ago"])
        }
    }
}
