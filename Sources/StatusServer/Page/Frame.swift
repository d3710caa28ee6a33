// What all views share: the head, the navigation, the monitor's own health, the foot.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct Frame: Sendable {
    var version: String
    var time: ReportTime
    var health: [HealthItem] = []
    var openIncidents = 0
    var refreshSeconds = 30
    /// Whether the page has stopped refreshing itself.
    var isPaused = false
    /// The same view with and without refresh.
    var pauseAddress = "?pause=1"
    var role = Role.writer
    var needsLogin = false
    /// Why a form of the page was refused; nil if none was.
    var refusal: Refusal?
    /// The link of a message that led here, if it works.
    var link: AcknowledgeLink?
    /// When the last check ended, if the daemon no longer checks.
    var stalledSince: Date?

    /// Whether it leaves out everything about the monitor itself.
    var isPublic: Bool { role == .visitor }
    /// Whether the page shows forms that change something.
    var canWrite: Bool { role == .writer }
    /// Whether the daemon still checks.
    var isChecked: Bool { stalledSince == nil }

    /// What was typed into a form, and what is wrong with it.
    struct Refusal: Equatable, Sendable {
        var words: String
        let by: String
        let reason: String
        let target: String
        let length: String
        let kind: String
        let incidents: [String]
        let link: String

        init(_ words: String, _ form: FormBody) {
            self.words = words.onOneLine(upTo: 500)
            by = form["by"].onOneLine(upTo: 200)
            reason = form["reason"].onOneLine(upTo: 1000)
            target = form["target"].onOneLine(upTo: 500)
            length = form["for"]
            kind = form["kind"]
            incidents = form.all("incident")
            link = form["link"]
        }
    }

    struct HealthItem: Equatable, Sendable {
        let name: String
        let text: String
        let mark: String
        let tone: String
    }
}

// MARK: - The page

extension Frame {
    /// `tone`: of the icon, which shows the state in a pinned tab. `json`: the address of the same data for programs.
    func page(_ title: String, _ tone: Tone, of section: PageEndpoint?, json: String, _ main: HTML) -> HTML {
        """
        \(head(title, tone))
        <body>
        \(Self.marks)\
        \(top(section))
        \(ownHealth)
        <main id="main">
        \(main)
        </main>
        \(foot(json))
        </body>
        </html>

        """
    }

    func head(_ title: String, _ tone: Tone) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\("Not checked – ", if: !isChecked)\(title) – aasa-monitor</title>
        <link rel="icon" type="image/svg+xml" href="/assets/icon-\((isChecked ? tone : .fail).rawValue).svg">
        <link rel="stylesheet" href="/assets/page.css?\(Assets.version)">
        \(refresh, if: !isPaused)\
        <script src="/assets/page.js?\(Assets.version)" defer></script>
        </head>
        """
    }

    /// The symbols of states, and the patterns of charts.
    static let marks = HTML(unescaped: PackageResources.marks_svg)

    static let brand: HTML = """
        <a class="brand" href="/" aria-label="aasa-monitor"><svg class="logo" aria-hidden="true">\
        <use href="#m-logo"/></svg><span>aasa-monitor</span></a>
        """

    private var refresh: HTML {
        """
        <noscript><meta http-equiv="refresh" content="\(refreshSeconds)"></noscript>

