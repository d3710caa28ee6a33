// What `status` prints, from values in memory.

import Evidence
import Foundation
import Monitoring
import Report
import StatusServer
import Storage
import TestSupport
import Testing

@testable import Commands
@testable import FileCommands

extension CommandsTests {
    @Suite struct StatusTextTests {
        private static let noon = Date(timeIntervalSince1970: 1_795_244_400)
        private static let style = TextStyle(isColoured: false, breaksDiagnosis: false)

        private static func state(_ name: String, _ level: Verdict.Level, _ words: String) throws -> DomainState {
            var state = DomainState(domain: try Domain(name))
            state.lastCheckedAt = noon - 60
            state.verdict = Verdict(
                level: level, diagnosis: .saying(words), comparison: Comparison(state: .missing), findings: [])
            guard level == .failing else { return state }
            var incident = Incident(
                id: "id-of-\(name)", subject: .domain(try Domain(name)), kind: .cdnMissing, severity: .error,
                state: .firing, since: noon - 7200, openedAt: noon - 7200, version: 1)
            incident.firedAt = noon - 7200
            state.open[.cdnMissing] = TrackedIncident(incident: incident)
            return state
        }

        private static func overview(
            _ states: [DomainState], life: MonitorLife = .checking, notReady: String? = nil, channels: Int? = nil
        ) -> Overview {
            let time = ReportTime(now: noon)
            let status = MonitorStatus(
                life, incidents: [], pending: [], channels: channels, silenced: nil, time: time)
            return Overview(
                notReady.map(status.notReady) ?? status,
                states.map { state in
                    DomainReport(
                        state.domain, labels: [:], state: state,
                        incidents: state.open.values.map { IncidentReport($0.incident, time: time) }, time: time)
                }, wall: noon)
        }

        private static func text(
            _ states: [DomainState], life: MonitorLife = .checking, notReady: String? = nil, isShort: Bool = false
        ) -> [String] {
            let overview = overview(states, life: life, notReady: notReady)
            let text = StatusText(
                overview, isShort: isShort, style: style, now: noon
            ).text
            return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }

        @Test(
            "only a daemon that reports zero channels gets the warning that nobody is notified",
            arguments: [
                (0, "no channel is configured, so nobody is notified"), (1, "no notification is pending"),
                (nil, "no notification is pending"),
            ] as [(Int?, String)])
        func channels(_ count: Int?, _ words: String) throws {
            let overview = Self.overview([try Self.state("a.test", .ok, "")], channels: count)
            #expect(StatusText(overview, style: Self.style, now: Self.noon).text.hasSuffix("\n" + words))
        }

        @Test("domains with one cause share a paragraph, with one line for each domain and its incident")
        func oneCause() throws {
            let states = try (0..<20).map { try Self.state("s\($0).test", .failing, "No copy for \($0) hours.") }
            let lines = Self.text(states + [try Self.state("other.test", .failing, "Another cause.")])
            #expect(lines.filter { $0.contains("No copy for") }.count == 1, "\(lines)")
            #expect(lines.filter { $0.hasPrefix("20 domains  FAILING  Like s0.test: ") }.count == 1)
            for number in 0..<20 {
                #expect(
                    lines.filter { $0.hasPrefix("    s\(number).test ") && $0.contains("incident id-of-s\(number).") }
                        .count == 1)
            }
            #expect(lines.filter { $0.hasPrefix("other.test  FAILING  ") }.count == 1)
        }

        @Test("of very many domains with one cause, the first are listed and the rest counted")
        func very() throws {
            let lines = Self.text(try (0..<50).map { try Self.state("s\($0).test", .failing, "No copy.") })
            #expect(lines.contains("    and 30 more; --short lists all"), "\(lines)")
            let short = Self.text(
                try (0..<50).map { try Self.state("s\($0).test", .failing, "No copy.") }, isShort: true)
            #expect(short.count == 51)
        }

