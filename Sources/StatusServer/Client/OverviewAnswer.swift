// What `status` shows, from the API's documents.

import Evidence
import Foundation
import Monitoring
import Storage

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
    let verdict: Verdict.Level?
    let checkedAt: Date?
    let comparison: ComparisonContent?
    let incidents: [OpenContent]
    let diagnosis: DiagnosisText?

    struct ComparisonContent: Decodable {
        let state: Comparison.State
        let bytesEqual: Bool?
        let lagSeconds: Int?
    }

    struct OpenContent: Decodable {
        let id: String
        let kind: IncidentKind
        let state: Incident.State
        let since: Date
        let silencedUntil: Date?
        let inhibitedBy: String?
        let acknowledgedBy: String?
    }

    private enum Key: String, CodingKey { case domain, verdict, checkedAt, comparison, incidents }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        domain = try container.decode(String.self, forKey: .domain)
        verdict = try container.decodeIfPresent(Verdict.Level.self, forKey: .verdict)
        checkedAt = try container.decodeIfPresent(Date.self, forKey: .checkedAt)
        comparison = try container.decodeIfPresent(ComparisonContent.self, forKey: .comparison)
        incidents = try container.decode([OpenContent].self, forKey: .incidents)
        diagnosis = try DiagnosisContent(from: decoder).text
    }
}

private struct FleetContent: Decodable {
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
    package static func fleet(_ data: Data, now: Date) throws -> [FleetLine] {
        struct Page: Decodable { let incidents: [FleetContent] }
        return try decoder.decode(Page.self, from: data).incidents.filter { $0.domain == nil }
            .map { FleetLine($0, PageTime(now: now)) }
    }
}

extension FleetLine {
    fileprivate init(_ content: FleetContent, _ time: PageTime) {
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
            name: content.domain, verdict: content.verdict, diagnosis: content.diagnosis?.parts,
            comparison: content.comparison.map {
                Comparison(state: $0.state, bytesEqual: $0.bytesEqual, lagSeconds: $0.lagSeconds)
            },
            incidents: open.map {
                OverviewIncident(
                    id: String($0.id.prefix(12)), kind: $0.kind.rawValue, state: $0.state.rawValue,
                    since: time.age($0.since),
                    silencedUntil: $0.silencedUntil.map { PageTime.brief($0, wall: time.wall) },
                    inhibitedBy: $0.inhibitedBy, acknowledgedBy: $0.acknowledgedBy?.onOneLine(upTo: 100))
            },
            isFiring: open.contains { $0.state == .firing }, checkedAt: content.checkedAt, time: time)
    }
}
