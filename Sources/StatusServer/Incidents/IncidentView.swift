// One incident: what it is about, what was sent, and what can be done about it.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct IncidentView: Sendable {
    let incident: IncidentDetail
    let frame: Frame

    private var path: String { "/incidents/\(incident.id)" }
    private var json: String { "/api/v1/incidents/\(incident.id)" }
    private var mayWrite: Bool { frame.canWrite && incident.isOpen }

    var html: HTML {
        let tone: Tone = incident.state == .resolved ? .ok : incident.severity == .error ? .fail : .warn
        return frame.page(
            "\(incident.base.shownSubject): \(incident.kind.rawValue)", tone, of: .incidents, json: json,
            """
            \(frame.notice)\
            \(verdict)
            \(acknowledging, if: mayWrite)
            \(mayWrite ? incident.domain.map(silencing) : nil)
            <section id="messages" data-live>\(HTML.heading("Messages"))
            \(Self.messages(incident.deliveries, frame.time) ?? #"<p class="soft">No messages sent.</p>"#)
            </section>
            \(changes)
            \(findings, if: !incident.findings.isEmpty)
            \(domains, if: !incident.domains.isEmpty)
            """)
    }

    private var verdict: HTML {
        let kind = incident.kind.rawValue
        let (mark, tone) = incident.base.face
        let parts = incident.base.story.compactMap { name, text in
            text.map { HTML.fact(name, $0.onOneLine(upTo: 600)) }
        }
        let crumb = incident.domain.map { #" / <a href="/domains/\#($0)">\#(incident.base.name)</a>"# as HTML }
        let shell: HTML = """
            <div><dt>In a shell</dt>\
            <dd><bdi class="code" data-copy>aasa-monitor ack \(incident.shortID)</bdi></dd></div>
            """
        let canAcknowledge = mayWrite && incident.acknowledged == nil
        return """
            <div id="verdict" data-live>
            <p class="crumbs"><a href="/incidents">Incidents</a>\(crumb)</p>
            <div class="title"><h1>\(incident.base.name)</h1> \
            <p class="badge \(tone)">\(HTML.mark(mark)) \(kind)</p>\
            \(#"<p><strong class="fail">not acknowledged</strong></p>"#, if: incident.isUnacknowledged)</div>
            <div class="pair first"><section><h2 class="unseen">Diagnosis</h2>\
            <dl class="facts wide-facts">\(parts)</dl></section>
            <section><h2 class="unseen">Facts</h2><dl class="facts">\(facts)\
            <div><dt>Identifier</dt><dd><bdi class="code" data-copy>\(incident.id)</bdi></dd></div>\
            \(shell, if: canAcknowledge)</dl></section></div>
            </div>
            """
    }

    private var facts: [HTML] {
        let time = frame.time
        func instant(_ name: String, _ date: Date?) -> HTML? { date.map { HTML.fact(name, HTML.time($0, time)) } }
        func text(_ name: String, _ text: String?) -> HTML? { text.map { HTML.fact(name, $0) } }
        return [
            HTML.fact("State", incident.base.stateInWords(time)), instant("Trouble since", incident.since),
            instant("First seen", incident.openedAt), instant("Confirmed", incident.firedAt),
            instant("Resolved", incident.resolvedAt), text("Lasted", Span.words(incident.base.lasted(at: time.wall))),
            text("Severity", incident.severity.rawValue),
            incident.base.acknowledgedInWords(time).map { HTML.fact("Acknowledged", $0) },
            text("Notifications", incident.base.marksInWords(time)),
            text(
                "Flapping",
                incident.isFlapping ? "it begins and ends often; notifications pause until it is stable" : nil),
            text("Ended with", incident.base.endInWords),
        ].compactMap(\.self)
    }

    private var acknowledging: HTML {
        guard let acknowledged = incident.base.acknowledgedInWords(frame.time) else {
            let via = frame.link.map { "via \($0.channel): " } ?? ""
            let note = "\(via)no reminders, no escalation, until it becomes worse or comes back"
            return """
                <section id="acknowledge">\(HTML.heading("Acknowledge", note))
                <form class="write" method="post" action="\(path)/ack">\(frame.author(needsReason: false)) \
                <button type="submit">Acknowledge</button></form></section>
                """
        }
        return """
            <section id="acknowledge"><div class="heading"><h2>Acknowledged</h2> \
            <span class="soft">\(acknowledged)</span></div>
            <form class="write" method="post" action="\(path)/unack">\
            <button type="submit">End the acknowledgement</button></form></section>
            """
    }

    private func silencing(_ domain: String) -> HTML {
        """
        <section id="silence">\(HTML.heading("Silence", "no messages about this domain for a while"))
        <form class="write" method="post" action="/domains/\(domain)/silence">\(HTML.hidden("back", path))\
        \(frame.silencing)</form></section>
        """
    }

    /// What Apple's copy did not have yet, at the last update of the incident.
    private var changes: HTML? {
        incident.domain.flatMap { domain in
            incident.comparison.flatMap {
                ChangeList($0, query: DomainQuery(), path: "/domains/\(domain)", reader: nil)
            }
        }
        .map { changes in
            """
            <section id="changes" data-live>\(HTML.heading("What changed", changes.note))
            \(changes.html)</section>
            """
        }
    }

    private var findings: HTML {
        let link: HTML = #" <a class="aside" href="\#(json)">JSON</a>"#
        let rows = incident.findings.enumerated().map { DomainView.finding($0.element, $0.offset) }
        return """
            <section id="findings" data-live>\(HTML.heading("Findings", "at the last update", link))
            \(DomainView.findingTable(rows))</section>
            """
    }

    private var domains: HTML {
        let names = incident.domains.map { name -> HTML in
            "<li>\((try? Domain(name)).map(HTML.link) ?? "\(name)")</li>"
        }
        return #"<section>\#(HTML.heading("Domains"))<ul class="names">\#(names)</ul></section>"#
    }

    // MARK: - Messages

    /// nil: there is none.
    static func messages(_ deliveries: [DeliveryReport], _ time: ReportTime) -> HTML? {
        guard !deliveries.isEmpty else { return nil }
        return HTML.table(
            ["Time", "Message", "Channel", "Result", "Attempts"], deliveries.reversed().map { row($0, time) })
    }

    private static func row(_ delivery: DeliveryReport, _ time: ReportTime) -> HTML {
        let answer = delivery.status.map { " (\($0))" } ?? ""
        let result =
            delivery.outcome.replacing("_", with: " ") + answer
            + (delivery.error.map { ": \($0.onOneLine(upTo: 200))" } ?? "")
        return """
            <tr role="row"><td role="cell">\(HTML.time(delivery.at, time))</td>\
            <th role="rowheader" scope="row">\(delivery.reason.uppercased().replacing("_", with: " "))</th>\
            <td role="cell"><bdi>\(delivery.channel.onOneLine(upTo: 60))</bdi></td>\
            <td role="cell" class="\(delivery.outcome == "delivered" ? "ink" : "fail")"><bdi>\(result)</bdi></td>\
            <td role="cell" data-title="attempts">\(delivery.attempts)</td></tr>

            """
    }
}

