// The top of a domain's page: what phones do, why, and what to do, step by step. Beside it: who was notified, and forms to
// acknowledge and silence.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

extension Effect {
    /// The same effect without the edges where it occurs.
    fileprivate var everywhere: Effect {
        var effect = self
        switch links {
        case .work: effect.links = .work(seen: nil)
        case .openWebsite: effect.links = .openWebsite(at: nil)
        case .followOtherFile(let way, _, let website, let app):
            effect.links = .followOtherFile(by: way, at: nil, website: website, app: app)
        default: break
        }
        return effect
    }
}

extension DomainView {
    var box: HTML {
        """
        <div class="decision" data-tone="\(face.tone.rawValue)"><div class="advice">
        \(effect)
        \(steps)
        </div>
        \(handling, if: !frame.isPublic)</div>
        """
    }

    // MARK: - What phones do, and why

    private var effect: HTML {
        guard let diagnosis = state?.verdict?.diagnosis else {
            return #"<h2 class="effect">The first check has not ended yet</h2>"#
        }
        let text = diagnosis.text(at: frame.time.wall)
        let brief = English.brief(diagnosis.effect).atStart
        // Example paths follow the sentence.
        let hasPaths = text.effect.hasPrefix("\(brief): ")
        let title = hasPaths ? brief : text.effect.hasSuffix(".") ? String(text.effect.dropLast()) : text.effect
        let paths = hasPaths ? String(text.effect.dropFirst(brief.count + 2)) : nil
        let everywhere = English.brief(diagnosis.effect.everywhere).atStart
        // Only the effect is coloured, not the edges where it occurs.
        let coloured = brief != everywhere && title.hasPrefix(everywhere) ? everywhere : title
        return """
            <h2 class="effect"><bdi><span class="\(face.tone.rawValue)">\(coloured)</span>\
            \(String(title.dropFirst(coloured.count)))</bdi></h2>
            \(Self.why(paths, text.cause))
            """
    }

    private static func why(_ paths: String?, _ cause: String?) -> HTML? {
        guard paths != nil || cause != nil else { return nil }
        return """
            <p class="why">\(paths.map { #"<bdi class="paths">\#($0)</bdi> "# })\(cause.map { "<bdi>\($0)</bdi>" })</p>
            """
    }

    // MARK: - What to do

    /// Whether a step says to send the report to Apple. Otherwise the report is part of the evidence.
    var stepsHaveReport: Bool { reportForApple != nil && instructions.contains(where: Self.reports) }

    private static func reports(_ step: String) -> Bool { step.contains(" to Apple") }

    private static let nothing = "Nothing needs to be done."

    private var instructions: [String] {
        (state?.verdict?.text(at: frame.time.wall).action?.steps ?? []).filter { $0 != Self.nothing }
    }

    /// While phones use a file other than the origin's, the app's developers need not wait.
    private var developing: HTML? {
        guard let verdict = state?.verdict, watched.mode == .production, verdict.comparison.isWithoutEffect != true
        else { return nil }
        switch verdict.comparison.state {
        case .stale, .propagating, .divergent, .mixed:
            return """
                To test the origin’s file now, build the app with <bdi class="code" data-copy>\
                applinks:\(watched.domain.name)?mode=developer</bdi>.
                """
        case .inSync, .missing, .originUnavailable, .cdnUnavailable, .notCompared: return nil
        }
    }

    private var steps: HTML? {
        guard let verdict = state?.verdict else { return nil }
        var steps = instructions.map { "<bdi>\($0)</bdi>" as HTML }
        if let place = instructions.firstIndex(where: Self.reports), let report = reportForApple {
            steps[place] = "\(steps[place]) \(Self.copying(report))"
        }
        if let developing { steps.append(developing) }
        let list: HTML =
            switch steps.count {
            case 0: "<p>\(Self.nothing)</p>"
            case 1: "<div>\(steps[0])</div>"
            default: "<ol>\(steps.map { "<li>\($0)</li>" })</ol>"
            }
        let outlook = verdict.text(at: frame.time.wall).outlook
        return """
            <div class="steps">\(list)</div>
            \(outlook.map { #"<p class="soft"><bdi>\#($0)</bdi></p>"# })
            """
    }

    /// The script copies the text; without scripts the text is shown.
    private static func copying(_ report: String) -> HTML {
        """
        <details id="report"><summary class="button" data-copies="report-text">Copy report</summary>\
        <pre tabindex="0"><code id="report-text">\(report)</code></pre></details>
        """
    }

    // MARK: - Incidents and silences

    /// Incidents that inhibit others come first.
    var open: [IncidentReport] {
        let open = incidents.filter { $0.state != .resolved }
        return open.filter { $0.inhibitedBy == nil } + open.filter { $0.inhibitedBy != nil }
    }

    private var handling: HTML {
        """
        <div class="handling">
        \(open.map(incident))\(#"<p class="soft">No incident is open.</p>"#, if: open.isEmpty)\
        \(silences.map(silence))\(acts, if: frame.canWrite)
        </div>
        """
    }

    private func incident(_ incident: IncidentReport) -> HTML {
        """
        <div class="incident"><p>\(named(incident))</p><p>\(facts(incident))</p>\
        <p class="fine">\(notified(incident))</p></div>

        """
    }

