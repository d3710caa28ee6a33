// The first line of a message: what is the matter, with which domain, since when.

import Evidence
import Foundation

package enum Summary {
    /// `trouble`: what is the matter and what is well again, where the kind alone does not say it.
    static func line(
        _ type: EventType, news: Event.News? = nil, _ incident: Incident, at now: Date,
        trouble words: (now: String, over: String)? = nil, subject: String? = nil
    ) -> String {
        let name = subject ?? incident.subject
        let trouble = words?.now ?? trouble(incident.kind)
        let age = max(0, now.timeIntervalSince(incident.since)).inWords
        switch type {
        case .firing, .reminder:
            let still = type == .reminder ? "still: " : ""
            return "\(name): \(still)\(trouble) (for \(age))"
        case .update:
            return "\(name): \(prefix(news))\(trouble) (for \(age))"
        case .resolved:
            return "\(name): \(words?.over ?? end(incident)) (after \(age))"
        case .acknowledged:
            return "\(name): in hand: \(trouble) (for \(age))"
        }
    }

    private static func prefix(_ news: Event.News?) -> String {
        switch news {
        case .again: "again: "
        case .flapping: "comes and goes, no more is told until it is calm: "
        case .worse: "worse: "
        case .changed, nil: "changed: "
        }
    }

    private static func trouble(_ kind: IncidentKind) -> String {
        switch kind {
        case .originUnreachable: "the origin cannot be reached"
        case .originBroken: "the origin serves no valid file"
        case .originInconsistent: "the origin serves different files in turn"
        case .cdnMissing: "Apple's CDN has no copy of the file"
        case .cdnStale: "Apple's CDN still serves the old file"
        case .cdnDivergent: "Apple's CDN serves another file than the origin"
        case .certificateExpiring: "the certificate ends soon"
        case .expectationFailed: "the file does not do what is expected of it"
        case .cdnWide: "Apple's CDN is in trouble for many domains at once"
        case .monitorDegraded: "the monitor itself is in trouble"
        }
    }

    private static func end(_ incident: Incident) -> String {
        switch incident.reason {
        case .cdnCaughtUp: "Apple's CDN serves the origin's file again"
        case .cdnRefreshed: "Apple's CDN took a newer file, though not yet the newest"
        case .originReverted: "the origin went back to the file that Apple's CDN serves"
        case .superseded: "this trouble gave way to another"
        case .removed:
            incident.kind.isOfCDN ? "Apple's copy is no longer watched" : "the domain is no longer watched"
        case .recovered, nil:
            switch incident.kind {
            case .originUnreachable: "the origin can be reached again"
            case .originBroken: "the origin serves a valid file again"
            case .originInconsistent: "the origin answers alike everywhere again"
            case .cdnMissing: "Apple's CDN has a copy again"
            case .cdnStale, .cdnDivergent: "Apple's CDN serves the origin's file again"
            case .certificateExpiring: "the certificate is renewed"
            case .expectationFailed: "the file does what is expected of it again"
            case .cdnWide: "Apple's CDN is well again"
            case .monitorDegraded: "the monitor is well again"
            }
        }
    }
}
