// One domain on the overview.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct FrontRow: Sendable {
    let record: SummaryRecord
    let watched: WatchedDomain
    let frame: Frame
    /// Whether it takes one line, as where many domains are shown. A calm domain takes one anyway.
    var isShort = false
    var context = IncidentContext()

    var html: HTML {
        let (name, time) = (record.domain.name, frame.time)
        let face = DomainFace(record, isChecked: frame.isChecked)
        let isLine = isShort || !record.status.needsAttention
        let lasting = TroubleDuration(record, staleAfter: watched.checks.staleAfter, isShort: isLine, time)
        return """
            <tr role="row" id="d-\(name)" class="\("short ", if: isLine)\(face.tone.rawValue)">
            <td role="cell" class="state">\(HTML.mark(face.mark)) \(status(face))</td>
            <th role="rowheader" scope="row"><a href="/domains/\(name)">\(name)</a>\(isLine ? nil : labels)</th>
            <td role="cell" class="what">\(isLine ? line : diagnosis)</td>
            <td role="cell" class="edges">\(isLine ? nil : record.summary?.edges?.squares)\
            <span class="fine">\(Self.edgeText(record))</span></td>
            <td role="cell" class="long">\(lasting.long.map { "<strong>\($0)</strong> " })\
            <span class="soft">\(lasting.of)</span>\(lasting.bar)\
            \(lasting.until.map { #"<p class="soft"><bdi>\#($0)</bdi></p>"# })</td>
            <td role="cell" class="checked">\(checked)</td>
            </tr>

            """
    }

    private func status(_ face: DomainFace) -> String {
        record.status == .direct && frame.isChecked ? watched.modeWord : face.word
    }

    private var labels: HTML? {
        let labels = watched.labelTexts.map { "<span><bdi>\($0)</bdi></span> " as HTML }
        return labels.isEmpty ? nil : #"<span class="labels">\#(labels)</span>"#
    }

    /// What phones do, why, and what to do.
    private var diagnosis: HTML {
        let text = record.summary?.text(at: frame.time.wall)
        return """
            <p>\(text.map { "<strong>\($0.effect)</strong>" })\((text?.cause).map { " <bdi>\($0)</bdi>" })</p>\
            \((text?.action).map { #"<p class="action"><span aria-hidden="true">→</span> <bdi>\#($0)</bdi></p>"# })\
            \((record.summary?.incidents ?? []).prefix(4).map(incident))
            """
    }

    /// In its place where the row takes one line.
    private var line: HTML {
        let text = record.summary?.text(at: frame.time.wall)
        return "<bdi>\(Self.line(record, text, labels: isShort ? watched.labelTexts : [], frame.time))</bdi>"
    }

    private var checked: HTML {
        guard let last = record.lastCheckedAt else { return "never" }
        let time = frame.time
        let isOverdue = last < CheckSchedule.overdueBefore(time.now, interval: watched.checks.interval.inSeconds)
        return """
            <time datetime="\(time.shown(last).rfc3339)">\(time.age(last))</time>\
            \(#" <strong class="warn">overdue</strong>"#, if: isOverdue)
            """
    }

    private static func line(_ record: SummaryRecord, _ text: DiagnosisText?, labels: [String], _ time: ReportTime)
        -> String
    {
        var parts: [String] = []
        guard let summary = record.summary else { return "the first check has not ended yet" }
        switch record.status {
        case .inSync, .direct:
            if let version = record.version {
                parts.append("v\(version)" + (record.versionSince.map { " since \(time.day($0))" } ?? ""))
            }
            if summary.notes > 0, let note = summary.note {
                parts.append(summary.notes == 1 ? "1 note: \(note)" : "\(summary.notes) notes, such as \(note)")
            }
        default: parts.append((text?.cause ?? text?.effect ?? "").firstSentence.shortened(to: 110))
        }
        return (parts + labels).filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private static func edgeText(_ record: SummaryRecord) -> String {
        guard let edges = record.summary?.edges, edges.asked > 0 else { return "" }
        if record.status == .missing || edges.unknown > 0 {
            let copies = edges.asked - edges.missing - edges.unreachable
            // All of them open the website: those with a copy have one that opens nothing.
            let isUseless = copies > 0 && record.summary?.diagnosis.effect.links == .openWebsite(at: nil)
            return "\(copies) of \(edges.asked) have a copy" + (isUseless ? ", which opens no link" : "")
        }
        let version = record.version.map { " have v\($0)" } ?? " have the file"
        return record.status.needsAttention
            ? "\(edges.inSync) of \(edges.asked)\(version)" : "\(edges.inSync) of \(edges.asked)"
    }
}

extension FrontRow {
    private func incident(_ open: DomainSummary.OpenIncident) -> HTML {
        let time = frame.time
        let incident = context.report(
            open.incident, labels: watched.labels, graceUntil: open.graceUntil,
            acknowledgement: context.acknowledgements[open.incident.id], time: time)
        let kind = incident.kind.rawValue
        let state: String
        switch incident.state {
        case .pending:
            state = incident.alertsAfter.map { "no alert before \(time.clock($0))" } ?? "pending, not notified yet"
        default: state = incident.stateSince(time.clock)
        }
        guard !frame.isPublic else { return #"<p class="fine">\#(kind) \#(state)</p>"# }
        let notes = incident.notes(at: time.wall) + ["incident \(incident.shortID)"]
        let isUnacknowledged =
            incident.state == .firing && incident.isUnacknowledged && incident.silencedUntil == nil
        return """
            <p class="fine"><a href="/incidents/\(incident.id)">\(kind)</a> \(state)\
            \(#" · <strong class="fail">not acknowledged</strong>"#, if: isUnacknowledged)\
            \(notes.map { " · <bdi>\($0)</bdi>" })</p>
            """
    }
}

extension WatchedDomain {
    /// `team=growth`, by key.
    var labelTexts: [String] {
        labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)".onOneLine(upTo: 80) }
    }

    var modeWord: String {
        switch mode {
        case .production: "Direct"
        case .developer: "Developer"
        case .managed: "Managed"
        case .developerManaged: "Dev, managed"
        }
    }
}
