// One domain for programs: `/api/v1/domains/{domain}`. docs/operations.md has the form.

import Evidence
import Foundation
import Monitoring

struct DomainDocument: Encodable {
    let schema = "aasa-monitor/domain/v1"
    let domain: String
    let labels: [String: String]
    let verdict: Verdict.Level?
    let diagnosis: Nullable<String>
    let diagnosisId: Nullable<DiagnosisID>
    let effect: Nullable<String>
    let cause: Nullable<String>
    let action: Nullable<String>
    let outlook: Nullable<String>
    let checkedAt: Date?
    /// When everything was last asked for: the instant of `addresses`, `edges` and `vantages`.
    let fullAt: Date?
    let comparison: Comparison?
    let findings: [Finding]
    let incidents: [OpenTrouble]
    let addresses: [Copy]
    let edges: [Copy]
    let vantages: [Copy]

    struct OpenTrouble: Encodable {
        let id: String
        let kind: String
        let state: String
        let since: Date
        /// Until when a silence or window suppresses notifications; absent where none does.
        let silencedUntil: Date?
        /// The kind of the incident that inhibits it; absent where none does.
        let inhibitedBy: String?
        /// Who acknowledged it; absent: nobody.
        let acknowledgedBy: String?
    }

    /// A value whose key is always there: null where there is none.
    struct Nullable<Value: Encodable>: Encodable {
        let value: Value?

        init(_ value: Value?) { self.value = value }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// One copy of the file; of `address` and `name` the one that its place has.
    struct Copy: Encodable {
        var address: String?
        var family: Int?
        var scope: String?
        var name: String?
        let status: Int?
        let sha256: String?
        let serves: String
        let error: String?
        var headers: [String: String]?

        init(_ sighting: CopySighting) {
            status = sighting.status
            sha256 = sighting.hash?.hex
            serves = sighting.serves.rawValue
            error = sighting.error
        }
    }

    init(
        watched: WatchedDomainInfo, state: DomainState?, full: Observation?, context: IncidentContext, time: PageTime
    ) {
        domain = watched.domain.name
        labels = watched.labels
        verdict = state?.verdict?.level
        let text = state?.verdict?.text
        diagnosis = Nullable(text?.oneLine)
        diagnosisId = Nullable(state?.verdict?.diagnosis.id)
        effect = Nullable(text?.effect)
        cause = Nullable(text?.cause)
        action = Nullable(text?.action)
        outlook = Nullable(text?.outlook)
        checkedAt = state?.lastCheckedAt.map(time.shown)
        fullAt = full.map { time.shown($0.checkedAt) }
        var comparison = state?.verdict?.comparison
        if let changedAt = comparison?.changedAt { comparison?.changedAt = time.shown(changedAt) }
        comparison?.compared = nil
        self.comparison = comparison
        findings = state?.verdict?.findings ?? []
        let open = (state?.open ?? [:]).values.sorted { $0.incident.kind < $1.incident.kind }
        incidents = open.map { tracked in
            let incident = tracked.incident
            return OpenTrouble(
                id: incident.id, kind: incident.kind.rawValue, state: incident.state.rawValue,
                since: time.shown(incident.since),
                silencedUntil: context.silencedUntil(incident, labels: watched.labels, at: time.wall),
                inhibitedBy: context.inhibitor(of: tracked),
                acknowledgedBy: context.acknowledgements[incident.id]?.by)
        }
        let sights = full.map(FullSightings.init)
        addresses = (sights?.addresses ?? []).map { address, sighting in
            var copy = Copy(sighting)
            copy.address = sighting.place
            copy.family = address.family
            copy.scope = address.scope.rawValue
            return copy
        }
        edges = (sights?.edges ?? []).map { sighting in
            var copy = Copy(sighting)
            copy.address = sighting.place
            copy.headers = Dictionary(
                CopySighting.tellingHeaders.compactMap { name in sighting.header(name).map { (name, $0) } }
            ) { first, _ in first }
            return copy
        }
        vantages = (sights?.vantages ?? []).map { sighting in
            var copy = Copy(sighting)
            copy.name = sighting.place
            return copy
        }
    }

    /// - Throws: what cannot be encoded, which is our own fault.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
