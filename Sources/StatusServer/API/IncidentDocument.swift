// Incidents and deliveries for programs: `/api/v1/incidents`, and within the history of a domain. Every key is always there.

import Evidence
import Foundation
import Monitoring
import Storage

struct IncidentDocument: Encodable {
    let id: String
    /// null for an incident of many domains, or of the monitor itself.
    let domain: Nullable<String>
    let kind: String
    let severity: Severity
    let state: Incident.State
    let since: Date
    let openedAt: Date
    let firedAt: Nullable<Date>
    let resolvedAt: Nullable<Date>
    let reason: Nullable<Incident.Resolution>
    let isFlapping: Bool
    let diagnosis: Nullable<String>
    let diagnosisId: Nullable<DiagnosisID>
    let effect: Nullable<String>
    let cause: Nullable<String>
    let action: Nullable<String>
    let outlook: Nullable<String>
    let acknowledged: Nullable<Acknowledged>

    struct Acknowledged: Encodable {
        let by: String
        let reason: String
        let at: Date
    }

    init(_ record: IncidentRecord, _ facts: IncidentFacts?, time: PageTime) {
        let incident = record.incident
        id = incident.id
        domain = Nullable(incident.domain?.name)
        kind = incident.kind.rawValue
        severity = incident.severity
        state = incident.state
        since = time.shown(incident.since)
        openedAt = time.shown(incident.openedAt)
        firedAt = Nullable(incident.firedAt.map(time.shown))
        resolvedAt = Nullable(incident.resolvedAt.map(time.shown))
        reason = Nullable(incident.reason)
        isFlapping = incident.isFlapping
        let text = facts?.text
        diagnosis = Nullable(text?.oneLine)
        diagnosisId = Nullable(facts?.diagnosis.id)
        effect = Nullable(text?.effect)
        cause = Nullable(text?.cause)
        action = Nullable(text?.action)
        outlook = Nullable(text?.outlook)
        acknowledged = Nullable(
            record.acknowledgement.map { Acknowledged(by: $0.by, reason: $0.reason, at: time.shown($0.at)) })
    }
}

/// `/api/v1/incidents/{id}`: with all that a message would say, and what was sent.
struct IncidentDetailDocument: Encodable {
    private let incident: IncidentDocument
    private let more: More

    private struct More: Encodable {
        let schema = "aasa-monitor/incident/v1"
        let comparison: Nullable<ComparisonDocument>
        let findings: [FindingText]
        let deliveries: [DeliveryDocument]
    }

    init(_ record: IncidentRecord, _ facts: IncidentFacts?, deliveries: [DeliveryRecord], time: PageTime) {
        incident = IncidentDocument(record, facts, time: time)
        more = More(
            comparison: Nullable(facts.map { ComparisonDocument($0.comparison, time: time) }),
            findings: (facts?.findings ?? []).map(\.text),
            deliveries: deliveries.map { DeliveryDocument($0, time: time) })
    }

    func encode(to encoder: any Encoder) throws {
        try incident.encode(to: encoder)
        try more.encode(to: encoder)
    }
}

/// One message that was sent, or that nobody needed any more. Neither its text nor its address: those are secrets.
struct DeliveryDocument: Encodable {
    let id: Int64
    let at: Date
    let channel: String
    let incident: String
    let type: String
    let reason: String
    let attempts: Int
    let outcome: String
    let status: Nullable<Int>
    let error: Nullable<String>

    init(_ record: DeliveryRecord, time: PageTime) {
        id = record.id
        at = time.shown(record.at)
        channel = record.channel
        incident = record.incidentID
        type = record.type.rawValue
        reason = record.reason.rawValue
        attempts = record.attempts
        outcome = record.outcome.rawValue
        status = Nullable(record.status)
        error = Nullable(record.error?.displayable)
    }
}
