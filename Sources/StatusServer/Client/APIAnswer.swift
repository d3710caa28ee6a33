// Documents of the API, read again: what a command shows of a daemon elsewhere is what it shows of a store.

import Evidence
import Foundation
import Monitoring
import Storage

/// Decodes what a daemon answered. An answer that cannot be decoded is of another program, or of another version.
package enum APIAnswer {
    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    /// An error under `/api/`; nil where it has another form.
    package static func refusal(_ data: Data) -> String? {
        struct Document: Decodable {
            let error: Content
            struct Content: Decodable { let message: String }
        }
        return (try? decoder.decode(Document.self, from: data))?.error.message
    }

    // MARK: - Incidents

    /// An incident in a word, for those who change it.
    package struct NamedIncident: Decodable, Sendable {
        package let id: String
        let kind: String
        let domain: String?
        let acknowledged: Acknowledged?

        struct Acknowledged: Decodable { let by: String }

        /// nil: nobody, or not told.
        package var acknowledgedBy: String? { acknowledged?.by }
        /// `origin.broken of example.com`
        package var about: String { (kind + (domain.map { " of \($0)" } ?? "")).displayable }
    }

    package static func incident(_ data: Data) throws -> NamedIncident {
        try decoder.decode(NamedIncident.self, from: data)
    }

    package static func incidents(_ data: Data) throws -> [NamedIncident] {
        struct Page: Decodable { let incidents: [NamedIncident] }
        return try decoder.decode(Page.self, from: data).incidents
    }

    // MARK: - Silences

    private struct SilenceContent: Decodable {
        let id: String
        let domains: [DomainPattern]
        let labels: [String: String]
        let kinds: [IncidentKind]?
        let startsAt: Date
        let endsAt: Date
        let author: String
        let reason: String

        var silence: Silence {
            Silence(
                id: id, scope: SilenceScope(domains: domains, labels: labels, kinds: kinds), startsAt: startsAt,
                endsAt: endsAt, author: author, reason: reason)
        }
    }

    package static func silence(_ data: Data) throws -> Silence {
        try decoder.decode(SilenceContent.self, from: data).silence
    }

    package static func silences(_ data: Data) throws -> [Silence] {
        struct List: Decodable { let silences: [SilenceContent] }
        return try decoder.decode(List.self, from: data).silences.map(\.silence)
    }

    // MARK: - Deliveries

    /// Of the incidents only kind and domain are known.
    package static func deliveries(_ data: Data) throws -> (deliveries: [DeliveryRecord], pending: [PendingCount]) {
        struct Page: Decodable {
            let deliveries: [DeliveryContent]
            let pending: [PendingCount]
        }
        let page = try decoder.decode(Page.self, from: data)
        let deliveries = page.deliveries.compactMap { content -> DeliveryRecord? in
            var record = content.record
            record?.incident = content.subject
            return record
        }
        return (deliveries, page.pending)
    }

    package static func message(_ data: Data) throws -> MessageDocument {
        try decoder.decode(MessageDocument.self, from: data)
    }

    package static func retry(_ data: Data) throws -> RetryDocument {
        try decoder.decode(RetryDocument.self, from: data)
    }
}

/// A delivery, within a list or a history.
struct DeliveryContent: Decodable {
    let id: Int64
    let at: Date
    let channel: String
    let incident: String
    let type: String
    let reason: String
    let attempts: Int
    let outcome: String
    let status: Int?
    let error: String?
    let domain: String?
    let kind: String?
    let version: Int?
    let messageKey: String?

    /// The incident as far as the document says what it is.
    var subject: Incident? {
        guard let kind = kind.flatMap(IncidentKind.init(rawValue:)) else { return nil }
        let domain = domain.flatMap { try? Domain($0) }
        return Incident(
            id: incident, subject: domain.map(Incident.Subject.domain) ?? .fleet(kind == .cdnWide ? .cdn : .network),
            kind: kind, severity: .error, state: .firing, since: at, openedAt: at)
    }

    /// nil where a newer version has words of its own.
    var record: DeliveryRecord? {
        guard let type = EventType(rawValue: type), let reason = NotificationReason(rawValue: reason),
            let outcome = DeliveryRecord.Outcome(rawValue: outcome)
        else { return nil }
        var record = DeliveryRecord(
            channel: channel, incidentID: incident, type: type, reason: reason, version: version ?? 0,
            key: messageKey ?? "", at: at, attempts: attempts, outcome: outcome, status: status, error: error)
        record.id = id
        return record
    }
}
