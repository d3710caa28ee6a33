// The parts of a message before a service's format is applied. Nothing is escaped or truncated.

import Evidence
import Foundation
import Monitoring

struct RenderedAlert {
    /// Only the monitor's own words and ASCII domain names.
    let headline: String
    let summary: String
    /// The diagnosis in one line, or why the incident ended.
    let oneLine: String
    /// The differences and their effect, the diff first.
    private(set) var lists: [(title: String, lines: [String])] = []
    /// Why, what to do, and until when.
    private(set) var notes: [(title: String, text: String)] = []
    let since: String
    private(set) var links: [(title: String, url: String)]
    let incidentID: String
    /// The name of this monitor.
    let instance: String

    /// `isBrief`: only what happened, for a reply to the message with the details.
    init(_ alert: Alert, isBrief: Bool = false) {
        if let digest = alert.digest {
            self.init(digest, alert)
        } else {
            self.init(one: alert, isBrief: isBrief)
        }
        guard !isBrief else { return }
        let acknowledgement = ("Acknowledged:", alert.acknowledgement.map(Self.text))
        let parts =
            alert.isOver
            ? []
            : [
                ("Why:", alert.common(\.cause)), ("What to do:", alert.common(\.action)),
                ("Until when:", alert.common(\.outlook)), ("Labels:", alert.isOfTrouble ? alert.labelText : nil),
                ("To acknowledge:", alert.acknowledging),
                ("Refused by:", alert.refusedBy),
                (
                    "Reminders:",
                    alert.isLastReminder ? "This is the last reminder. The incident is still open." : nil
                ),
            ]
        let link = alert.note.flatMap(Self.link)
        if let link { links.insert(link, at: min(1, links.count)) }
        let note = ("Note:", link == nil ? alert.note : nil)
        notes = ([acknowledgement] + parts + [note]).compactMap { title, text in text.map { (title, $0) } }
    }

    /// A note that is a title and an address, such as `Runbook: https://…`, is a link.
    private static func link(_ note: String) -> (title: String, url: String)? {
        guard let colon = note.range(of: ": ") else { return nil }
        let (title, url) = (note[..<colon.lowerBound], String(note[colon.upperBound...]))
        let isPlain = title.allSatisfy { $0.isLetter || $0.isNumber || $0 == " " } && PlainMarkup.isPlain(url)
        return isPlain && !title.isEmpty ? (String(title), url) : nil
    }

    private init(one alert: Alert, isBrief: Bool) {
        headline = Self.headline(alert)
        let text = alert.text
        let end = [alert.isOver ? "\(alert.end), \(alert.lasted)" : nil, alert.remainder]
        oneLine = alert.isOver ? end.compactMap(\.self).joined(separator: ". ") : text.oneLine
        // For the monitor's own trouble the trouble matters, not that phones are unaffected.
        let isOwn = alert.incident.kind == .monitorDegraded && alert.facts.diagnosis.effect.links == .unaffected
        summary =
            alert.isOver || isBrief
            ? oneLine : isOwn ? "\(alert.trouble.prefix(1).uppercased())\(alert.trouble.dropFirst())." : text.effect
        var links = [(alert.links.incidents == nil ? "status page" : "incident", alert.links.statusPage ?? "")]
        if !isBrief {
            let comparison = alert.facts.comparison
            lists = [
                ("Domains:", alert.affectedDomains),
                (
                    "What the CDN does not have yet:",
                    comparison.changes.map { "\($0.kind.rawValue): \($0.summary)" }
                        + [comparison.differences.more(after: .max)].compactMap(\.self)
                ), ("What phones will do differently then:", comparison.behaviour.map(\.sentence)),
            ].filter { !$1.isEmpty }
            links += [("file at the origin", alert.links.origin ?? ""), ("Apple's copy", alert.links.cdn ?? "")]
        }
        self.links = links.filter { $1 != "" }
        since = Self.since(alert.incident.since, until: alert.incident.resolvedAt)
        incidentID = alert.incident.id
        instance = alert.instance
    }

    /// State, severity, domain, kind, age.
    private static func headline(_ alert: Alert) -> String {
        if alert.isTest { return "TEST · \(alert.subject) · nothing is wrong" }
        if alert.isChange {
            let parts = [alert.state, alert.subject, alert.isOver ? alert.end : alert.trouble]
            return (parts + (alert.isOver ? [alert.lasted] : [])).joined(separator: " · ")
        }
        let age =
            switch alert.reason {
            case .resolved: alert.lasted
            case .wasFiring: wasFiring(alert)
            default: alert.span
            }
        return headline(alert, subject: alert.subject) + " · " + age
    }