extension IncidentReport {
    /// The diagnosis under its headings: the present state; for a resolved incident, the state then and now.
    fileprivate var story: [(String, String?)] {
        guard state == .resolved else {
            return [("What phones do", effect), ("Why", cause), ("What to do", action), ("Until when", outlook)]
        }
        return [
            ("At that time", effect), ("Why", cause), ("What phones do now", ended?.effect),
            ("Still wrong", ended?.cause), ("What to do", ended?.action),
        ]
    }

    /// What it is about; a domain in Unicode.
    var name: HTML { domain.flatMap { try? Domain($0) }.map(HTML.name) ?? "\(subject)" }

    /// The same as text.
    var shownSubject: String { domain.flatMap { try? Domain($0) }?.unicodeName.displayable ?? subject }

    func stateInWords(_ time: ReportTime) -> HTML {
        switch state {
        case .pending: "pending, not notified yet"
        case .resolved:
            "resolved \(resolvedAt.map { HTML.time($0, time) })\(endInWords.map { " (\($0))" as HTML })"
        default: "\(state.rawValue) since \(HTML.time(firedAt ?? openedAt, time))"
        }
    }

    func acknowledgedInWords(_ time: ReportTime) -> HTML? {
        acknowledged.map {
            """
            acknowledged by <bdi>\($0.by.onOneLine(upTo: 100))</bdi> at \(HTML.time($0.at, time))\
            \(": <bdi>“\($0.reason.onOneLine(upTo: 300))”</bdi>", if: !$0.reason.isEmpty)
            """
        }
    }

    func marksInWords(_ time: ReportTime) -> String? {
        let marks = marks(at: time.wall)
        return marks.isEmpty ? nil : marks.joined(separator: " · ")
    }

    /// The symbol and colour of its kind.
    var face: (mark: String, tone: String) {
        let status: DomainStatus =
            switch kind {
            case .cdnMissing: .missing
            case .cdnStale: state == .pending ? .propagating : .stale
            case .cdnDivergent: .divergent
            case .expectationFailed, .fileBroken: .expectationFailed
            case .originBroken, .originUnreachable, .originInconsistent: .originFailing
            case .certificateExpiring, .cdnWide, .monitorDegraded: .atRisk
            case .change: .propagating
            }
        if state == .resolved { return ("m-check", "soft") }
        if state == .pending { return (status.mark, "prog") }
        return (status.mark, severity == .error ? "fail" : "warn")
    }
}
