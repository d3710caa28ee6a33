import Evidence
import Foundation
import Report
import Testing

@testable import Monitoring
@testable import StatusServer
@testable import Storage

extension StatusServerSuite {
    @Suite("Time line of a domain")
    struct TimeLineTests {
        private static let hour = 3600.0

        /// A copy that has been behind for this long.
        private func record(behind lag: TimeInterval, past: [Int]) throws -> SummaryRecord {
            let comparison = Comparison(
                state: lag < 86_400 ? .propagating : .stale, bytesEqual: false, changedAt: noon - lag,
                lagSeconds: Int(lag))
            var state = try state("a.test", .failing, comparison: comparison, open: [(.cdnStale, .firing)])
            state.propagations = past.map { Propagation(changedAt: noon, seconds: $0) }
            var record = SummaryRecord(unchecked: state.domain)
            record.summary = DomainSummary(state)
            record.version = 6
            return record
        }

        private func made(
            _ record: SummaryRecord, incidents: [IncidentReport] = [], alerted: Date? = nil, ahead: TimeInterval = 0,
            limit: TimeInterval = 86_400
        ) -> TimeLine? {
            TimeLine(
                record, DomainFace(record, isChecked: true), incidents: incidents, alerted: alerted, staleAfter: limit,
                ReportTime(now: noon, wall: noon + ahead))
        }

        private static let usual = [4, 5, 6, 7, 8].map { $0 * 3600 }

        @Test(
            "a change has a limit, and an expected end if earlier changes give one",
            arguments: [
                (2, [], ["v6 deployed", "Now: 2 h", "Limit of 24 h"], "No estimate: no earlier change"),
                (2, [7200], ["v6 deployed", "Now: 2 h", "Limit of 24 h"], "No estimate: only 1 earlier change"),
                (2, usual, ["v6 deployed", "Now: 2 h", "Expected", "Limit of 24 h"], nil),
                (7, usual, ["v6 deployed", "Now: 7 h", "9 of 10 changes arrive by", "Limit of 24 h"], nil),
                (9, usual, ["v6 deployed", "Now: 9 h", "Limit of 24 h"], "No estimate: longer than all 5 changes"),
                (
                    32, usual + usual + [180_000], ["v6 deployed", "Limit of 24 h", "Now: 32 h"],
                    "No estimate: longer than 10 of 11 changes"
                ),
            ] as [(Double, [Int], [String], String?)])
        func change(hours: Double, past: [Int], titles: [String], openEnd: String?) throws {
            let line = try #require(made(try record(behind: hours * Self.hour, past: past)))
            #expect(line.points.map(\.title) == titles)
            #expect(line.openEnd == openEnd)
            #expect(line.points.filter(\.isNow).map(\.at) == [noon])
        }

        @Test("times are those of the wall clock, and the line is red from the configured limit on")
        func limit() throws {
            let line = try #require(
                made(
                    try record(behind: 8 * Self.hour, past: []), alerted: noon + 1000, ahead: 7200, limit: 6 * Self.hour
                ))
            #expect(line.points.map(\.title) == ["v6 deployed", "Limit of 6 h", "Alert sent", "Now: 8 h"])
            #expect(line.points.map(\.tone) == [.prog, .fail, .fail, nil])
            #expect(line.points[0].at == noon - 8 * Self.hour + 7200)
        }

        @Test("other trouble shows when it began, was seen and was notified, and the next known event")
        func trouble() throws {
            var state = try state("a.test", .failing, open: [(.originBroken, .firing)])
            state.verdict?.comparison = Comparison(state: .missing)
            state.verdict?.diagnosis.outlook = .asksAgain(noon + 1800)
            var record = SummaryRecord(unchecked: state.domain)
            record.summary = DomainSummary(state)
            record = SummaryRecord(domain: state.domain, status: .missing, since: noon - 7200, summary: record.summary)
            var firing = try incident("0123456789abcdef", "a.test", .originBroken, .firing)
            (firing.since, firing.openedAt) = (noon - 7200, noon - 3600)
            let report = IncidentReport(firing, time: ReportTime(now: noon))
            let line = try #require(made(record, incidents: [report], alerted: noon - 3000))
            #expect(
                line.points.map(\.title) == ["Wrong since", "First seen", "Alert sent", "Now: 2 h", "Apple asks again"])
            #expect(line.openEnd == nil)
        }

        @Test("a domain that is well or was not checked has no time line")
        func calm() throws {
            var record = SummaryRecord(unchecked: try Domain("a.test"))
            #expect(made(record) == nil)
            record.summary = DomainSummary(try state("a.test", .ok))
            #expect(made(SummaryRecord(domain: record.domain, status: .inSync, summary: record.summary)) == nil)
        }

        @Test("a step includes the sentence that explains it")
        func steps() {
            let text =
                "Renew it now. Apple's crawler refuses an expired certificate. Then wait. Nothing needs to be done."
            #expect(
                text.steps == [
                    "Renew it now. Apple's crawler refuses an expired certificate.", "Then wait.",
                    "Nothing needs to be done.",
                ])
        }
    }
}
