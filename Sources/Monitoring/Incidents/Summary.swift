// The first line of a message: what is the matter, with which domain, since when.

import Evidence
import Foundation

package enum Summary {
    static func line(_ type: EventType, _ incident: Incident, at now: Date) -> String {
        let name = incident.domain.name
        let age = max(0, now.timeIntervalSince(incident.since)).inWords
        switch type {
        case .firing, .reminder:
            let still = type == .reminder ? "still: " : ""
            return "\(name): \(still)\(trouble(incident.kind)) (for \(age))"
        case .resolved:
            return "\(name): \(end(incident)) (after \(age))"
        }
    }

    private static func trouble(_ kind: IncidentKind) -> String {
        switch kind {
        case .originUnreachable: "the origin cannot be reached"
        case .originBroken: "the origin serves no valid file"
        case .cdnMissing: "Apple's CDN has no copy of the file"
        case .cdnStale: "Apple's CDN still serves the old file"
        case .cdnDivergent: "Apple's CDN serves another file than the origin"
        case .certificateExpiring: "the certificate ends soon"
        case .expectationFailed: "the file does not do what is expected of it"
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
            case .cdnMissing: "Apple's CDN has a copy again"
            case .cdnStale, .cdnDivergent: "Apple's CDN serves the origin's file again"
            case .certificateExpiring: "the certificate is renewed"
            case .expectationFailed: "the file does what is expected of it again"
            }
        }
    }
}
