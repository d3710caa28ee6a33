// What the store remembers of one domain's past: which versions the origin served and what they changed, how long Apple's
// CDN took for them, incidents and deliveries. For `history` and for `/api/v1/domains/{domain}/history`.

import Evidence
import Foundation
import Monitoring
import Storage

package struct DomainHistory: Sendable {
    package let domain: Domain
    package let checkedAt: Date?
    /// What the origin served, newest first.
    package let versions: [Version]
    /// How long Apple's CDN took, oldest first.
    package let propagations: [Propagation]
    /// nil: of fewer than five changes nothing is usual.
    package let usual: UsualPropagation?
    /// How long the CDN lags behind the latest change; nil where it does not.
    package let lagSeconds: Int?
    /// Newest first.
    package private(set) var incidents: [IncidentRecord]
    /// Newest first.
    package private(set) var deliveries: [DeliveryRecord]

    private let facts: [String: IncidentFacts]
    /// What incidents say, in one line, by their ids.
    private let diagnoses: [String: String]
    private let time: PageTime
    /// The document that it was read from; nil where it is the store's.
    private let source: Data?

    /// A stretch of time in which the origin served one content.
    package struct Version: Sendable {
        package let content: ContentHash
        package let meaning: ContentHash
        package let from: Date
        /// The first check that saw another content; nil: it is the present one.
        package let until: Date?
        /// nil where the body is no longer kept.
        package let bytes: Int?
        /// From the version before it; nil for the first one, and where one of the two bodies is no longer kept.
        package let differences: Differences?
        /// How long Apple's CDN took to serve it at every edge; nil where that was not seen.
        package let propagationSeconds: Int?
    }

    /// Versions, incidents and deliveries that are read at most.
    package static let largestLimit = 64

    /// nil where the store does not know the domain. `limit`: of versions, incidents and deliveries each.
    ///
    /// - Throws: `StoreError`.
    package init?(_ store: Store, domain: Domain, limit: Int, time: PageTime) async throws {
        guard let state = try await store.state(of: domain) else { return nil }
        self.domain = domain
        self.time = time
        source = nil
        checkedAt = state.lastCheckedAt.map(time.shown)
        propagations = state.propagations.map {
            Propagation(changedAt: time.shown($0.changedAt), seconds: $0.seconds)
        }
        usual = UsualPropagation(state.propagations.map(\.seconds))
        lagSeconds = state.verdict?.comparison.aged(to: time.now).lagSeconds
        versions = try await Self.versions(store, state, limit: limit, time: time)
        let incidents = try await store.incidents(IncidentQuery(domain: domain, limit: limit))
        let facts = try await store.incidentFacts(incidents.map(\.incident.id))
        (self.incidents, self.facts) = (incidents, facts)
        diagnoses = incidents.reduce(into: [:]) { all, record in
            let text = facts[record.incident.id]?.text(at: time.reading(record.incident))
            all[record.incident.id] = text?.oneLine
        }
        deliveries = try await store.deliveries(domain: domain, limit: limit)
    }

    private static func versions(
        _ store: Store, _ state: DomainState, limit: Int, time: PageTime
    ) async throws -> [Version] {
        let took = Dictionary(state.propagations.map { ($0.changedAt, $0.seconds) }) { _, last in last }
        // One more than is shown: the oldest one that is has a version before it.
        let periods = state.originPeriods.suffix(limit + 1)
        var versions: [Version] = []
        var former: Data?
        for (index, period) in zip(periods.indices, periods) {
            let body = try await store.body(period.content)
            var differences: Differences?
            if let former, let body {
                differences = Comparison.differences(from: former, to: body)
            }
            former = body
            guard index >= state.originPeriods.endIndex - limit else { continue }
            versions.append(
                Version(
                    content: period.content, meaning: period.meaning, from: time.shown(period.firstSeen),
                    until: period.supersededAt.map(time.shown), bytes: body?.count, differences: differences,
                    propagationSeconds: took[period.firstSeen]))
        }
        return versions.reversed()
    }

    /// What `server.public` shows of it: nobody who acts, no channels.
    var ofPublic: DomainHistory {
        var copy = self
        copy.deliveries = []
        copy.incidents = incidents.map { IncidentRecord(incident: $0.incident, acknowledgement: nil) }
        return copy
    }

    /// An instant of an incident or delivery as people's clocks showed it.
    package func shown(_ stored: Date) -> Date { time.shown(stored) }

    /// What an incident says, in one line; nil where the store no longer knows.
    package func diagnosis(of incident: Incident) -> String? { diagnoses[incident.id] }

    /// The form of the API.
    /// - Throws: what cannot be encoded, which is our own fault.
    package func document() throws -> Data { try source ?? APIDocument.encoder.encode(HistoryDocument(self)) }

    fileprivate var incidentDocuments: [IncidentDocument] {
        incidents.map { IncidentDocument($0, facts[$0.incident.id], time: time) }
    }

    fileprivate var deliveryDocuments: [DeliveryDocument] { deliveries.map { DeliveryDocument($0, time: time) } }
}

