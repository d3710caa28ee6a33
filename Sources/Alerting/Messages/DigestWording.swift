// The words of a message about many.

import Evidence
import Foundation
import Monitoring

struct DigestWording {
    let digest: Digest
    let at: Date

    private var entries: [Digest.Entry] { digest.entries }
    private var severity: Severity { entries.map(\.incident.severity).max() ?? .note }

    var headline: String {
        let about = digest.kind.map { " · " + $0.rawValue } ?? ""
        switch digest.occasion {
        case .backlog: return "KEPT FOR THIS CHANNEL · \(subject)\(about)"
        case .present: return "FIRING NOW · \(severity.rawValue) · \(subject)\(about)"
        case .together where digest.isOver:
            return (entries.allSatisfy(\.isUnsaidEnd) ? "WAS FIRING" : "RESOLVED") + " · \(subject)\(about)"
        case .together: return "FIRING · \(severity.rawValue) · \(subject)\(about)"
        }
    }

    /// `500 domains`, or `3 incidents of 2 domains and aasa-monitor` where the two differ.
    private var subject: String {
        let domains = digest.domains.count
        var places = domains > 0 ? ["\(domains) \(domains == 1 ? "domain" : "domains")"] : []
        guard domains != entries.count else { return places.joined() }
        // Of incidents of no domain.
        for entry in entries where entry.incident.domain == nil && !places.contains(entry.place) {
            places.append(entry.place)
        }
        return "\(entries.count) incidents of \(places.joined(separator: " and "))"
    }

    var gist: String {
        let going = entries.count { $0.incident.state != .resolved }
        let state =
            switch (going, entries.count - going) {
            case (0, _): "all of them are over"
            case (_, 0): "none of them is over"
            case (let going, let over): "\(going) go on, \(over) are over"
            }
        return digest.diagnosis.map { $0 + " (all of them)" } ?? "\(subject): \(state)"
    }

    var lines: [String] {
        let isLong = entries.count > Digest.longest
        let shown = isLong ? entries.prefix(Digest.shown) : entries[...]
        return shown.map(line) + (isLong ? ["… and \(entries.count - shown.count) more, see the status page"] : [])
    }

    private func line(_ entry: Digest.Entry) -> String {
        let incident = entry.incident
        let kind = digest.kind == nil ? " · \(incident.kind.rawValue)" : ""
        let span =
            if let end = incident.resolvedAt {
                if entry.isUnsaidEnd {
                    "was firing from \(Wording.instant(incident.since)) to \(Wording.instant(end))"
                } else {
                    "over after \(Wording.span(from: incident.since, to: end))"
                }
            } else {
                "\(incident.severity.rawValue), for \(Wording.span(from: incident.since, to: at))"
            }
        return "\(entry.place)\(kind) · \(span)"
    }

    var since: String {
        let begin = entries.map(\.incident.since).min() ?? at
        let end = digest.isOver ? entries.compactMap(\.incident.resolvedAt).max() : nil
        return "since \(Wording.instant(begin))" + (end.map { ", until \(Wording.instant($0))" } ?? "")
    }

    var ids: String {
        guard let first = entries.first, entries.count > 1 else { return entries.first?.incident.id ?? "" }
        return "\(first.incident.id.prefix(80)) and \(entries.count - 1) more"
    }
}
