// The words of messages, shared by all channels for people. Nothing here is escaped; each channel does that for itself.

import Evidence
import Foundation
import Monitoring

struct Wording {
    let facts: AlertFacts

    private var incident: Incident { facts.incident }

    /// The line that decides: state, severity, domain, kind, age.
    var headline: String {
        if facts.isTest { return "TEST · \(incident.domain) · nothing is wrong" }
        let age = Self.span(from: incident.since, to: facts.event.at)
        return switch facts.event.type {
        case .firing:
            "FIRING · \(incident.severity.rawValue) · \(incident.domain) · \(incident.kind.rawValue) · for \(age)"
        case .reminder:
            "STILL FIRING · \(incident.severity.rawValue) · \(incident.domain) · \(incident.kind.rawValue) · for \(age)"
        case .resolved: "RESOLVED · \(incident.domain) · \(incident.kind.rawValue) · after \(duration)"
        }
    }

    /// How long the trouble lasted, or has lasted.
    private var duration: String { Self.span(from: incident.since, to: incident.resolvedAt ?? facts.event.at) }

    var diagnosis: String { facts.event.diagnosis }

    /// What differs, one line each, from what the CDN serves to what the origin serves.
    var changes: [String] { facts.event.comparison.changes.map { "\($0.kind.rawValue): \($0.summary)" } }

    /// What phones will do differently once Apple's copy is the origin's, one line each.
    var behaviour: [String] { facts.event.comparison.behaviour.map(\.sentence) }

    /// What it means for people with the app; nil where it is over.
    var consequence: String? {
        guard facts.event.type != .resolved, !facts.isTest else { return nil }
        return switch incident.kind {
        case .originUnreachable, .originBroken:
            "Apple keeps its last copy for a while; once that is gone, links open the website and no longer the app."
        case .cdnMissing: "Devices get no file from Apple: links open the website, not the app."
        case .cdnStale:
            "Devices that install or update the app now get the old file; those with it learn it later still."
        case .cdnDivergent: "Devices get a file from Apple that this site was never seen to serve."
        case .certificateExpiring:
            "When the certificate ends, Apple can no longer read the file, and later links stop opening the app."
        case .expectationFailed:
            "Once Apple's CDN has this file, devices follow it: links and passwords work as it says, not as expected."
        }
    }

    var since: String {
        var text = "since \(Self.instant(incident.since))"
        if let end = incident.resolvedAt { text += ", until \(Self.instant(end))" }
        return text
    }

    /// What to do, in the words of the first finding.
    var fix: String? {
        guard facts.event.type != .resolved else { return nil }
        return facts.event.findings.first?.fix
    }

    /// Why it ended, with how long it took; nil while it has not.
    var resolution: String? {
        guard facts.event.type == .resolved else { return nil }
        let reason =
            switch incident.reason {
            case .recovered: "it works again"
            case .cdnCaughtUp: "Apple's CDN serves what the origin serves"
            case .cdnRefreshed: "Apple's CDN moved on to a newer version; the newest is still under way"
            case .originReverted: "the origin went back to what Apple's CDN serves"
            case .superseded: "trouble of another kind took its place"
            case .removed:
                incident.kind.isOfCDN ? "Apple's copy is watched no longer" : "the domain is watched no longer"
            case nil: "it is over"
            }
        return "\(reason), after \(duration)"
    }

    /// `2026-11-21 07:00 UTC`.
    static func instant(_ date: Date) -> String {
        let text = date.formatted(.iso8601)
        return text.replacingOccurrences(of: "T", with: " ").dropLast(4) + " UTC"
    }

    /// The two largest units, never negative: `25 h`, `3 d 4 h`, `12 min`.
    static func span(from start: Date, to end: Date) -> String {
        let seconds = Int(min(max(0, end.timeIntervalSince(start)), 4_000_000_000))
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min"
        case ..<(48 * 3600):
            let minutes = seconds / 60 % 60
            return minutes == 0 ? "\(seconds / 3600) h" : "\(seconds / 3600) h \(minutes) min"
        default:
            let hours = seconds / 3600 % 24
            return hours == 0 ? "\(seconds / 86400) d" : "\(seconds / 86400) d \(hours) h"
        }
    }
}
