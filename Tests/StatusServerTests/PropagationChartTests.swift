import Evidence
import Foundation
import Monitoring
import Report
import Testing

@testable import StatusServer
@testable import Storage

extension StatusServerSuite {
    @Suite("Propagation chart")
    struct PropagationChartTests {
        @Test(
            "a new store's chart begins with its first check, and its axis labels do not overlap",
            arguments: [(600, 612), (7200, 7344), (40_000, 40_800), (864_000, 86_400)] as [(Double, Double)])
        func young(age: TimeInterval, window: TimeInterval) {
            let results = [PropagationRecord.VersionInterval(at: noon - age, served: .version(1))]
            let scope = ChartScope(
                record: PropagationRecord(places: [.origin: results]), edges: [], changedAt: nil, usual: nil,
                staleAfter: 86_400, window: nil, time: ReportTime(now: noon))
            #expect(abs(noon.timeIntervalSince(scope.start) - window) < 1)
            let places = scope.ticks.compactMap { Double($0.x.dropLast()) } + [scope.x(noon)]
            #expect(zip(places, places.dropFirst()).allSatisfy { $1 - $0 > 9 }, "\(places)")
        }

        /// The differences are not whole seconds: a rounding error would show the day before at midnight.
        @Test(
            "ticks and days show the wall clock's date, whatever the difference between the clocks",
            arguments: [0.4, 7200.4, -0.6, -90.3])
        func clocksApart(ahead: TimeInterval) throws {
            let time = ReportTime(now: noon - ahead, wall: noon)
            let record = PropagationRecord(
                places: [.origin: [PropagationRecord.VersionInterval(at: time.now - 5 * Self.day, served: .version(1))]]
            )
            func ticks(_ window: TimeInterval) -> [String] {
                ChartScope(
                    record: record, edges: [], changedAt: nil, usual: nil, staleAfter: Self.day, window: window,
                    time: time
                ).ticks.map(\.text)
            }
            #expect(ticks(5 * Self.day) == ["17 Nov", "18 Nov", "19 Nov", "20 Nov"])
            #expect(ticks(Self.day).allSatisfy { $0.hasSuffix(":00") }, "\(ticks(Self.day))")
            let bar = try #require(HistoryBar(DomainPast(firstSeen: time.now - Self.day), time: time))
            #expect(bar.from == "24 Aug" && bar.days.last?.title.hasPrefix("21 Nov") == true)
        }

        private static let day = 86_400.0

        @Test("each of the last 90 days has a mark: the worst incident, none, or not monitored")
        func history() throws {
            #expect(HistoryBar(DomainPast(), time: ReportTime(now: noon)) == nil)
            func past(_ daysAgo: Double, _ long: Double, _ severity: Severity, ends: Bool = true) throws -> Incident {
                var incident = try incident("0\(daysAgo)", "a.test", .cdnStale, .resolved)
                (incident.since, incident.firedAt) = (noon - daysAgo * Self.day, noon - daysAgo * Self.day)
                incident.resolvedAt = ends ? noon - (daysAgo - long) * Self.day : nil
                incident.severity = severity
                return incident
            }
            let bar = try #require(
                HistoryBar(
                    DomainPast(
                        firstSeen: noon - 30.5 * Self.day,
                        incidents: [
                            try past(20, 2, .warning), try past(19.9, 0.1, .error),
                            try past(0.1, 0, .error, ends: false),
                        ], pauses: [(noon - 12 * Self.day)...(noon - 9 * Self.day)]), time: ReportTime(now: noon)))
            let tones = bar.days.map(\.tone)
            #expect(bar.days.count == 90 && bar.days.first?.x == "0%")
            #expect(tones.prefix(58).allSatisfy { $0 == "none" } && tones[58] == "ok")
            // 20 days ago: a warning and an error. The next two days: the warning. Today: an error.
            #expect(tones[69...71] == ["fail", "warn", "warn"] && tones[72] == "ok" && tones[89] == "fail")
            // Two days lie completely within the pause.
            #expect(tones[77...80] == ["ok", "none", "none", "ok"])
            #expect(bar.days[69].title == "1 Nov: cdn.stale" && bar.days[78].title == "10 Nov: monitor off")
            #expect(bar.text == "Incidents on 4 of 30 days" && bar.from == "24 Aug")
        }

        @Test("nothing is drawn while a domain is not watched, and its return is not a deployment")
        func notWatched() throws {
            let day = 86400.0
            let content = ContentHash(of: "v1".utf8)
            let stretches = [
                PropagationRecord.VersionInterval(at: noon - 10 * day, served: .version(1)),
                PropagationRecord.VersionInterval(at: noon - 8 * day, served: .notWatched),
                PropagationRecord.VersionInterval(at: noon - 2 * day, served: .version(1)),
            ]
            let scope = ChartScope(
                record: PropagationRecord(
                    versions: [1: PropagationRecord.Version(number: 1, content: content, meaning: content)],
                    places: [.origin: stretches, .edge("198.51.100.1"): stretches]),
                edges: [("198.51.100.1", "e1")], changedAt: nil, usual: nil, staleAfter: day, window: 10 * day,
                time: ReportTime(now: noon))
            let lanes = LaneBuilder(scope).lanes
            #expect(lanes.map(\.status) == ["v1 for 48 h", "v1"])
            for lane in lanes {
                #expect(lane.segments.map(\.x) == ["0%", "80%"])
                #expect(lane.segments.map(\.width) == ["20%", "20%"])
                #expect(lane.mutes.isEmpty && lane.lags.isEmpty)
            }
            #expect(scope.changeMarks.isEmpty)
            #expect(LaneBuilder(scope).rows.map(\.serves) == ["v1", "not watched", "v1", "v1", "not watched", "v1"])
        }
    }
}
