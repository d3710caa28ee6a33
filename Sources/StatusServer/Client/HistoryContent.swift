// `/api/v1/domains/{domain}/history`, as it is read again.

import Evidence
import Foundation
import Monitoring
import Storage

struct HistoryContent: Decodable {
    let domain: String
    let checkedAt: Date?
    let versions: [Version]
    let propagations: [Propagation]
    let usual: Usual?
    let lagSeconds: Int?
    let incidents: [Entry]
    let deliveries: [DeliveryContent]

    struct Propagation: Decodable {
        let changedAt: Date
        let seconds: Int
    }

    struct Usual: Decodable {
        let medianSeconds: Int
        let ninthSeconds: Int
    }

    struct Version: Decodable {
        let sha256: String
        let meaning: String
        let from: Date
        let until: Date?
        let bytes: Int?
        let changes: [Change]?
        let behaviour: [BehaviourNote]?
        let propagationSeconds: Int?

        var version: DomainHistory.Version? {
            guard let content = ContentHash(hex: sha256), let meaning = ContentHash(hex: meaning) else { return nil }
            return DomainHistory.Version(
                content: content, meaning: meaning, from: from, until: until, bytes: bytes,
                differences: changes.map { DomainHistory.Differences(changes: $0, behaviour: behaviour ?? []) },
                propagationSeconds: propagationSeconds)
        }
    }

    struct Entry: Decodable {
        let id: String
        let kind: IncidentKind
        let severity: Severity
        let state: Incident.State
        let since: Date
        let openedAt: Date
        let firedAt: Date?
        let resolvedAt: Date?
        let reason: String?
        let diagnosis: String?
        let acknowledged: Acknowledged?

        struct Acknowledged: Decodable {
            let by: String
            let reason: String
            let at: Date
        }

        func record(of subject: Incident.Subject) -> IncidentRecord {
            IncidentRecord(
                incident: Incident(
                    id: id, subject: subject, kind: kind, severity: severity, state: state, since: since,
                    openedAt: openedAt, firedAt: firedAt, resolvedAt: resolvedAt,
                    reason: reason.flatMap(Incident.Resolution.init(rawValue:))),
                acknowledgement: acknowledged.map { Acknowledgement(by: $0.by, reason: $0.reason, at: $0.at) })
        }
    }
}
