// Silences and maintenance windows: the active ones, the coming ones, and a form for a new silence.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import Report
import Storage

extension Pages {
    static let silencesPath = "/silences"

    func silences(_ request: Request) async -> Response {
        let isPaused = refusal != nil || request.uri.queryParameters["pause"] != nil
        return await context.answer(request) { time in
            let frame = try await context.frame(
                time, role, refusal, counts: try await context.store.statusCounts(), isPaused: isPaused,
                pauseAddress: Self.silencesPath + (isPaused ? "" : "?pause=1"))
            let all = Silences(
                silences: try await context.store.silences(notOverAt: time.wall), windows: try await api.windows())
            return SilencesView(all: all, watched: context.watched.index, frame: frame).html
        }
    }
}

struct SilencesView: Sendable {
    let all: Silences
    let watched: WatchIndex
    let frame: Frame

    var html: HTML {
        let (time, now) = (frame.time, frame.time.wall)
        let active = all.silences.count { $0.isActive(at: now) } + all.windows.count { $0.end(at: now) != nil }
        let until = all.everything(at: now).map(time.clock)
        let headline =
            until.map { "Nobody is notified until \($0)" }
            ?? (active == 0 ? "Nothing is silenced" : active.of("active silence"))
        let note =
            until == nil
            ? "Silences and maintenance windows stop messages, not checks."
            : "A silence or maintenance window covers all domains. Checks go on."
        let silences = all.silences.sorted { ($0.endsAt, $0.id) < ($1.endsAt, $1.id) }
        return frame.page(
            headline, until == nil ? .soft : .warn, of: .silences, json: "/api/v1/silences",
            """
            <div class="lead" id="lead" data-live><div><h1>\(headline)</h1><p class="soft">\(note)</p></div></div>
            \(form, if: frame.canWrite)
            <section id="list" data-live>\(HTML.heading("Silences"))
            \(Self.table("Silences", Self.silenceColumns, silences.map(row)))
            </section>
            <section id="windows" data-live>\(HTML.heading("Maintenance windows", "from monitor.yaml"))
            \(Self.table("Maintenance windows", Self.windowColumns, all.windows.map(row)))
            </section>
            """)
    }

    private var form: HTML {
        let kinds = IncidentKind.allCases.map {
            HTML.option($0.rawValue, $0.rawValue, isChosen: $0.rawValue == frame.refusal?.kind)
        }
        let note = "a domain, *.example.com, a label (team=growth), or all"
        return """
            <section id="silence">\(HTML.heading("New silence", note))
            \(frame.notice)\
            <form class="write" method="post" action="/silences"><label>What <input type="text" name="target" \
            value="\(frame.refusal?.target ?? "")" required maxlength="500" placeholder="links.example.com" \
            autocomplete="off" spellcheck="false"></label> \
            <label>Kind <select name="kind"><option value="">Any kind</option>\(kinds)</select></label> \
            \(frame.silencing)</form></section>
            """
    }

    private static let silenceColumns: [HTML] = [
        "What", "Matches", "When", "By", "Reason", #"<span class="unseen">End</span>"#,
    ]
    private static let windowColumns: [HTML] = ["Name", "What", "Matches", "When", "Time zone", "Reason"]

    private static func table(_ name: String, _ columns: [HTML], _ rows: [HTML]) -> HTML {
        guard !rows.isEmpty else { return #"<p class="soft">No \#(name.lowercased()).</p>"# }
        return """
            <table role="table" class="list plain" aria-label="\(name)">\(HTML.columnHeads(columns))\
            <tbody role="rowgroup">\(rows)</tbody></table>
            """
    }

    private func matches(_ scope: SilenceScope) -> String {
        let count = watched.count(of: scope)
        return count == 0 ? "no watched domain" : count.of("domain")
    }

    /// An active one is bold.
    private func when(_ text: HTML, isActive: Bool) -> HTML { isActive ? "<strong>\(text)</strong>" : text }

    private func row(_ silence: Silence) -> HTML {
        let report = SilenceReport(silence, now: frame.time.wall)
        let scope = report.shownScope
        let end: HTML = """
            <form method="post" action="/silences/\(silence.id)/end">\(HTML.hidden("back", Pages.silencesPath))\
            <button type="submit" aria-label="End the silence of \(scope)">End</button></form>
            """
        return """
            <tr role="row" id="s-\(silence.id)"><th role="rowheader" scope="row"><bdi>\(scope)</bdi></th>\
            <td role="cell">\(matches(silence.scope))</td>\
            <td role="cell">\(when(report.until(frame.time), isActive: silence.isActive(at: frame.time.wall)))</td>\
            <td role="cell"><bdi>\(report.shownAuthor)</bdi></td>\
            <td role="cell" class="text"><bdi>\(report.shownReason)</bdi></td>\
            <td role="cell">\(end, if: frame.canWrite)</td></tr>

            """
    }

    private func row(_ window: MaintenanceWindow) -> HTML {
        let time = frame.time
        // In the window's own time zone, which has a column. The page's own clock is UTC.
        func shown(_ instant: Date) -> HTML {
            let ahead = Double(window.zone.secondsFromGMT(for: instant))
            return ahead == 0
                ? HTML.time(instant, time) : "\(time.clock(instant + ahead)) (\(HTML.time(instant, time)) UTC)"
        }
        let end = window.end(at: time.wall).map { "active until \(shown($0))" as HTML }
        let next = window.nextStart(after: time.wall).map { "next \(shown($0))" as HTML }
        let times: HTML = "\(window.schedule); \(end ?? next ?? "never")"
        return """
            <tr role="row"><th role="rowheader" scope="row"><bdi>\(window.name.onOneLine(upTo: 100))</bdi></th>\
            <td role="cell"><bdi>\("\(window.scope)".onOneLine(upTo: 200))</bdi></td>\
            <td role="cell">\(matches(window.scope))</td>\
            <td role="cell">\(when(times, isActive: end != nil))</td>\
            <td role="cell">\(window.zoneName)</td>\
            <td role="cell" class="text"><bdi>\(window.reason.onOneLine(upTo: 300))</bdi></td></tr>

            """
    }
}

extension SilenceReport {
    var shownScope: String { scope.onOneLine(upTo: 200) }
    var shownAuthor: String { author.onOneLine(upTo: 100) }
    var shownReason: String { reason.onOneLine(upTo: 300) }

    /// `until 14:00`, or `from 12:00 until 14:00`.
    func until(_ time: ReportTime) -> HTML {
        "\("from \(HTML.time(startsAt, time)) ", if: startsAt > time.wall)until \(HTML.time(endsAt, time))"
    }
}
