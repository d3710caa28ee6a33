// What a domain's page says about its past, and the findings of the last check.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

extension DomainView {
    // MARK: - History

    /// The most past incidents shown.
    static let mostEarlier = 20

    /// The last 90 days and past propagation times. Visitors see no incidents; others see each open one with its messages,
    /// and one line for each past one.
    var history: HTML {
        let bar = HistoryBar(past, time: frame.time)
        return """
            <section id="days" data-live>\(HTML.heading("Last 90 days", bar?.text))
            \(bar?.html ?? #"<p class="soft">No checks recorded yet.</p>"#)</section>
            \(pastTimes)
            \(incidentList, if: !frame.isPublic)
            """
    }

    private var incidentList: HTML {
        let earlier = incidents.filter { $0.state == .resolved }.prefix(Self.mostEarlier)
        let link: HTML =
            #" <a class="aside" href="/incidents?q=\#(watched.domain.name)&amp;days=90">All incidents of this domain</a>"#
        let table = HTML.table(
            ["Earlier", "Began", "Lasted", "Ended with", "Notified"], earlier.map(row), kind: "plain earlier")
        return """
            <section id="incidents" data-live>\(HTML.heading("Incidents", nil, link))
            \(open.map(story))
            \(table, if: !earlier.isEmpty)
            \(#"<p class="soft">No incidents.</p>"#, if: incidents.isEmpty)
            </section>
            """
    }

    private func story(_ incident: IncidentReport) -> HTML {
        let none: HTML = #"<p class="fine inset">No messages sent.</p>"#
        return """
            <article class="story"><header><p>\(named(incident)) \(facts(incident))</p></header>
            \(IncidentView.messages(deliveries[incident.id] ?? [], frame.time) ?? none)</article>
            """
    }

    private func row(_ incident: IncidentReport) -> HTML {
        let time = frame.time
        let notified = (incident.notified ?? []).map { $0.onOneLine(upTo: 40) }.listed(upTo: 3)
        let reason = incident.endInWords ?? ""
        let was = (incident.cause ?? incident.effect)?.firstSentence.shortened(to: 110)
        return """
            <tr role="row"><th role="rowheader" scope="row">\
            <a href="/incidents/\(incident.id)">\(incident.kind.rawValue)</a></th>\
            <td role="cell">\(HTML.time(incident.since, time))</td>\
            <td role="cell">\(Span.words(incident.lasted(at: time.wall)))</td>\
            <td role="cell" class="text">\(reason)\(was.map { "; was: <bdi>\($0.onOneLine(upTo: 110))</bdi>" })</td>\
            <td role="cell" class="text"><bdi>\(notified.isEmpty ? "nobody" : notified)</bdi></td></tr>

            """
    }

    // MARK: - Findings

    var findings: HTML {
        let (found, ignored) = (state?.verdict?.findings ?? [], state?.verdict?.ignored ?? [])
        let wall = frame.time.wall
        let rows =
            found.enumerated().map { Self.finding($0.element.text(at: wall), $0.offset) }
            + ignored.enumerated().map { Self.finding($0.element.text(at: wall), found.count + $0.offset) }
        let none: HTML = #"<p class="soft">The last check found nothing.</p>"#
        return """
            <section id="findings" data-live>\(HTML.heading("Findings"))
            \(Self.findingTable(rows), if: !rows.isEmpty)
            \(none, if: state?.verdict != nil && rows.isEmpty)
            </section>
            """
    }

    static func findingTable(_ rows: [HTML]) -> HTML {
        HTML.table(["Rule", "Seen", "What to do"], rows, kind: "plain findings")
    }

    static func finding(_ text: FindingText, _ index: Int) -> HTML {
        let (mark, tone) =
            switch text.severity {
            case .error: (DomainStatus.missing.mark, "fail")
            case .warning: (DomainStatus.atRisk.mark, "warn")
            case .note: (DomainStatus.unknown.mark, "soft")
            }
        return finding(text, index, text.severity.rawValue, mark, tone, fix: text.fix.onOneLine(upTo: 1000))
    }

    private static func finding(_ ignored: IgnoredFindingText, _ index: Int) -> HTML {
        finding(
            ignored.text, index, "ignored", DomainStatus.unknown.mark, "soft",
            fix: "Nothing. Ignored: \(ignored.why)".onOneLine(upTo: 600))
    }

    private static func finding(
        _ text: FindingText, _ index: Int, _ severity: String, _ mark: String, _ tone: String, fix: String
    ) -> HTML {
        let facts = text.evidence.sorted { $0.key < $1.key }.map { key, value -> HTML in
            """
            <div><dt><bdi>\(key.onOneLine(upTo: 100))</bdi></dt>\
            <dd class="code"><bdi>\(value.onOneLine(upTo: 2000))</bdi></dd></div>
            """
        }
        let evidence: HTML = """
            <details id="f-\(index)"><summary>Evidence</summary><dl class="facts">\(facts)</dl></details>
            """
        return """
            <tr role="row"><th role="rowheader" scope="row">\
            \(HTML.mark(mark, tone)) <b class="\(tone)">\(severity)</b> \
            <a href="\(text.reference)" rel="noreferrer">\(text.rule.rawValue.onOneLine(upTo: 100))</a></th>\
            <td role="cell" class="text seen"><bdi>\(text.message.onOneLine(upTo: 1000))</bdi>\
            \(evidence, if: !facts.isEmpty)</td>\
            <td role="cell" class="text"><bdi>\(fix)</bdi></td></tr>

            """
    }
}
