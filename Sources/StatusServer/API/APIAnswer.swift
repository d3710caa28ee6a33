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
        let id: Int64
        let domains: [DomainPattern]
        let labels: [String: String]
        let kinds: [IncidentKind]?
        let startsAt: Date
        let endsAt: Date
        let author: String
        let reason: String

        var silence: Silence {
            Silence(
                id: String(id), scope: SilenceScope(domains: domains, labels: labels, kinds: kinds), startsAt: startsAt,
                endsAt: endsAt, author: author, reason: reason)
        }
    }

    package static func silence(_ data: Data) throws -> Silence {
        try decoder.decode(SilenceContent.self, from: data).silence
    }

    /// How many watched domains a new silence is about.
    package static func watchedDomains(_ data: Data) throws -> Int {
        struct Document: Decodable { let watchedDomains: Int }
        return try decoder.decode(Document.self, from: data).watchedDomains
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
            id: incident, subject: domain.map(Incident.Subject.domain) ?? .global(kind == .cdnWide ? .cdn : .network),
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

// MARK: - What `status` shows

/// A domain, or an incident of many, within a list.
private struct DiagnosisContent: Decodable {
    let effect: String?
    let cause: String?
    let action: String?
    let outlook: String?

    var text: DiagnosisText? {
        effect.map { DiagnosisText(effect: $0, cause: cause, action: action, outlook: outlook) }
    }
}

private struct DomainContent: Decodable {
    let domain: String
    let labels: [String: String]
    let diagnosisId: String?
    let verdict: Verdict.Level?
    let checkedAt: Date?
    let comparison: ComparisonContent?
    let incidents: [OpenContent]
    let diagnosis: DiagnosisText?

    struct ComparisonContent: Decodable {
        let state: Comparison.State
        let bytesEqual: Bool?
        let lagSeconds: Int?
        let edges: Edges?

        /// The keys of `EdgeTally` are those of the document, which this decoder has converted.
        struct Edges: Decodable {
            let asked: Int
            let inSync: Int
            let old: Int
            let unreachable: Int
        }
    }

    struct OpenContent: Decodable {
        let id: String
        let kind: IncidentKind
        let severity: Severity
        let state: Incident.State
        let since: Date
        let alertsAfter: Date?
        let silencedUntil: Date?
        let inhibitedBy: String?
        let acknowledgedBy: String?
    }

    private enum Key: String, CodingKey {
        case domain, labels, diagnosisId, verdict, checkedAt, comparison, incidents
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        domain = try container.decode(String.self, forKey: .domain)
        labels = try container.decodeIfPresent([String: String].self, forKey: .labels) ?? [:]
        diagnosisId = try container.decodeIfPresent(String.self, forKey: .diagnosisId)
        verdict = try container.decodeIfPresent(Verdict.Level.self, forKey: .verdict)
        checkedAt = try container.decodeIfPresent(Date.self, forKey: .checkedAt)
        comparison = try container.decodeIfPresent(ComparisonContent.self, forKey: .comparison)
        incidents = try container.decode([OpenContent].self, forKey: .incidents)
        diagnosis = try DiagnosisContent(from: decoder).text
    }
}

private struct GlobalContent: Decodable {
    let id: String
    let domain: String?
    let kind: String
    let state: String
    let since: Date
    let acknowledged: Acknowledged?
    let diagnosis: DiagnosisText?

    struct Acknowledged: Decodable { let by: String }

    private enum Key: String, CodingKey { case id, domain, kind, state, since, acknowledged }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(String.self, forKey: .id)
        domain = try container.decodeIfPresent(String.self, forKey: .domain)
        kind = try container.decode(String.self, forKey: .kind)
        state = try container.decode(String.self, forKey: .state)
        since = try container.decode(Date.self, forKey: .since)
        acknowledged = try container.decodeIfPresent(Acknowledged.self, forKey: .acknowledged)
        diagnosis = try DiagnosisContent(from: decoder).text
    }
}

extension APIAnswer {
    /// One page of `/api/v1/domains`.
    package struct DomainPage: Sendable {
        package let rows: [OverviewRow]
        /// `cursor` of the next page.
        package let next: String?
    }

    package static func domains(_ data: Data, now: Date) throws -> DomainPage {
        struct Page: Decodable {
            let domains: [DomainContent]
            let next: String?
        }
        let page = try decoder.decode(Page.self, from: data)
        return DomainPage(rows: page.domains.map { OverviewRow($0, PageTime(now: now)) }, next: page.next)
    }

    /// `/api/v1/domains/{domain}`.
    package static func domain(_ data: Data, now: Date) throws -> OverviewRow {
        OverviewRow(try decoder.decode(DomainContent.self, from: data), PageTime(now: now))
    }

    /// Open incidents of no single domain, from `/api/v1/incidents`.
    package static func global(_ data: Data, now: Date) throws -> [GlobalLine] {
        struct Page: Decodable { let incidents: [GlobalContent] }
        return try decoder.decode(Page.self, from: data).incidents.filter { $0.domain == nil }
            .map { GlobalLine($0, PageTime(now: now)) }
    }
}

extension GlobalLine {
    fileprivate init(_ content: GlobalContent, _ time: PageTime) {
        self.init(
            kind: content.kind, state: content.state, id: String(content.id.prefix(12)),
            address: "/incidents/\(content.id)",
            diagnosis: (content.diagnosis?.parts ?? []).map { $0.onOneLine(upTo: 600) }, since: time.age(content.since),
            acknowledgedBy: content.acknowledged?.by.onOneLine(upTo: 100))
    }
}

extension OverviewRow {
    fileprivate init(_ content: DomainContent, _ time: PageTime) {
        let open = content.incidents.sorted { ($0.state.urgency, $0.kind) < ($1.state.urgency, $1.kind) }
        self.init(
            name: content.domain, labels: content.labels, verdict: content.verdict,
            diagnosis: content.diagnosis?.parts, diagnosisID: content.diagnosisId,
            comparison: content.comparison.map {
                Comparison(
                    state: $0.state, bytesEqual: $0.bytesEqual, lagSeconds: $0.lagSeconds,
                    edges: $0.edges.map {
                        EdgeTally(asked: $0.asked, inSync: $0.inSync, old: $0.old, unreachable: $0.unreachable)
                    })
            },
            incidents: open.map {
                OverviewIncident(
                    id: String($0.id.prefix(12)), kind: $0.kind.rawValue, state: $0.state.rawValue,
                    since: time.age($0.since),
                    waitsFor: OverviewIncident.waitsFor($0.state, notBefore: $0.alertsAfter, wall: time.wall),
                    silencedUntil: $0.silencedUntil.map { PageTime.brief($0, wall: time.wall) },
                    inhibitedBy: $0.inhibitedBy, acknowledgedBy: $0.acknowledgedBy?.onOneLine(upTo: 100))
            },
            firing: open.filter { $0.state == .firing }.map(\.severity).max(), checkedAt: content.checkedAt, time: time)
    }
}