        @Test("the short form has one line per domain, without the diagnosis")
        func short() throws {
            let lines = Self.text(
                [try Self.state("a.test", .failing, "No copy."), try Self.state("good.test", .ok, "All well.")],
                isShort: true)
            #expect(
                lines == [
                    "1 of 2 domains needs attention",
                    "a.test     FAILING  At risk · cdn.missing firing id-of-a.test · checked 1 min ago",
                    "good.test  OK       Up to date · checked 1 min ago",
                ])
        }

        @Test("no line is wider than the terminal, not even with a very long name", arguments: [40, 80, 120])
        func width(_ width: Int) throws {
            let long = "universal-links.loyalty.eu-central-1.production.contoso-hospitality-group.test"
            let states = try [
                Self.state("a.test", .failing, "No copy at all, for a reason that takes more than a line to tell."),
                Self.state("b.test", .warning, "A warning."), Self.state("good.test", .ok, "All well."),
                Self.state(long, .ok, "All well."),
            ]
            for isShort in [true, false] {
                let style = TextStyle(isColoured: false, width: width)
                let text = StatusText(Self.overview(states), isShort: isShort, style: style, now: Self.noon).text
                let lines = text.split(separator: "\n")
                for line in lines where !line.contains(long) { #expect(line.count <= width, "\(line)") }
                #expect(lines.count { $0.hasPrefix("✓ good.test  Up to date") } == 1, "\(text)")
            }
        }

        @Test("a missing daemon is reported first, and no domain is called OK now")
        func dead() throws {
            let well = [try Self.state("a.test", .ok, "All well."), try Self.state("b.test", .ok, "All well.")]
            let lines = Self.text(well, life: .stopped(since: Self.noon - 3 * 86_400))
            #expect(
                lines.first
                    == "No daemon runs: no checks and no alerts since 2026-11-18 07:00 UTC (3 d ago)")
            #expect(lines.contains("Last known state: All 2 domains were OK"), "\(lines)")
            #expect(!lines.contains { $0.contains("are OK") })
            let stalled = Self.text(well, life: .stalled(since: Self.noon - 3600))
            #expect(stalled.first?.hasPrefix("The daemon runs but does not check: the last check ended ") == true)
            let sick = Self.text(well, notReady: "checks start 900 s late")
            #expect(sick.first == "The daemon is not ready: checks start 900 s late")
        }

        @Test("the plugin output reports each domain, what fires, and a missing daemon")
        func plugin() throws {
            var plugin = PluginOutput()
            for row in Self.overview([
                try Self.state("a.test", .failing, "No copy."), try Self.state("b.test", .ok, "All well."),
            ]).domains { plugin.add(row, now: Self.noon) }
            #expect(plugin.status == .failing)
            #expect(
                plugin.text.hasPrefix("AASA CRITICAL - 1 of 2 domains: a.test\nCRITICAL: a.test: "), "\(plugin.text)")
            var well = PluginOutput()
            let fine = Self.overview([try Self.state("b.test", .ok, "All well.")]).domains
            for row in fine { well.add(row, now: Self.noon) }
            #expect(well.status == .ok && well.text.hasPrefix("AASA OK - b.test: "), "\(well.text)")
            well.add(.failing, "No daemon runs")
            #expect(well.status == .failing)
            #expect(well.text.hasPrefix("AASA CRITICAL - No daemon runs; b.test: "), "\(well.text)")
        }

        @Test("a pending incident says what it waits for")
        func waits() throws {
            let domain = try Domain("a.test")
            func words(_ state: Incident.State, _ notBefore: Date?) -> String? {
                IncidentReport(
                    Incident(
                        id: "x", subject: .domain(domain), kind: .cdnStale, severity: .error, state: state,
                        since: Self.noon, openedAt: Self.noon),
                    marks: IncidentReport.Marks(alertsAfter: notBefore), time: ReportTime(now: Self.noon)
                ).waitsFor(at: Self.noon)
            }
            #expect(words(.firing, Self.noon + 60) == nil)
            #expect(words(.pending, Self.noon + 3600) == "alerts after 08:00 UTC if it lasts")
            #expect(words(.pending, Self.noon + 86_400) == "alerts after 22 Nov 07:00 UTC if it lasts")
            #expect(words(.pending, Self.noon - 60) == "alerts if the next checks see it too")
            #expect(words(.pending, nil) == "alerts if the next checks see it too")
        }
    }
}
