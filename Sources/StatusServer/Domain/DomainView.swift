// One domain: its name and verdict, and the part of the page that the address names.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

/// The data of the page, read at one moment, and its markup.
struct DomainView: Sendable {
    let query: DomainQuery
    let watched: WatchedDomain
    let frame: Frame
    let cdnBaseURL: String
    var record: SummaryRecord
    var state: DomainState?
    var full: Observation?
    var propagation: PropagationRecord
    var incidents: [IncidentReport] = []
    /// By incident.
    var deliveries: [String: [DeliveryReport]] = [:]
    var silences: [SilenceReport] = []
    var isChecking = false
    var past = DomainPast.empty

    var path: String { "/domains/\(watched.domain.name)" }
    var face: DomainFace { DomainFace(record, isChecked: frame.isChecked) }
    var staleAfter: TimeInterval { watched.checks.staleAfter.inSeconds }
    private var verdict: Verdict? { state?.verdict }
    private var comparison: ComparisonReport? {
        verdict.map { ComparisonReport($0.comparison, at: frame.time.now, time: frame.time) }
    }

    // MARK: - The page

    var html: HTML {
        let scope = scope
        let reader = full.map { PlaceReader($0, scope) }
        return frame.page(
            "\(watched.domain.unicodeName): \(face.word)", face.tone, of: .overview, json: "/api/v1\(path)",
            """
            \(frame.notice)\
            <div id="verdict" data-live>
            \(heading)
            \(box)
            \(timeLine?.html(frame.time))
            </div>
            \(tabs)
            \(part(scope, reader))
            """)
    }

    private func part(_ scope: ChartScope, _ reader: PlaceReader?) -> HTML {
        switch query.tab {
        case .now: now(scope, reader)
        case .changes: changes(reader)
        case .edges: places(reader)
        case .history: history
        case .findings: findings
        case .evidence: evidence
        }
    }

    /// Shown on the overview if this is the only domain.
    var summary: HTML {
        let took = record.summary?.propagations.last.map { "Took \(Span.words(TimeInterval($0))) last time; Apple" }
        let cdn: HTML = """
            <div><dt>Apple’s CDN</dt><dd>\(took ?? "Apple") says up to 24 h. \
            An incident opens if it takes longer than \(Span.words(staleAfter)).</dd></div>
            """
        return """
            <div id="single" data-live>
            \(timeLine?.html(frame.time))
            \(PropagationChart(scope, query: query, path: path)?.html)
            </div>
            <section id="next" data-live><div class="heading"><h2>When you deploy the next change</h2> \
            <a class="aside" href="\(path)">Full details</a></div>
            <dl class="facts">\(cdn, if: watched.mode.readsCDN)\(phones)</dl>
            </section>
            """
    }

    private var scope: ChartScope {
        let names = (full?.full?.edges ?? []).map { (address: $0.address, name: $0.shortName ?? "") }
        let known = propagation.places.keys.compactMap { place -> (address: String, name: String)? in
            if case .edge(let address) = place { (address: address, name: "") } else { nil }
        }
        return ChartScope(
            record: propagation, edges: names.isEmpty ? known.sorted { $0.address < $1.address } : names,
            changedAt: record.summary?.changedAt, usual: UsualPropagation(record.summary?.propagations ?? []),
            staleAfter: staleAfter, window: query.window, time: frame.time)
    }

    // MARK: - Above the parts

    private var heading: HTML {
        let labels = watched.labels.sorted { $0.key < $1.key }.map { key, value -> HTML in
            var query = FrontQuery()
            query.label = "\(key)=\(value)"
            return #" / <a href="\#(query.address)"><bdi>\#("\(key)=\(value)".onOneLine(upTo: 80))</bdi></a>"#
        }
        let (name, shown) = (watched.domain.name, watched.domain.unicodeName)
        let time = frame.time
        let isDirect = record.status == .direct && frame.isChecked
        let full = state?.lastFullAt.map { ", all addresses and edges \(time.age($0))" } ?? ""
        return """
            <p class="crumbs"><a href="/">Domains</a>\(labels)</p>
            <div class="title"><h1><bdi>\(shown)</bdi></h1>\
            \(#" <span class="code soft">\#(name)</span>"#, if: shown != name) \
            <p class="badge \(face.tone.rawValue)">\(HTML.mark(face.mark)) \
            \(isDirect ? watched.modeWord + " mode" : face.word)</p> \
            <p class="soft" id="checked">\(record.lastCheckedAt.map { "Checked \(time.age($0))\(full)" } ?? "Never checked")</p></div>
            """
    }

    private var timeLine: TimeLine? {
        TimeLine(record, face, incidents: open, alerted: alertedAt, staleAfter: staleAfter, frame.time)
    }

    private var tabs: HTML {
        let items = DomainTab.allCases.map { tab -> HTML in
            let count: Int? =
                switch tab {
                case .changes: comparison.flatMap { $0.state.isOfTwoFiles ? $0.changesTotal : nil }
                case .findings: verdict?.findings.count
                case .now, .edges, .history, .evidence: nil
                }
            let number = count.flatMap { $0 > 0 ? " (\($0.grouped))" : nil } ?? ""
            return """
                <li><a href="\(query.with { $0.tab = tab }.address(path))"\
                \(#" aria-current="page""#, if: tab == query.tab)>\(tab.title + number)</a></li>
                """
        }
        return #"<nav class="tabs" id="tabs" data-live aria-label="Parts of this page"><ul>\#(items)</ul></nav>"#
    }

