// The list of incidents: first the open ones that nobody acknowledged, then the other open ones, then the resolved ones.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct IncidentsView: Sendable {
    let query: IncidentsQuery
    let frame: Frame
    var open: [IncidentReport]
    var pending: [IncidentReport]
    var resolved: [IncidentReport]
    /// Without the filter.
    var all: IncidentCounts
    /// With it.
    var counts: IncidentCounts
    var hasMore = false

    private var headline: String {
        let (count, unacknowledged) = (all.open, all.unacknowledged)
        return count == 0
            ? "No incident is open"
            : "\(count.of("incident")) \(count == 1 ? "is" : "are") open"
                + (unacknowledged == 0
                    ? ", all acknowledged"
                    : unacknowledged == count && count == 1
                        ? ", not acknowledged" : ", \(unacknowledged.grouped) not acknowledged")
    }

    private var note: String {
        let pending = all.pending
        return (pending == 0 ? "" : "\(pending.grouped) more \(pending == 1 ? "is" : "are") pending. ")
            + "\(all.resolved.grouped) ended in the last \(query.days == 1 ? "24 h" : "\(query.days) days")."
    }

    /// Whether there are several incidents to acknowledge, and the reader may do it.
    private var canAcknowledge: Bool {
        frame.canWrite && [open, pending, resolved].contains { $0.count(where: \.isUnacknowledged) > 1 }
    }

    // MARK: - Markup

    var html: HTML {
        let tone: Tone = all.open == 0 ? .ok : all.unacknowledged > 0 ? .fail : .warn
        return frame.page(
            headline, tone, of: .incidents, json: "/api/v1/incidents",
            """
            \(frame.notice)\
            <div class="lead" id="lead" data-live><div><h1>\(headline)</h1><p class="soft">\(note)</p></div></div>
            \(filter)
            \(Self.legend)
            \(form, if: canAcknowledge)\
            <div id="rows" data-live>
            \(sections)\
            \(nothing, if: open.isEmpty && pending.isEmpty && resolved.isEmpty)
            </div>
            <p class="pager">\(older)<a href="/api/v1/incidents">JSON</a></p>
            """)
    }

    private var filter: HTML {
        let kinds = IncidentKind.allCases.map { HTML.option($0.rawValue, $0.rawValue, isChosen: $0 == query.kind) }
        let windows = IncidentsQuery.windows.map { days in
            let link = HTML.choice(
                days == 1 ? "24 h" : "\(days) days", query.with { $0.days = days }.address,
                isChosen: days == query.days)
            return "<li>\(link)</li>" as HTML
        }
        return """
            <form class="filter" method="get" action="/incidents" role="search">
            <input type="search" name="q" value="\(query.search)" placeholder="Search domains" \
            aria-label="Search domains" autocomplete="off" maxlength="253">
            <select name="kind" aria-label="Kind"><option value="">Any kind</option>\(kinds)</select>
            \(HTML.hidden("days", "\(query.days)"))
            <button type="submit">Filter</button>\(clear.map { #" <a href="\#($0)">Clear</a>"# })
            <ul class="switch">\(windows)</ul>
            </form>
            """
    }

    private var clear: String? {
        query.search.isEmpty && query.kind == nil ? nil : query.with { ($0.search, $0.kind) = ("", nil) }.address
    }

    private static let legend: HTML = {
        func key(_ text: HTML, tone: HTML = "", _ bars: HTML) -> HTML {
            """
            <li\(tone)><svg class="swatch" width="22" height="10" aria-hidden="true">\(bars)</svg> \
            <span class="soft">\(text)</span></li>
            """
        }
        let solid: HTML = #"<rect class="bar solid" width="22" height="10"/>"#
        let parted: HTML = """
            <rect class="bar resolved" width="9" height="10"/>\
            <rect class="bar resolved" x="11" width="11" height="10"/>
            """
        return """
            <ul class="legend">\
            \(key("pending, not notified", #"<rect class="bar outline" x="1" y="1" width="20" height="8"/>"#))\
            \(key("firing, error", tone: #" class="fail""#, solid))\
            \(key("firing, warning", tone: #" class="warn""#, solid))\
            \(key("resolved", #"<rect class="bar resolved" width="22" height="10"/>"#))\
            \(key("acknowledged", parted))</ul>
            """
    }()

    /// The checkboxes of the rows belong to this form.
    private var form: HTML {
        """
        <form id="several" class="write" method="post" action="/incidents/ack">\(HTML.hidden("back", query.address))\
        <span class="soft">Acknowledge the selected incidents:</span> \
        \(frame.author(needsReason: false)) <button type="submit">Acknowledge</button></form>

        """
    }

    private var nothing: HTML {
        #"<p class="nothing">No incidents.\#(clear.map { #" <a href="\#($0)">Show all</a>"# })</p>"#
    }

    private var older: HTML? {
        guard hasMore else { return nil }
        return #"<a href="\#(query.with { $0.page = query.page + 1 }.address)" rel="next">Older incidents</a> "#
    }

    private var sections: [HTML] {
        let scope = BarScope(start: frame.time.wall - Double(query.days) * 86400, time: frame.time)
        let ticks = scope.ticks
        func first(_ shown: Int, _ count: Int) -> String? {
            shown < count ? "the first \(shown.grouped) are shown; search finds the others" : nil
        }
        func section(_ title: String, _ count: Int, _ note: String?, _ incidents: [IncidentReport]) -> HTML? {
            guard !incidents.isEmpty else { return nil }
            let axis = ticks.map { #"<text x="\#($0.x)" y="11" text-anchor="middle">\#($0.text)</text>"# as HTML }
            return """
                <h2 class="group">\(title) <span class="soft">\(count.grouped)\(note.map { " · \($0)" })</span></h2>
                <table role="table" class="list incidents" aria-label="\(title) incidents">
                <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Domain, kind</th>\
                <th role="columnheader" scope="col" class="axis-head"><span class="unseen">When</span>\
                <svg width="100%" height="14" aria-hidden="true">\(axis)\
                <text class="strong" x="100%" y="11" text-anchor="end">now</text></svg></th>\
                <th role="columnheader" scope="col">Duration</th>\
                <th role="columnheader" scope="col">State, messages</th></tr></thead>
                <tbody role="rowgroup">\(incidents.map { row($0, scope, ticks) })</tbody></table>

                """
        }
        let days = query.days == 1 ? "in 24 h" : "in \(query.days) days"
        let confirmed = "nobody is notified until this is confirmed"
        return [
            section("Open", counts.open, first(open.count, counts.open), open),
            section("Pending", counts.pending, first(pending.count, counts.pending) ?? confirmed, pending),
            section("Resolved", counts.resolved, days, resolved),
        ].compactMap(\.self)
    }

    // MARK: - A row

    private func row(_ incident: IncidentReport, _ scope: BarScope, _ ticks: [PropagationChart.Tick]) -> HTML {
        let time = frame.time
        let (mark, tone) = incident.face
        let since = time.clock(incident.since)
        let long = Span.words(incident.lasted(at: time.wall))
        let name: HTML = "<b>\(incident.name)</b>"
        let subject = incident.domain.map { #"<a href="/domains/\#($0)">\#(name)</a>"# as HTML } ?? name
        let summary = (incident.cause ?? incident.effect)?.firstSentence.shortened(to: 140)
        let grid = ticks.map { #"<line class="grid" x1="\#($0.x)" x2="\#($0.x)" y1="0" y2="22"/>"# as HTML }
        return """
            <tr role="row" id="i-\(incident.id)" class="\(tone)">\
            <th role="rowheader" scope="row">\(HTML.mark(mark, tone)) \(subject)\
            <p class="fine"><a href="/incidents/\(incident.id)" class="\(tone)">\(incident.kind.rawValue)</a>\
            \(summary.map { " · <bdi>\($0)</bdi>" })</p></th>\
            <td role="cell"><svg class="time" role="img" \
            aria-label="\(incident.state.rawValue), \(long) from \(since)" width="100%" height="22">\
            \(grid)\(scope.bars(incident))<line class="now-line" x1="100%" x2="100%" y1="0" y2="22"/></svg></td>\
            <td role="cell"><b>\(long)</b> \
            <span class="fine">\("since ", if: incident.state != .resolved)\(HTML.time(incident.since, time))</span></td>\
            <td role="cell">\(incident.isUnacknowledged ? unacknowledged(incident) : state(incident))\
            \(notes(incident).map { #"<p class="fine"><bdi>\#($0)</bdi></p>"# })</td></tr>

            """
    }

    private func unacknowledged(_ incident: IncidentReport) -> HTML {
        let isChosen = frame.refusal?.incidents.contains(incident.id) ?? false
        let box: HTML = """
            <input type="checkbox" form="several" name="incident" value="\(incident.id)" \
            aria-label="Acknowledge \(incident.kind.rawValue) of \(incident.shownSubject)"\(" checked", if: isChosen)>
            """
        return """
            \("\(box) ", if: canAcknowledge)<strong class="fail">Not acknowledged</strong> · \
            <a href="/incidents/\(incident.id)#acknowledge">Acknowledge</a>
            """
    }

    private func state(_ incident: IncidentReport) -> HTML {
        switch incident.state {
        case .pending: return "Pending"
        case .resolved: return "\(incident.endInWords ?? "resolved")"
        case .firing, .recovering:
            guard let acknowledged = incident.acknowledged else {
                return incident.state == .recovering ? "Recovering" : "Firing"
            }
            return """
                Acknowledged by <bdi>\(acknowledged.by.onOneLine(upTo: 60))</bdi>, \
                \(HTML.time(acknowledged.at, frame.time))
                """
        }
    }

    private func notes(_ incident: IncidentReport) -> [String] {
        var notes = incident.marks(at: frame.time.wall)
        if incident.state != .pending { notes.append(incident.notifiedInWords(upTo: 4) ?? "no message sent") }
        return notes + ["incident \(incident.shortID)"]
    }
}

/// The time that the bars show.
struct BarScope: Sendable {
    let start: Date
    let time: ReportTime

    func x(_ date: Date) -> Double {
        min(100, max(0, date.timeIntervalSince(start) / max(1, time.wall.timeIntervalSince(start)) * 100))
    }

    var ticks: [PropagationChart.Tick] {
        ChartScope(
            record: .empty, edges: [], changedAt: nil, usual: nil, staleAfter: 0,
            window: time.wall.timeIntervalSince(start), time: time
        ).ticks
    }

    /// The stretches of an incident: `outline` before it fired, `solid` after, `resolved`; `notch` where it was
    /// acknowledged.
    func bars(_ incident: IncidentReport) -> [HTML] {
        let end = incident.resolvedAt ?? time.wall
        let fired = incident.firedAt ?? end
        var parts: [(Date, Date, String)] = []
        if fired > incident.since { parts.append((incident.since, fired, "outline")) }
        let kind = incident.state == .resolved ? "resolved" : "solid"
        if let acknowledgedAt = incident.acknowledged?.at, acknowledgedAt > fired, acknowledgedAt < end {
            parts += [(fired, acknowledgedAt, kind), (acknowledgedAt, end, kind + " notch")]
        } else if incident.firedAt != nil {
            parts.append((fired, end, kind))
        }
        return parts.compactMap { from, to, kind in
            guard to > start else { return nil }
            let left = x(from)
            // Wide enough to be seen even if it is shorter than a pixel.
            let (at, width) = (String.percent(min(left, 99.4)), String.percent(max(0.6, x(to) - left)))
            return #"<rect class="bar \#(kind)" x="\#(at)" y="6" width="\#(width)" height="10"/>"#
        }
    }
}
