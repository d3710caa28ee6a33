// One domain for programs: `/api/v1/domains/{domain}`. docs/operations.md has the form.

import Evidence
import Foundation
import Monitoring

struct DomainDocument: Encodable {
    let schema = "aasa-monitor/domain/v1"
    let domain: String
    let labels: [String: String]
    let verdict: Verdict.Level?
    let diagnosis: String?
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
        /// Until when nobody is told of it; absent where somebody is.
        let mutedUntil: Date?
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

    init(watched: WatchedDomainInfo, state: DomainState?, full: Observation?, mutings: Mutings, now: Date) {
        domain = watched.domain.name
        labels = watched.labels
        verdict = state?.verdict?.level
        diagnosis = state?.verdict?.diagnosis
        checkedAt = state?.lastCheckedAt
        fullAt = full?.checkedAt
        comparison = state?.verdict?.comparison
        findings = state?.verdict?.findings ?? []
        incidents = (state?.open ?? [:]).values.map(\.incident).sorted { $0.kind < $1.kind }.map {
            let muting = mutings.muting(domain: $0.domain, labels: watched.labels, kind: $0.kind, at: now)
            return OpenTrouble(
                id: $0.id, kind: $0.kind.rawValue, state: $0.state.rawValue, since: $0.since, mutedUntil: muting?.until)
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
