// One domain for programs: `/api/v1/domains/{domain}`. docs/operations.md has the form. Every key is always there.

import Evidence
import Foundation
import Monitoring

struct DomainDocument: Encodable {
    private let summary: DomainSummaryDocument
    private let more: More

    /// What the summary leaves out.
    private struct More: Encodable {
        let schema = "aasa-monitor/domain/v1"
        /// When everything was last asked for: the instant of `addresses`, `edges` and `vantages`.
        let fullAt: Nullable<Date>
        let findings: [FindingText]
        let addresses: [Copy]
        let edges: [Copy]
        let vantages: [Copy]
    }

    /// One copy of the file; of `address` and `name` the one that its place has.
    struct Copy: Encodable {
        var address: String?
        var family: Int?
        var scope: String?
        var name: String?
        let status: Nullable<Int>
        let sha256: Nullable<String>
        let serves: String
        let error: Nullable<String>
        var headers: [String: String]?

        init(_ sighting: CopySighting) {
            status = Nullable(sighting.status)
            sha256 = Nullable(sighting.hash?.hex)
            serves = sighting.serves.rawValue
            error = Nullable(sighting.error)
        }
    }

    init(
        watched: WatchedDomainInfo, state: DomainState?, full: Observation?, context: IncidentContext, time: PageTime
    ) {
        summary = DomainSummaryDocument(watched: watched, state: state, context: context, time: time)
        let sights = full.map(FullSightings.init)
        more = More(
            fullAt: Nullable(full.map { time.shown($0.checkedAt) }),
            findings: (state?.verdict?.findings ?? []).map(\.text),
            addresses: (sights?.addresses ?? []).map { address, sighting in
                var copy = Copy(sighting)
                copy.address = sighting.place
                copy.family = address.family
                copy.scope = address.scope.rawValue
                return copy
            },
            edges: (sights?.edges ?? []).map { sighting in
                var copy = Copy(sighting)
                copy.address = sighting.place
                copy.headers = Dictionary(
                    CopySighting.tellingHeaders.compactMap { name in sighting.header(name).map { (name, $0) } }
                ) { first, _ in first }
                return copy
            },
            vantages: (sights?.vantages ?? []).map { sighting in
                var copy = Copy(sighting)
                copy.name = sighting.place
                return copy
            })
    }

    func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        try more.encode(to: encoder)
    }

    /// - Throws: what cannot be encoded, which is our own fault.
    func encoded() throws -> Data { try APIDocument.encoder.encode(self) }
}
