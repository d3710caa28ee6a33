// The parts of a message before a service's format is applied. Nothing is escaped or truncated.

import Evidence
import Foundation
import Monitoring

struct RenderedAlert {
    /// Whose links, and what they do. Contains no character that is markup in any service.
    let headline: String
    /// What the headline leaves out; may be empty.
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

    /// Links to acknowledge the incident and to see its details. A service with one button shows the first. Both open the
    /// page of the incident.
    var buttons: [(title: String, url: String)] {
        links.filter { Self.pages.contains($0.title) && PlainMarkup.isPlain($0.url) }.map {
            ($0.title == Self.acknowledge ? "Acknowledge" : "Open \($0.title)", $0.url)
        }
    }

    private static let acknowledge = "acknowledge"
    /// Links to our own pages.
    private static let pages: Set<String> = [acknowledge, "incident", "incidents", "status page"]

    /// For the message log: the link to acknowledge is only for people who got the message.
    var withoutAcknowledging: RenderedAlert {
        var rendered = self
        rendered.links.removeAll { $0.title == Self.acknowledge }
        return rendered
    }

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
            ? [("Was:", alert.past)]
            : [
                ("Why:", alert.common(\.cause)), ("Do:", alert.common(\.action)),
                ("Until:", alert.common(\.outlook)), ("Labels:", alert.isOfTrouble ? alert.labelText : nil),
                // The page of the incident has a form.
                ("To acknowledge:", alert.links.page == nil ? alert.acknowledging : nil),
                ("Refused by:", alert.refusedBy),
                (
                    "Reminders:",
                    alert.isLastReminder ? "This is the last reminder. The incident is still open." : nil
                ),
            ]
        let link = alert.note.flatMap(Self.link)
        if let link { links.insert(link, at: max(buttons.count, min(1, links.count))) }
        let note = ("Note:", link == nil ? alert.note : nil)
        notes = ([acknowledgement] + parts + [note]).compactMap { title, text in text.map { (title, $0) } }
    }

    /// Links are never cut: a longer note would leave no room for the message in `pushover`.
    private static let longestLink = 200

    /// A note that is a title and an address, such as `Runbook: https://…`, is a link.
    private static func link(_ note: String) -> (title: String, url: String)? {
        guard note.utf8.count <= longestLink, let colon = note.range(of: ": ") else { return nil }
        let (title, url) = (note[..<colon.lowerBound], String(note[colon.upperBound...]))
        let isPlain = title.allSatisfy { $0.isLetter || $0.isNumber || $0 == " " } && PlainMarkup.isPlain(url)
        return isPlain && !title.isEmpty ? (String(title), url) : nil
    }

    private init(one alert: Alert, isBrief: Bool) {
        headline = InertText.title(alert.headline)
        let text = alert.text
        let isUnheard = alert.reason == .wasFiring
        let ended = alert.isOver ? "\(alert.end.atStart)\(isUnheard ? "" : ", \(alert.lasted)")." : nil
        let end = [isUnheard ? "\(Self.wasFiring(alert).atStart)." : nil, ended, alert.remainder]
            .compactMap(\.self).joined(separator: " ")
        oneLine = alert.isOver ? end : text.oneLine
        // The effect with its examples, or where the headline says what is wrong; not twice in the same words.
        let isSaid = Self.isSaid(text.effect, alert.effectInBrief)
        let isOwn = alert.incident.kind == .monitorDegraded && alert.facts.diagnosis.effect.links == .unaffected
        let effect = isSaid || isOwn || alert.isChange ? "" : text.effect
        summary =
            alert.isOver
            ? end
            : isBrief ? [effect, text.cause, text.action].compactMap(\.self).joined(separator: " ") : effect
        var links = [
            (Self.acknowledge, alert.links.acknowledge ?? ""),
            (alert.links.incident == nil ? "status page" : "incident", alert.links.page ?? ""),
        ]
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
        let age = alert.isOver || alert.isTest || alert.incident.kind == .certificateExpiring ? nil : alert.lasting
        since = Self.since(
            alert.incident.since, until: alert.incident.resolvedAt, age: age,
            rough: alert.isOver ? nil : alert.roughStart,
            alert)
        incidentID = alert.incident.id
        instance = alert.instance
    }

    /// Whether a sentence says no more than the headline.
    private static func isSaid(_ sentence: String, _ brief: String?) -> Bool {
        brief.map { sentence.lowercased() == "\($0.lowercased())." } ?? false
    }

    private static func wasFiring(_ alert: Alert) -> String {
        "for \(alert.duration), until \(Span.instant(alert.incident.resolvedAt ?? alert.at))"
    }

    /// `since 2026-11-21 07:00 UTC, until 2026-11-21 09:12 UTC · cdn.stale`; `at` the start if both are in the same minute.
    /// An open incident also has its duration and its severity. `rough`: the period in which it began.
    private static func since(
        _ start: Date, until end: Date?, age: String? = nil, rough: String? = nil, _ alert: Alert
    ) -> String {
        let (from, to) = (Span.instant(start), end.map(Span.instant))
        let span =
            if let rough {
                "seen since \(from), \(rough)"
            } else if let end, from == to {
                "at \(from), for \(Span.words(end.timeIntervalSince(start)))"
            } else {
                "since \(from)" + (to.map { ", until \($0)" } ?? age.map { ", \($0)" } ?? "")
            }
        let severity = alert.isOver || alert.isChange ? nil : alert.digest?.severity ?? alert.incident.severity
        return [span, severity?.rawValue, alert.incident.kind.rawValue].compactMap(\.self).joined(separator: " · ")
    }

    private static func text(_ acknowledgement: Acknowledgement) -> String {
        "by \(acknowledgement.by)" + (acknowledgement.reason.isEmpty ? "" : ", \(acknowledgement.reason)")
    }

    // MARK: - Digests

    private init(_ digest: Alert.Digest, _ alert: Alert) {
        let alerts = digest.alerts
        headline = InertText.title(alert.headline)
        // The headline has the effect that all share, or else the trouble.
        let phones = digest.common(\.phonesInBrief)
        summary =
            alert.isOver
            ? Self.rest(alert.unfinished)
            : [
                phones != nil && alert.common(\.cause) == nil
                    ? "\(Alert.troubles(alert.incident.kind).atStart)." : nil,
                Self.more(alert.unconfirmed), alert.common(\.effect).flatMap { Self.isSaid($0, phones) ? nil : $0 },
            ].compactMap(\.self).joined(separator: " ")
        let parts = [alert.common(\.cause), alert.common(\.action), alert.common(\.outlook)].compactMap(\.self)
        let end = alert.isOver ? "\((digest.common(\.end) ?? "all resolved").atStart)." : ""
        oneLine = ([end, summary] + (alert.isOver ? [] : parts)).filter { !$0.isEmpty }.joined(separator: " ")
        let rest = alerts.count - Alert.Digest.shown
        lists = [
            (
                "Domains:",
                alerts.prefix(Alert.Digest.shown).map { Self.line($0, of: digest, in: alert) }
                    + (rest > 0
                        ? [
                            "… and \(rest) more: see \(alert.links.page == nil ? "aasa-monitor status" : "the incidents page")"
                        ] : [])
            )
        ]
        let last = alert.isOver ? alerts.compactMap(\.incident.resolvedAt).max() : nil
        since = Self.since(alerts.map(\.incident.since).min() ?? alert.at, until: last, alert)
        links = alert.links.page.map { [("incidents", $0)] } ?? []
        incidentID = "\(alert.incident.id.prefix(80)) and \(alerts.count - 1) more"
        instance = alert.instance
    }

    private static func rest(_ count: Int) -> String {
        switch count {
        case 0: ""
        case 1: "1 other incident of this kind is still open."
        default: "\(count) other incidents of this kind are still open."
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
            case .resolved: "resolved \(alert.roughEnd ?? alert.lasted)"
            case .wasFiring: "was firing \(wasFiring(alert))"
            default: "\(incident.severity.rawValue), \(alert.span)"
            }
        let own: [String?] =
            alert.isOver
            ? [
                digest.common(\.end) == nil ? alert.end : nil,
                alert.facts.isStillFailing == true ? "still wrong: \(alert.text.effect)" : nil,
                alert.wasText?.cause.map { "was: \($0)" },
            ]
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
