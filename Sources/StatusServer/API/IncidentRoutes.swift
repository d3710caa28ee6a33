import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import NIOCore
import Storage

/// Incidents, open and past, for programs.
struct IncidentRoutes: Sendable {
    let store: Store
    let timekeeper: any MonitorClock

    /// Deliveries of one incident that are shown at most.
    private static let deliveries = 200

    /// Newest first.
    func list(_ request: Request) async throws -> Response {
        let query = try APIQuery(request, keys: ["limit", "cursor", "domain", "kind", "state"])
        let wanted = IncidentQuery(
            domain: try query.domain("domain"), kind: try query.choice("kind", IncidentKind.self),
            state: try query.choice("state", IncidentQuery.State.self), after: try query.place(IncidentPlace.init),
            limit: try query.limit())
        let page = try await IncidentPage(store, wanted, time: PageTime(timekeeper))
        return Response(json: try APIDocument.encoder.encode(page))
    }

    func one(_ id: String) async throws -> Response {
        let record = try await store.incident(named: id)
        let facts = try await store.incidentFacts([record.incident.id])[record.incident.id]
        let deliveries = try await store.deliveries(incident: record.incident.id, limit: Self.deliveries)
        return Response(
            json: try APIDocument.encoder.encode(
                IncidentDetailDocument(record, facts, deliveries: deliveries, time: PageTime(timekeeper))))
    }
}

/// One page of `/api/v1/incidents`.
package struct IncidentPage: Codable, Sendable {
    let schema: String
    package let incidents: [IncidentDocument]
    /// `cursor` of the next page.
    package let next: Nullable<String>

    /// From a store, as the API answers it.
    package init(_ store: Store, _ query: IncidentQuery, now: Date) async throws {
        try await self.init(store, query, time: PageTime(store, wall: now))
    }

    init(_ store: Store, _ query: IncidentQuery, time: PageTime) async throws {
        var more = query
        more.limit += 1
        let found = try await store.incidents(more)
        let page = found.prefix(query.limit)
        let facts = try await store.incidentFacts(page.map(\.incident.id))
        schema = "aasa-monitor/incidents/v1"
        incidents = page.map { IncidentDocument($0, facts[$0.incident.id], time: time) }
        next = Nullable(found.count > query.limit ? page.last.map { IncidentPlace($0.incident).text } : nil)
    }

    package init(json: Data) throws { self = try APIAnswer.decoder.decode(Self.self, from: json) }
}

extension IncidentDocument {
    package init(_ store: Store, named name: String, now: Date) async throws {
        let record = try await store.incident(named: name)
        let facts = try await store.incidentFacts([record.incident.id])[record.incident.id]
        self.init(record, facts, time: try await PageTime(store, wall: now))
    }

    package init(json: Data) throws { self = try APIAnswer.decoder.decode(Self.self, from: json) }

    /// As the API answers it.
    package func json() throws -> Data {
        let encoder = APIDocument.encoder
        encoder.outputFormatting.insert(.prettyPrinted)
        return try encoder.encode(self)
    }
}

/// `POST /api/v1/incidents/{id}/ack` acknowledges an incident, `DELETE` ends the acknowledgement. Who may write is decided as
/// for silences.
struct AcknowledgeRoute: Sendable {
    let store: Store
    let timekeeper: any MonitorClock
    let gate: WriteGate
    /// Called after each change.
    let onWrite: @Sendable () async -> Void

    private static let maximumBytes = 16 * 1024

    /// The body: `{"by": "eva", "reason": "on it"}`; `reason` may be left out.
    private struct Order: Decodable {
        let by: String
        let reason: String?
    }

    private struct Document: Encodable {
        let id: String
        let kind: String
        let domain: Nullable<String>
        let by: Nullable<String>
        let reason: Nullable<String>
    }

    func acknowledge(_ request: Request, id: String) async throws -> Response {
        try await gate.answer(request, upTo: Self.maximumBytes) { body in
            guard let order = try? JSONDecoder().decode(Order.self, from: body) else {
                return gate.fault("the body must be a JSON object with 'by' and, if wanted, 'reason'", .badRequest)
            }
            let acknowledgement: Acknowledgement
            do {
                acknowledgement = try Acknowledgement(
                    asked: order.by, reason: order.reason ?? "", at: timekeeper.now())
            } catch let error as SilenceFault {
                return gate.fault(error.description, .badRequest)
            }
            return try await answer(store.acknowledge(named: id, acknowledgement), acknowledgement)
        }
    }

    func unacknowledge(_ request: Request, id: String) async throws -> Response {
        if let refusal = gate.refusal(request) { return refusal }
        return try await answer(store.unacknowledge(named: id), nil)
    }

    private func answer(_ answer: AcknowledgeAnswer, _ acknowledgement: Acknowledgement?) async throws -> Response {
        guard case .done(let incident) = answer else {
            return gate.fault(answer.refusal ?? "", .conflict)
        }
        await onWrite()
        return try gate.json(
            Document(
                id: incident.id, kind: incident.kind.rawValue, domain: Nullable(incident.domain?.name),
                by: Nullable(acknowledgement?.by), reason: Nullable(acknowledgement?.reason)))
    }
}

/// Incidents and deliveries for programs: `/api/v1/incidents`, and within the history of a domain. Every key is always there.
package struct IncidentDocument: Codable, Sendable {
    package let id: String
    /// null for an incident of many domains, or of the monitor itself.
    package let domain: Nullable<String>
    package let kind: String
    package let severity: Severity
    package let state: Incident.State
    package let since: Date
    package let openedAt: Date
    package let firedAt: Nullable<Date>
    package let resolvedAt: Nullable<Date>
    package let reason: Nullable<Incident.Resolution>
    package let isFlapping: Bool
    package let diagnosis: Nullable<String>
    package let diagnosisId: Nullable<DiagnosisID>
    package let effect: Nullable<String>
    package let cause: Nullable<String>
    package let action: Nullable<String>
    package let outlook: Nullable<String>
    package let acknowledged: Nullable<Acknowledged>

    package struct Acknowledged: Codable, Sendable {
        package let by: String
        package let reason: String
        package let at: Date
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
        let text = facts?.text(at: time.reading(incident))
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
            comparison: Nullable(
                facts.map { ComparisonDocument($0.comparison, at: record.incident.resolvedAt ?? time.now, time: time) }),
            findings: (facts?.findings ?? []).map { $0.text(at: time.reading(record.incident)) },
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
