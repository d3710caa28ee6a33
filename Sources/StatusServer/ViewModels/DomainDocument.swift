// One domain for programs: `/api/v1/domains/{domain}`. docs/api.md has the form. Every key is always there.

import Evidence
import Foundation
import Monitoring

struct DomainDocument: Encodable {
    private let summary: DomainSummaryDocument
    private let more: More

    /// What the summary leaves out.
    private struct More: Encodable {
        let schema = "aasa-monitor/domain/v1"
        /// When everything was last asked for: the instant of `origin` and `cdn`.
        let fullAt: Nullable<Date>
        let origin: Nullable<OrderedJSON>
        let cdn: Nullable<OrderedJSON>
        /// Those that count.
        let findings: [FindingText]
        let ignored: [IgnoredFindingText]
    }

    init(
        watched: WatchedDomainInfo, state: DomainState?, full: Observation?, context: IncidentContext, time: PageTime
    ) {
        summary = DomainSummaryDocument(watched: watched, state: state, context: context, time: time)
        let readings = full.map { Readings($0) }
        more = More(
            fullAt: Nullable(full.map { time.shown($0.checkedAt) }), origin: Nullable(readings?.originReport),
            cdn: Nullable(readings?.cdnReport(url: nil)), findings: (state?.verdict?.findings ?? []).map(\.text),
            ignored: (state?.verdict?.ignored ?? []).map(\.text))
    }

    func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        try more.encode(to: encoder)
    }

    /// - Throws: what cannot be encoded, which is our own fault.
    func encoded() throws -> Data { try APIDocument.encoder.encode(self) }
}
