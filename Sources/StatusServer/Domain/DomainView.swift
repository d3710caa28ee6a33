// One domain: what phones do with its links, why, what to do, and all that was seen of it.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

/// What the page is made of, read at one moment, and its markup.
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

    private var name: String { watched.domain.name }
    private var path: String { "/domains/\(name)" }
    private var face: DomainFace { DomainFace(record, isChecked: frame.isChecked) }
    var staleAfter: TimeInterval { watched.checks.staleAfter.inSeconds }
    private var lasting: TroubleDuration {
        TroubleDuration(record, staleAfter: watched.checks.staleAfter, frame.time)
    }
    private var verdict: Verdict? { state?.verdict }

    // MARK: - The page

    var html: HTML {
        let scope = scope
        let reader = full.map { PlaceReader($0, scope) }
        let report = reportForApple
        let comparesFiles = verdict?.comparison.state.isOfTwoFiles ?? false
        return frame.page(
            "\(name): \(face.word)", face.tone, of: .overview, json: "/api/v1\(path)",
            """
            \(frame.notice)\
            <div id="verdict" data-live>
            \(crumbs)
            \(title(hasReport: report != nil))
            \(diagnosis)
            \(numbers)
            \(HistoryBar(past, time: frame.time)?.html)
            </div>
            \(parts(comparesFiles: comparesFiles))
            \(PropagationChart(scope, query: query, path: path)?.html)
            <div class="pair">
            \(changes(reader), if: comparesFiles)
            <div>
            \(trying(reader))
            \(pastTimes)
            </div>
            </div>
            <div class="pair" id="places" data-live>
            \(reader?.edges)
            \(reader?.origin)
            </div>
            \(history, if: !frame.isPublic)
            \(findings)
            \(silence, if: !frame.isPublic)
            \(evidence)
            \(report.map(Self.reportToApple))
            """)
    }

    /// On the overview, where it is the only domain.
    var summary: HTML {
        let took = record.summary?.propagations.last.map { "Took \(Span.words(TimeInterval($0))) last time; Apple" }
        let cdn: HTML = """
            <div><dt>Apple’s CDN</dt><dd>\(took ?? "Apple") says up to 24 h. \
            An alert is due if it takes longer than \(Span.words(staleAfter)).</dd></div>
            """
        return """
            <div id="single" data-live>
            \(numbers)
            </div>
            \(PropagationChart(scope, query: query, path: path)?.html)
            <section id="next" data-live><div class="heading"><h2>When you deploy the next change</h2> \
            <a class="aside" href="\(path)">Everything about this domain</a></div>
            <dl class="facts">\(cdn, if: watched.mode.readsCDN)\(phones)\
            <div><dt>In a shell</dt>\
            <dd><bdi class="code" data-copy>aasa-monitor watch \(name)</bdi> waits for it.</dd></div></dl>
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

    // MARK: - The verdict

    private var crumbs: HTML {
        let labels = watched.labels.sorted { $0.key < $1.key }.map { key, value -> HTML in
            var query = FrontQuery()
            query.label = "\(key)=\(value)"
            return #" / <a href="\#(query.address)"><bdi>\#("\(key)=\(value)".onOneLine(upTo: 80))</bdi></a>"#
        }
        return #"<p class="crumbs"><a href="/">Domains</a>\#(labels)</p>"#
    }

    private func title(hasReport: Bool) -> HTML {
        let isDirect = record.status == .direct && frame.isChecked
        let lasting = lasting
        let long =
            record.status.needsAttention ? lasting.long.map { lasting.of == "left" ? "\($0) left" : "for \($0)" } : nil
        let checking: HTML = #"\#(HTML.mark("m-checking", "prog")) Checking…"#
        let write: HTML = """
            <form method="post" action="\(path)/check">\(HTML.hidden("back", query.address(path)))\
            <button id="check"\(" disabled", if: isChecking)>\(isChecking ? checking : "Check now")</button></form> \
            <a class="button" href="#silence">Silence</a>
            """
        func button(_ text: HTML, _ address: String) -> HTML {
            #"<a class="button" href="\#(address)" rel="noreferrer">\#(text)</a>"#
        }
        return """
            <div class="title"><h1>\(name)</h1> <p class="badge \(face.tone.rawValue)">\(HTML.mark(face.mark)) \
            \(isDirect ? watched.modeWord + " mode" : face.word)\(long.map { " \($0)" })</p>\
            <div class="actions">\("\(write) ", if: frame.canWrite)\
            \(button("Origin’s file", watched.domain.wellKnownURL))\
            \(copyURL.map { " \(button("Apple’s copy", $0))" })\
            \(##" <a class="button" href="#report">Report for Apple</a>"##, if: hasReport)</div></div>
            """
    }

    private var copyURL: String? {
        let isWeb = cdnBaseURL.hasPrefix("https://") || cdnBaseURL.hasPrefix("http://")
        guard isWeb, watched.mode.readsCDN else { return nil }
        return cdnBaseURL + (cdnBaseURL.hasSuffix("/") ? "" : "/") + name
    }

    private var diagnosis: HTML {
        let text = verdict?.text(at: frame.time.wall)
        let steps = text?.action?.sentences ?? []
        let list: HTML =
            switch steps.count {
            case 0: "<p>Nothing.</p>"
            case 1: "<p><bdi>\(steps[0])</bdi></p>"
            default: "<ol>\(steps.map { "<li><bdi>\($0)</bdi></li>" })</ol>"
            }
        return """
            <div class="diagnosis"><div>\
            <p class="effect"><bdi>\(text?.effect ?? "The first check has not ended yet.")</bdi></p>\
            \((text?.cause).map { "<p><b>Why.</b> <bdi>\($0)</bdi></p>" })</div>
            <div class="todo"><h2>What to do</h2>\(list)\
            \((text?.outlook).map { #"<p class="soft"><bdi>\#($0)</bdi></p>"# })</div></div>
            """
    }

    private func parts(comparesFiles: Bool) -> HTML {
        """
        <nav class="jump" aria-label="Parts"><a href="#propagation">Propagation</a> \
        \(##"<a href="#changes">What changes</a> "##, if: comparesFiles)<a href="#try">Try a URL</a> \
        <a href="#past">Past changes</a> <a href="#places">Edges and origin</a>\
        \(##" <a href="#incidents">Incidents and messages</a>"##, if: !frame.isPublic) \
        <a href="#findings">Findings</a> <a href="#evidence">Evidence</a></nav>
        """
    }

    // MARK: - What changes, and when phones follow

    private func changes(_ reader: PlaceReader?) -> HTML {
        let list = verdict.flatMap {
            ChangeList(
                ComparisonReport($0.comparison, at: frame.time.now, time: frame.time), of: name, reader: reader)
        }
        let same: HTML = #"<p class="soft">The origin’s file and Apple’s copy mean the same.</p>"#
        return """
            <section id="changes" data-live>\(HTML.heading("What changes", list?.note))
            \(list?.html ?? same)
            <h2 class="sub">When phones follow</h2>
            <dl class="facts">\(phones)</dl>
            </section>
            """
    }

    /// Who follows a change when.
    private var phones: [HTML] {
        let rows: [(HTML, HTML)] =
            watched.mode.readsCDN
            ? [
                ("New install, update", "At once, with the file of the edge that the phone asks."),
                ("Installed app", "Within a week after its edge has the file."),
                ("iOS before 14", "Reads the origin."),
            ] : [("New install", "Reads the origin when the app is installed.")]
        return rows.map { "<div><dt>\($0)</dt><dd>\($1)</dd></div>" }
    }

    // MARK: - What can be tried, and what was

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
            placeholder="https://\(name)/path" aria-label="URL" autocomplete="off" spellcheck="false" maxlength="2000">\
            \(query.window.map { HTML.hidden("window", "\(Int($0))") }) <button type="submit">Try</button></form>
            \(tried?.html)
            </section>
            """
    }

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
            \(parts)\(#"<p class="soft">There was no full check yet.</p>"#, if: parts.isEmpty)
            </section>
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

extension DomainView {
    /// The five numbers of a domain.
    private var numbers: HTML {
        let (summary, time) = (record.summary, frame.time)
        let tone = face.tone.rawValue
        let past = summary?.propagations ?? []
        let usual = UsualPropagation(past)
        func number(
            _ name: String, _ value: String, _ detail: String, _ tone: String = "ink", squares: HTML? = nil
        ) -> HTML {
            """
            <li><div class="cell"><span class="fine">\(name)</span><span class="value \(tone)">\(value)</span>\
            \(squares)<span class="fine"><bdi>\(detail)</bdi></span></div></li>
            """
        }
        var all: [HTML] = []
        if let changedAt = summary?.changedAt {
            all.append(
                number(
                    "Behind for", Span.words(time.since(changedAt)),
                    "since \(time.brief(changedAt)) · limit \(Span.words(staleAfter))", tone))
        } else if record.status.needsAttention {
            all.append(
                number(
                    lasting.of == "left"
                        ? "Left"
                        : record.status == .missing && summary?.hasNoCopy == true
                            ? "Without a copy for" : "\(face.word) for",
                    lasting.long ?? "–", lasting.until ?? record.since.map { "since \(time.brief($0))" } ?? "", tone))
        } else if let since = record.since, record.status == .inSync || record.status == .direct {
            all.append(
                number(
                    "\(record.status == .direct ? "Fine" : "In sync") for", Span.words(time.since(since)),
                    "since \(time.brief(since))"))
        } else {
            all.append(number("State", face.word, ""))
        }
        let edges = summary?.edges
        let version = record.version.map { "v\($0)" }
        all.append(
            number(
                "Edges with the current file",
                edges.map { "\($0.inSync) of \($0.asked)" } ?? (summary?.comparison == .inSync ? "yes" : "–"),
                edges == nil ? version ?? "" : "", squares: edges?.squares))
        if let usual {
            all.append(
                number(
                    "Usual propagation time", Span.words(TimeInterval(usual.median)),
                    "9 in 10 within \(Span.words(TimeInterval(usual.percentile90))), \(past.count.of("change"))"))
        } else {
            all.append(
                number(
                    past.isEmpty ? "Usual propagation time" : "Last change took",
                    past.last.map { Span.words(TimeInterval($0)) } ?? "not known",
                    "\(past.isEmpty ? "no change" : past.count.of("change")) so far; limit \(Span.words(staleAfter))"))
        }
        if let changedAt = summary?.changedAt {
            let estimate = Estimate(lag: time.since(changedAt), past: past)
            let words = estimate.until(changedAt: changedAt, staleAfter: staleAfter, time)
            if let usual, estimate.lag < TimeInterval(usual.percentile90) {
                let isEarly = estimate.lag < TimeInterval(usual.median)
                let expected = changedAt + TimeInterval(isEarly ? usual.median : usual.percentile90)
                all.append(
                    number(
                        "Expected", time.brief(expected),
                        isEarly
                            ? "9 in 10 by \(time.brief(changedAt + TimeInterval(usual.percentile90)))"
                            : "9 in 10 changes arrive by then"))
            } else {
                let longest = past.max().map { "; longest took \(Span.words(TimeInterval($0)))" } ?? ""
                all.append(number("Expected", "No estimate", words + longest))
            }
        } else if let end = summary?.certificateEnd {
            all.append(
                number(
                    "Certificate", "\(max(0, Int(end.timeIntervalSince(time.wall) / 86400)).of("day"))",
                    "ends on \(time.clock(end))", "warn"))
        } else {
            all.append(
                number(
                    "File", version ?? "–",
                    record.versionSince.map { "since \(time.brief($0))" } ?? "none seen at the origin"))
        }
        all.append(
            number(
                "Checked", record.lastCheckedAt.map(time.age) ?? "never",
                state?.lastFullAt.map { "all addresses and edges \(time.age($0))" } ?? "never in full"))
        return #"<ul class="tiles five numbers">\#(all)</ul>"#
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
