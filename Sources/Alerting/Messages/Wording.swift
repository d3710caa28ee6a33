// The words of messages, shared by all channels for people. Nothing here is escaped; each channel does that for itself.

import Evidence
import Foundation
import Monitoring

struct Wording {
    let facts: AlertFacts

    private var incident: Incident { facts.incident }

    /// The line that decides: state, severity, domain, kind, age.
    var headline: String {
        if facts.isTest { return "TEST · \(subject) · nothing is wrong" }
        let age = Self.span(from: incident.since, to: facts.event.at)
        return switch facts.event.type {
        case .firing where facts.event.escalation != nil:
            "ESCALATED · \(incident.severity.rawValue) · \(subject) · \(incident.kind.rawValue) · for \(age)"
        case .firing:
            "FIRING · \(incident.severity.rawValue) · \(subject) · \(incident.kind.rawValue) · for \(age)"
        case .reminder:
            "STILL FIRING · \(incident.severity.rawValue) · \(subject) · \(incident.kind.rawValue) · for \(age)"
        case .acknowledged:
            "IN HAND · \(incident.severity.rawValue) · \(subject) · \(incident.kind.rawValue) · for \(age)"
        case .update:
            "\(news) · \(incident.severity.rawValue) · \(subject) · \(incident.kind.rawValue) · for \(age)"
        case .resolved where facts.isUnsaidEnd:
            "WAS FIRING · \(subject) · \(incident.kind.rawValue) · from \(Self.instant(incident.since)) to "
                + Self.instant(incident.resolvedAt ?? facts.event.at)
        case .resolved: "RESOLVED · \(subject) · \(incident.kind.rawValue) · after \(duration)"
        }
    }

    /// What the message is about, in a few words.
    private var subject: String {
        incident.kind == .cdnWide ? facts.event.affected?.words ?? incident.subject : incident.subject
    }

    /// The domains that an incident of the fleet is about, the first of them; none for one about a single domain.
    var domains: [String] {
        guard let affected = facts.event.affected, facts.event.type != .resolved else { return [] }
        let names = affected.domains.prefix(10).map(\.name)
        let rest = affected.count - names.count
        return names + (rest > 0 ? ["… and \(rest) more"] : [])
    }

    let domainsTitle = "Domains:"

    private var news: String {
        switch facts.event.news {
        case .again: "FIRING AGAIN"
        case .flapping: "COMES AND GOES, SILENT UNTIL CALM"
        case .worse: "WORSE"
        case .changed, nil: "CHANGED, STILL FIRING"
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
        if let digest = facts.digest, digest.kind == nil { return nil }
        return switch incident.kind {
        case .originUnreachable, .originBroken:
            "Apple keeps its last copy for a while; once that is gone, links open the website and no longer the app."
        case .originInconsistent:
            "Which file Apple and devices get is chance: links may work today and for some people only."
        case .cdnMissing: "Devices get no file from Apple: links open the website, not the app."
        case .cdnStale:
            "Devices that install or update the app now get the old file; those with it learn it later still."
        case .cdnDivergent: "Devices get a file from Apple that this site was never seen to serve."
        case .certificateExpiring:
            "When the certificate ends, Apple can no longer read the file, and later links stop opening the app."
        case .expectationFailed:
            "Once Apple's CDN has this file, devices follow it: links and passwords work as it says, not as expected."
        case .cdnWide:
            "Devices get no file, or an old one, for these domains. Each is not told of beside this; what is still wrong at the end will be."
        case .monitorDegraded: facts.event.findings.first.flatMap(ownConsequence)
        }
    }

    private func ownConsequence(_ finding: Finding) -> String? {
        switch finding.rule.rawValue {
        case "monitor.network-lost", "monitor.many-failing":
            "No alert about a single domain comes until it can be told how that one stands. Phones are not affected by this."
        case "monitor.store-failing": "Nothing is remembered and no other alert can come."
        case "monitor.delivery-failing": "Whoever reads that channel alone is told of nothing."
        case "monitor.schedule-behind": "Changes and trouble are noticed later than configured."
        default: nil
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
            case .recovered where incident.domain == nil: facts.event.diagnosis
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