    // MARK: - Now

    /// A refresh replaces parts by their ids, so the id of a part must not change with its content.
    private func now(_ scope: ChartScope, _ reader: PlaceReader?) -> HTML {
        let changes = changeList(reader)?.behaviour(upTo: 6)
        let following: HTML = """
            <section id="following">\(HTML.heading("When phones get the change"))
            <dl class="facts">\(phones)</dl></section>
            """
        return """
            <div id="chart" data-live>
            \(PropagationChart(scope, query: query, path: path)?.html)
            </div>
            <div class="two">
            <div id="effects" data-live>
            \(changes.map { #"<section id="users">\#(HTML.heading("What changes for users"))\#($0)</section>"# } ?? following)
            </div>
            \(trying(reader))
            </div>
            """
    }

    /// When each kind of phone follows a change.
    private var phones: [HTML] {
        let rows: [(HTML, HTML)] =
            watched.mode.readsCDN
            ? [
                ("New install, update", "Immediately, with whatever the nearest edge serves."),
                ("Installed app", "Within a week of its edge getting the file."),
                ("iOS before 14", "Reads the origin."),
            ] : [("New install", "Reads the origin when the app is installed.")]
        return rows.map { "<div><dt>\($0)</dt><dd>\($1)</dd></div>" }
    }

    private func trying(_ reader: PlaceReader?) -> HTML {
        let tried =
            query.url.isEmpty
            ? nil
            : TriedURL(
                query.url, domain: watched.domain, mode: watched.mode, sources: reader?.sources ?? [],
                linksWork: verdict?.diagnosis.effect.linksWork ?? false)
        return """
            <section id="try">\(HTML.heading("Try a URL", "which app opens it"))
            <form class="try" method="get" action="\(path)#try">\
            <input type="text" name="url" value="\(query.url.onOneLine(upTo: 2000))" \
            placeholder="/path" aria-label="URL" autocomplete="off" spellcheck="false" maxlength="2000">\
            \(query.window.map { HTML.hidden("window", "\(Int($0))") })\
            \(HTML.hidden("pause", "1"), if: query.isPaused) <button type="submit">Try</button></form>
            \(tried?.html)
            </section>
            """
    }

    // MARK: - What changes

    private func changeList(_ reader: PlaceReader?) -> ChangeList? {
        comparison.flatMap { comparison in
            comparison.state.isOfTwoFiles
                ? ChangeList(comparison, query: query, path: path, reader: reader) : nil
        }
    }

    private func changes(_ reader: PlaceReader?) -> HTML {
        let list = changeList(reader)
        let none =
            comparison?.state.isOfTwoFiles == true
            ? "The origin’s file and Apple’s copy mean the same." : "Nothing to compare: there are not two files."
        return """
            <section id="changes" data-live>\(HTML.heading("What changes", list?.note))
            \(list?.html ?? #"<p class="soft">\#(none)</p>"#)
            </section>
            <section id="following" data-live>\(HTML.heading("When phones get a change"))
            <dl class="facts">\(phones)</dl></section>
            """
    }

    // MARK: - Edges and origin

    private func places(_ reader: PlaceReader?) -> HTML {
        let isWeb = cdnBaseURL.hasPrefix("https://") || cdnBaseURL.hasPrefix("http://")
        let copy = cdnBaseURL + (cdnBaseURL.hasSuffix("/") ? "" : "/") + watched.domain.name
        func link(_ text: HTML, _ address: String) -> HTML {
            #"<a class="button" href="\#(address)" rel="noreferrer">\#(text)</a>"#
        }
        return """
            <div id="places" data-live>
            <div class="two">
            \(reader?.edges)
            \(reader?.origin)
            </div>
            \(#"<p class="soft">No full check yet.</p>"#, if: reader == nil)
            <p class="links">\(link("Origin’s file", watched.domain.wellKnownURL)) \
            \(link("Apple’s copy", copy), if: isWeb && watched.mode.readsCDN)</p>
            </div>
            """
    }

    // MARK: - Evidence

    private var evidence: HTML {
        let parts = (full.map(EvidencePart.all) ?? []).map { part -> HTML in
            """
            <details id="\(part.id)"><summary><b><bdi>\(part.title)</bdi></b> <span class="soft">\(part.note)</span>\
            </summary><pre tabindex="0"><code><bdi>\(part.text)</bdi></code></pre></details>

            """
        }
        let age = full.map { "of the last full check, \(frame.time.age($0.checkedAt))" }
        let json: HTML = #" <a class="aside" href="/api/v1\#(path)">JSON</a>"#
        return """
            <section id="evidence" data-live>\(HTML.heading("Evidence", age, json))
            \(parts)\(#"<p class="soft">No full check yet.</p>"#, if: parts.isEmpty)
            </section>
            \(stepsHaveReport ? nil : reportForApple.map(Self.reportToApple))
            """
    }

    private static func reportToApple(_ text: String) -> HTML {
        """
        <section id="report"><div class="heading"><h2>Report for Apple</h2> <span class="soft">to paste into \
        <a href="https://feedbackassistant.apple.com" rel="noreferrer">Feedback Assistant</a></span></div>
        <pre tabindex="0"><code data-copy>\(text)</code></pre></section>
        """
    }
}

extension Comparison.State {
    /// Whether both places have a file.
    fileprivate var isOfTwoFiles: Bool {
        switch self {
        case .inSync, .propagating, .stale, .divergent, .mixed: true
        case .missing, .originUnavailable, .cdnUnavailable, .notCompared: false
        }
    }
}
