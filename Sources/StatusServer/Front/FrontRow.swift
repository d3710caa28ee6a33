// One domain on the overview.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct FrontRow: Equatable, Sendable {
    let id: String
    let name: String
    let address: String
    let status: String
    let mark: String
    let tone: String
    let labels: [String]
    /// Rows of a line each: calm ones, and all where many are shown.
    let isShort: Bool
    /// What phones do, why, and what to do; nil in a short row.
    let effect: String?
    let cause: String?
    let action: String?
    /// In a short row in their place.
    let line: String?
    let incidents: [IncidentLine]
    let edges: EdgeChart?
    let edgeText: String
    /// `31 h 12 min`, and of what: `behind`.
    let long: String?
    let longOf: String
    let lag: LagBar?
    let until: String?
    /// nil: never.
    let checked: String?
    let checkedAt: String
    let isOverdue: Bool

    struct IncidentLine: Equatable, Sendable {
        let kind: String
        let address: String
        /// `firing since 11:31`.
        let state: String
        let isUnacknowledged: Bool
        /// `acknowledged by eva`, `silenced until …`, `notified ops, pager`.
        let notes: [String]
    }

    /// What a row is made with, beside its record.
    struct Setting: Sendable {
        var watched: WatchedDomain
        /// Whether the daemon still checks.
        var isChecked = true
        var isShort = false
        var context = IncidentContext()
        /// The channels that took a message, by incident.
        var notified: [String: [String]] = [:]
        var time: ReportTime

        func report(_ open: DomainSummary.OpenIncident) -> IncidentReport {
            context.report(
                open.incident, labels: watched.labels, graceUntil: open.graceUntil,
                acknowledgement: context.acknowledgements[open.incident.id], time: time)
        }
    }

    init(_ record: SummaryRecord, _ setting: Setting) {
        let time = setting.time
        let (summary, watched) = (record.summary, setting.watched)
        name = record.domain.name
        id = "d-\(name)"
        address = "/domains/\(name)"
        let face = DomainFace(record, isChecked: setting.isChecked)
        status = record.status == .direct && setting.isChecked ? watched.modeWord : face.word
        (mark, tone) = (face.mark, face.tone.rawValue)
        labels = watched.labelTexts
        let isCalm = !record.status.needsAttention
        isShort = isCalm || setting.isShort
        let text = summary?.text(at: setting.time.wall)
        effect = isShort ? nil : text?.effect
        cause = isShort ? nil : text?.cause
        action = isShort ? nil : text?.action
        line = isShort ? Self.line(record, text, labels: setting.isShort ? labels : [], time) : nil
        incidents =
            isShort ? [] : (summary?.incidents ?? []).prefix(4).map { IncidentLine(setting.report($0), setting) }
        edges = isShort ? nil : summary?.edges.flatMap(EdgeChart.init)
        edgeText = Self.edgeText(record)
        let lasting = TroubleDuration(record, staleAfter: watched.checks.staleAfter, isShort: isShort, time)
        (long, longOf, lag, until) = (lasting.long, lasting.of, lasting.bar, lasting.until)
        checked = record.lastCheckedAt.map(time.age)
        checkedAt = record.lastCheckedAt.map { time.shown($0).rfc3339 } ?? ""
        isOverdue =
            record.lastCheckedAt.map {
                $0 < CheckSchedule.overdueBefore(time.now, interval: watched.checks.interval.inSeconds)
            } ?? false
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

extension FrontRow.IncidentLine {
    init(_ incident: IncidentReport, _ setting: FrontRow.Setting) {
        let time = setting.time
        kind = incident.kind.rawValue
        address = "/incidents/\(incident.id)"
        var notes: [String] = []
        switch incident.state {
        case .pending:
            state = incident.alertsAfter.map { "no alert before \(time.clock($0))" } ?? "pending, not notified yet"
        default: state = incident.stateSince(time.clock)
        }
        if let by = incident.acknowledged?.by { notes.append("acknowledged by \(by.onOneLine(upTo: 100))") }
        notes += incident.marks(at: time.wall)
        let notified = (setting.notified[incident.id] ?? []).map { $0.onOneLine(upTo: 40) }
        if !notified.isEmpty { notes.append("notified \(notified.listed(upTo: 3))") }
        isUnacknowledged = incident.state == .firing && incident.isUnacknowledged && incident.silencedUntil == nil
        self.notes = notes + ["incident \(incident.shortID)"]
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