extension DomainHistory {
    /// Reads the API's document again.
    package init(document: Data, now: Date) throws {
        let content = try APIAnswer.decoder.decode(HistoryContent.self, from: document)
        domain = try Domain(content.domain)
        time = PageTime(now: now)
        source = document
        checkedAt = content.checkedAt
        versions = content.versions.compactMap(\.version)
        propagations = content.propagations.map { Propagation(changedAt: $0.changedAt, seconds: $0.seconds) }
        usual = content.usual.map { UsualPropagation(median: $0.medianSeconds, percentile90: $0.ninthSeconds) }
        lagSeconds = content.lagSeconds
        let subject = Incident.Subject.domain(domain)
        incidents = content.incidents.map { $0.record(of: subject) }
        facts = [:]
        diagnoses = Dictionary(content.incidents.compactMap { entry in entry.diagnosis.map { (entry.id, $0) } }) {
            first, _ in first
        }
        deliveries = content.deliveries.compactMap(\.record)
    }
}

/// The keys are always there.
private struct HistoryDocument: Encodable {
    let schema = "aasa-monitor/history/v1"
    let domain: String
    let checkedAt: Nullable<Date>
    let versions: [Version]
    let propagations: [Propagation]
    let usual: Nullable<Usual>
    let lagSeconds: Nullable<Int>
    let incidents: [IncidentDocument]
    let deliveries: [DeliveryDocument]

    struct Version: Encodable {
        let sha256: String
        let meaning: String
        let from: Date
        let until: Nullable<Date>
        let bytes: Nullable<Int>
        let changes: Nullable<[AssociationChange]>
        let changesTotal: Nullable<Int>
        let behaviour: Nullable<[BehaviourChange]>
        let propagationSeconds: Nullable<Int>
    }

    struct Propagation: Encodable {
        let changedAt: Date
        let seconds: Int
    }

    struct Usual: Encodable {
        let medianSeconds: Int
        let ninthSeconds: Int
    }

    init(_ history: DomainHistory) {
        domain = history.domain.name
        checkedAt = Nullable(history.checkedAt)
        versions = history.versions.map {
            Version(
                sha256: $0.content.hex, meaning: $0.meaning.hex, from: $0.from, until: Nullable($0.until),
                bytes: Nullable($0.bytes), changes: Nullable($0.differences?.changes),
                changesTotal: Nullable($0.differences?.total),
                behaviour: Nullable($0.differences?.behaviour), propagationSeconds: Nullable($0.propagationSeconds))
        }
        propagations = history.propagations.map { Propagation(changedAt: $0.changedAt, seconds: $0.seconds) }
        usual = Nullable(history.usual.map { Usual(medianSeconds: $0.median, ninthSeconds: $0.percentile90) })
        lagSeconds = Nullable(history.lagSeconds)
        incidents = history.incidentDocuments
        deliveries = history.deliveryDocuments
    }
}

/// `/api/v1/domains/{domain}/history`, as it is read again.
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
        let changes: [AssociationChange]?
        let changesTotal: Int?
        let behaviour: [BehaviourChange]?
        let propagationSeconds: Int?

        var version: DomainHistory.Version? {
            guard let content = ContentHash(hex: sha256), let meaning = ContentHash(hex: meaning) else { return nil }
            return DomainHistory.Version(
                content: content, meaning: meaning, from: from, until: until, bytes: bytes,
                differences: changes.map {
                    Differences(changes: $0, total: changesTotal, behaviour: behaviour ?? [])
                },
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