    private static func wasFiring(_ alert: Alert) -> String {
        "for \(alert.duration), until \(Span.instant(alert.incident.resolvedAt ?? alert.at))"
    }

    /// `since 2026-11-21 07:00 UTC, until 2026-11-21 09:12 UTC`; `at` the start if both are in the same minute.
    private static func since(_ start: Date, until end: Date?) -> String {
        let (from, to) = (Span.instant(start), end.map(Span.instant))
        if let end, from == to { return "at \(from), for \(Span.words(end.timeIntervalSince(start)))" }
        return "since \(from)" + (to.map { ", until \($0)" } ?? "")
    }

    private static func headline(_ alert: Alert, subject: String) -> String {
        let severity = alert.isOver ? nil : alert.digest?.severity ?? alert.incident.severity
        return [alert.state, severity?.rawValue, subject, alert.incident.kind.rawValue].compactMap(\.self)
            .joined(separator: " · ")
    }

    private static func text(_ acknowledgement: Acknowledgement) -> String {
        "by \(acknowledgement.by)" + (acknowledgement.reason.isEmpty ? "" : ", \(acknowledgement.reason)")
    }

    // MARK: - Digests

    private init(_ digest: Alert.Digest, _ alert: Alert) {
        let (alerts, domains) = (digest.alerts, digest.domains.count)
        // A domain may have several incidents of one kind.
        let subject =
            domains == alerts.count
            ? "\(domains) domains" : "\(alerts.count) incidents of \(domains) \(domains == 1 ? "domain" : "domains")"
        headline = Self.headline(alert, subject: subject)
        summary =
            alert.isOver
            ? "\(subject): \(digest.common(\.end) ?? "all resolved")" + Self.rest(alert.unfinished)
            : [
                "\(subject): \(Alert.troubles(alert.incident.kind)).", Self.more(alert.unconfirmed),
                alert.common(\.effect),
            ].compactMap(\.self).joined(separator: " ")
        let parts = [alert.common(\.cause), alert.common(\.action), alert.common(\.outlook)].compactMap(\.self)
        oneLine = alert.isOver ? summary : ([summary] + parts).joined(separator: " ")
        let rest = alerts.count - Alert.Digest.shown
        lists = [
            (
                "Domains:",
                alerts.prefix(Alert.Digest.shown).map { Self.line($0, of: digest, in: alert) }
                    + (rest > 0
                        ? [
                            "… and \(rest) more: \(alert.links.statusPage == nil ? "aasa-monitor status" : "the page of incidents") has all"
                        ] : [])
            )
        ]
        let end = alert.isOver ? alerts.compactMap(\.incident.resolvedAt).max() : nil
        since = Self.since(alerts.map(\.incident.since).min() ?? alert.at, until: end)
        links = alert.links.statusPage.map { [("incidents", $0)] } ?? []
        incidentID = "\(alert.incident.id.prefix(80)) and \(alerts.count - 1) more"
        instance = alert.instance
    }

    private static func rest(_ count: Int) -> String {
        switch count {
        case 0: ""
        case 1: "; 1 other incident of the kind goes on"
        default: "; \(count) other incidents of the kind go on"
        }
    }

    private static func more(_ count: Int) -> String? {
        switch count {
        case 0: nil
        case 1: "1 more domain may follow."
        default: "\(count) more domains may follow."
        }
    }

    /// The subject, the start, what differs from the other alerts, and the id.
    private static func line(_ alert: Alert, of digest: Alert.Digest, in message: Alert) -> String {
        let incident = alert.incident
        let span =
            switch alert.reason {
            case .resolved: "resolved \(alert.lasted)"
            case .wasFiring: "was firing \(wasFiring(alert))"
            default: "\(incident.severity.rawValue), \(alert.span)"
            }
        let own: [String?] =
            alert.isOver
            ? [digest.common(\.end) == nil ? alert.end : nil]
            : [
                message.common(\.effect) == nil ? alert.text.effect : nil,
                message.common(\.cause) == nil ? alert.text.cause : nil,
            ]
        let words = own.compactMap(\.self).joined(separator: " ").shortened(to: 180)
        return [alert.subject, span, words, incident.shortID].filter { !$0.isEmpty }
            .joined(separator: " · ")
    }
}

extension Alert {
    /// A part of the diagnosis; in a digest, only if all alerts share it.
    func common(_ part: (DiagnosisText) -> String?) -> String? {
        digest.map { $0.common { part($0.text) } } ?? part(text)
    }
}