        """
    }

    private func top(_ section: PageEndpoint?) -> HTML {
        """
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
        \(Self.brand)
        <nav aria-label="Views" id="views" data-live>\(tab("Domains", "/", isCurrent: section == .overview))\
        \(ownTabs(section), if: !isPublic)</nav>
        <p class="clock" id="refresh" data-live><span id="clock">\(Self.clock(time))</span>\
        <span class="pace"><span class="dot"> · </span>\(pace)\
        \(#" · <a href="/login">\#(isPublic ? "Log in" : "Log out")</a>"#, if: needsLogin)</span></p>
        </header>
        """
    }

    private func tab(_ text: HTML, _ path: String, isCurrent: Bool) -> HTML {
        #"<a href="\#(path)"\#(#" aria-current="page""#, if: isCurrent)>\#(text)</a>"#
    }

    private func ownTabs(_ section: PageEndpoint?) -> HTML {
        let open: HTML = #" <span class="count">\#(openIncidents.grouped)<span class="unseen"> open</span></span>"#
        let incidents: HTML = "Incidents\(open, if: openIncidents > 0)"
        return """
             \(tab(incidents, "/incidents", isCurrent: section == .incidents)) \
            \(tab("Silences", "/silences", isCurrent: section == .silences))
            """
    }

    private var pace: HTML {
        if isPaused { return #"paused · <a href="\#(pauseAddress)">Refresh</a>"# }
        return """
            <span class="wide">refreshes every \(refreshSeconds) s · </span><a href="\(pauseAddress)">Pause</a>
            """
    }

    /// A narrow page shows only the items that are not fine, and the number of the others.
    private var ownHealth: HTML {
        let (troubles, fine) = (health.filter { $0.tone != "ok" }, health.filter { $0.tone == "ok" })
        let items = (troubles + fine).map { item -> HTML in
            """
            <li class="\(item.tone)">\(HTML.mark(item.mark)) <strong>\(item.name)</strong> \
            <span>\(item.text)</span></li>
            """
        }
        let more = troubles.isEmpty ? "all \(fine.count) fine" : "\(fine.count) more fine"
        return """
            <aside class="health" id="health" data-live aria-label="The monitor’s own health">
            \(stalled)<ul>\(items)\(#"<li class="more">\#(more)</li>"#, if: !fine.isEmpty)</ul>
            </aside>
            """
    }

    private var stalled: HTML? {
        stalledSince.map { last in
            """
            <p class="notice">\(HTML.mark("m-at-risk")) No check has ended since \(HTML.time(time.shown(last), time)). \
            This page shows the state at that time. The daemon’s log says why.</p>

            """
        }
    }

    private func foot(_ json: String) -> HTML {
        """
        <footer>
        <p><span>aasa-monitor \(version.displayable)</span> \
        <span>As of <span id="rendered">\(Self.rendered(time))</span> UTC. All times are UTC.</span> \
        <a href="\(json)">JSON</a>\(#" <a href="/metrics">Metrics</a>"#, if: !isPublic) \
        <a href="https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links" \
        rel="noreferrer">Apple TN3155</a></p>
        </footer>
        """
    }

    /// `14:32:07 UTC`.
    static func clock(_ time: ReportTime) -> String { time.wall.rfc3339.dropFirst(11).dropLast() + " UTC" }

    /// `2026-11-22 14:32:07`.
    static func rendered(_ time: ReportTime) -> String {
        String(time.wall.rfc3339.dropLast()).replacing("T", with: " ")
    }
}

// MARK: - Forms

extension Frame {
    /// Why a form of the page was refused.
    var notice: HTML? {
        refusal.map { refusal in
            """
            <p class="notice" role="alert">\(HTML.mark("m-at-risk")) <bdi>\(refusal.words.atStart)</bdi></p>

            """
        }
    }

    /// Who changes something, and why. With a link from a message the name is optional: the link identifies the channel.
    func author(needsReason: Bool) -> HTML {
        """
        \(link.map { HTML.hidden("link", $0.text) })\
        <label>Your name <input type="text" name="by" value="\(refusal?.by ?? "")"\(" required", if: link == nil) \
        maxlength="100" autocomplete="name"></label> <label>Reason <input type="text" name="reason" value="\(refusal?.reason ?? "")"\
        \(" required", if: needsReason) maxlength="300"></label>
        """
    }

    private static let lengths: [(value: String, text: String)] = [
        ("1h", "1 hour"), ("2h", "2 hours"), ("8h", "8 hours"), ("24h", "24 hours"), ("3d", "3 days"),
        ("7d", "7 days"),
    ]

    /// The fields of every form for a silence.
    var silencing: HTML {
        let chosen = Self.lengths.first { $0.value == refusal?.length }?.value ?? "2h"
        return """
            <label>For <select name="for">\
            \(Self.lengths.map { HTML.option($0.value, $0.text, isChosen: $0.value == chosen) })\
            </select></label> \(author(needsReason: true)) <button type="submit">Silence</button>
            """
    }
}

/// The state of one domain as its row, its page and its badge show it.
struct DomainFace: Equatable, Sendable {
    let word: String
    let mark: String
    let tone: Tone

    /// `isChecked`: whether the daemon still checks; if not, no domain is shown as fine.
    init(_ record: SummaryRecord, isChecked: Bool) {
        let level = record.summary?.level
        let status = isChecked ? record.status : record.status.unchecked(level)
        word = status.word(record.summary?.comparison)
        mark = status.mark
        tone = status.tone(isChecked ? level : level?.unchecked)
    }
}

/// The colour of a state. A word always says the same.
enum Tone: String, Sendable {
    case fail, warn, prog, ok, soft
}

extension DomainStatus {
    var tone: Tone {
        switch self {
        case .missing, .expectationFailed, .stale, .divergent, .unconfirmed, .originFailing: .fail
        case .atRisk: .warn
        case .propagating: .prog
        case .unknown, .waiting: .soft
        case .direct, .inSync: .ok
        }
    }

    /// The same of one domain: the status says what phones do, the level how bad it is.
    fileprivate func tone(_ level: Verdict.Level?) -> Tone {
        switch level {
        case .failing: .fail
        case .warning: .warn
        case .ok: self == .propagating ? .prog : .ok
        case .unknown, nil: .soft
        }
    }

    /// The symbol in `marks.svg`.
    var mark: String { "m-\(rawValue)" }
}