    /// Its kind and its identifier.
    func named(_ incident: IncidentReport) -> HTML {
        let (mark, tone) = incident.face
        return """
            \(HTML.mark(mark, tone)) <a href="/incidents/\(incident.id)"><b class="\(tone)">\(incident.kind.rawValue)</b></a> \
            <span class="code soft">\(incident.shortID)</span>
            """
    }

    /// Its state, its start, and who handles it.
    func facts(_ incident: IncidentReport) -> HTML {
        let time = frame.time
        func at(_ date: Date) -> HTML { HTML.time(date, time) }
        func text(_ words: String?) -> HTML? { words.map { "<bdi>\($0)</bdi>" } }
        let facts: [HTML?] = [
            incident.state == .pending
                ? "pending, not notified yet"
                : "\(incident.state.rawValue) since \(at(incident.firedAt ?? incident.openedAt))",
            // A change that propagates is not wrong yet.
            "\("wrong ", if: incident.state != .pending)since \(at(incident.since))",
            text(incident.waitsFor(at: time.wall)),
            incident.acknowledgedInWords(time), text(incident.marksInWords(time)),
            incident.isUnacknowledged ? #"<strong class="fail">not acknowledged</strong>"# : nil,
        ]
        return HTML.list(facts.compactMap(\.self))
    }

    /// The delivered messages, each channel once, and the channels that got none.
    private func notified(_ incident: IncidentReport) -> HTML {
        let sent = (deliveries[incident.id] ?? []).reversed()
        var groups: [(at: Date, clock: String, channels: [String])] = []
        var reached: Set<String> = []
        for delivery in sent where delivery.outcome == "delivered" && reached.insert(delivery.channel).inserted {
            let (clock, channel) = (frame.time.clock(delivery.at), delivery.channel.onOneLine(upTo: 40))
            if groups.last?.clock == clock {
                groups[groups.count - 1].channels.append(channel)
            } else {
                groups.append((delivery.at, clock, [channel]))
            }
        }
        let missed = Set(sent.map(\.channel)).subtracting(reached).sorted().map { $0.onOneLine(upTo: 40) }
        if groups.isEmpty, missed.isEmpty { return "No messages sent." }
        let parts = groups.map { group -> HTML in
            "<bdi>\(group.channels.listed(upTo: 8))</bdi> \(HTML.time(group.at, group.clock))"
        }
        return """
            \("Notified: \(HTML.list(parts))", if: !groups.isEmpty)\(" · ", if: !groups.isEmpty && !missed.isEmpty)\
            \(#"<span class="fail">Not delivered: <bdi>\#(missed.listed(upTo: 8))</bdi></span>"#, if: !missed.isEmpty)
            """
    }

    /// When the first message about an open incident was delivered.
    var alertedAt: Date? {
        open.flatMap { deliveries[$0.id] ?? [] }.filter { $0.outcome == "delivered" }.map(\.at).min()
    }

    private func silence(_ silence: SilenceReport) -> HTML {
        let end: HTML = """
            <form method="post" action="/silences/\(silence.id)/end">\(HTML.hidden("back", query.address(path)))\
            <button type="submit">End</button></form>
            """
        return """
            <div class="silenced"><p>Silence: <bdi>\(silence.shownScope)</bdi> \(silence.until(frame.time)), by \
            <bdi>\(silence.shownAuthor)</bdi>: <bdi>\(silence.shownReason)</bdi></p>\(end, if: frame.canWrite)</div>

            """
    }

    // MARK: - What can be done about it

    private var acts: HTML {
        let back = HTML.hidden("back", query.address(path))
        let acknowledged = open.filter { $0.isOpen && $0.acknowledged != nil }.map { incident -> HTML in
            """
            <form method="post" action="/incidents/\(incident.id)/unack">\(back)\
            <button type="submit" title="\(incident.kind.rawValue)">End acknowledgement</button></form>
            """
        }
        let silencing: HTML =
            #"<form class="write" method="post" action="\#(path)/silence">\#(back)\#(frame.silencing)</form>"#
        let checking: HTML = #"\#(HTML.mark("m-checking", "prog")) Checking…"#
        return """
            <div class="buttons">\(acknowledging(open.filter(\.isUnacknowledged), back))\(acknowledged)\
            \(Self.asking("silence", "Silence…", isOpen: !(frame.refusal?.length ?? "").isEmpty, silencing))\
            <form method="post" action="\(path)/check">\(back)\
            <button id="check"\(" disabled", if: isChecking)>\(isChecking ? checking : "Check now")</button></form></div>
            """
    }

    private func acknowledging(_ incidents: [IncidentReport], _ back: HTML) -> HTML? {
        guard !incidents.isEmpty else { return nil }
        let form: HTML = """
            <form class="write" method="post" action="/incidents/ack">\(back)\
            \(incidents.map { HTML.hidden("incident", $0.id) })\(frame.author(needsReason: false)) \
            <button type="submit">Acknowledge</button></form>
            """
        return Self.asking(
            "acknowledge", "Acknowledge", isOpen: !(frame.refusal?.incidents ?? []).isEmpty, form)
    }

    /// A button that opens a form.
    private static func asking(_ id: HTML, _ text: HTML, isOpen: Bool, _ form: HTML) -> HTML {
        """
        <details id="\(id)"\(" open", if: isOpen)><summary class="button">\(text)</summary>\(form)</details>
        """
    }
}
