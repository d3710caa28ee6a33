// What is known of one domain in short: an entry of `/api/v1/domains`, and the first part of `/api/v1/domains/{domain}`.

import Evidence
import Foundation
import Monitoring

struct DomainSummaryDocument: Encodable {
    let domain: String
    let labels: [String: String]
    let verdict: Nullable<Verdict.Level>
    let diagnosis: Nullable<String>
    let diagnosisId: Nullable<DiagnosisID>
    let effect: Nullable<String>
    let cause: Nullable<String>
    let action: Nullable<String>
    let outlook: Nullable<String>
    let checkedAt: Nullable<Date>
    let comparison: Nullable<ComparisonDocument>
    let incidents: [OpenTrouble]

    struct OpenTrouble: Encodable {
        let id: String
        let kind: String
        let state: String
        let since: Date
        /// Until when a silence or window suppresses notifications.
        let silencedUntil: Nullable<Date>
        /// The kind of the incident that inhibits it.
        let inhibitedBy: Nullable<String>
        /// Who acknowledged it.
        let acknowledgedBy: Nullable<String>
    }

    init(watched: WatchedDomainInfo, state: DomainState?, context: IncidentContext, time: PageTime) {
        domain = watched.domain.name
        labels = watched.labels
        verdict = Nullable(state?.verdict?.level)
        let text = state?.verdict?.text
        diagnosis = Nullable(text?.oneLine)
        diagnosisId = Nullable(state?.verdict?.diagnosis.id)
        effect = Nullable(text?.effect)
        cause = Nullable(text?.cause)
        action = Nullable(text?.action)
        outlook = Nullable(text?.outlook)
        checkedAt = Nullable(state?.lastCheckedAt.map(time.shown))
        comparison = Nullable(state?.verdict.map { ComparisonDocument($0.comparison, time: time) })
        let open = (state?.open ?? [:]).values.sorted { $0.incident.kind < $1.incident.kind }
        incidents = open.map { tracked in
            let incident = tracked.incident
            return OpenTrouble(
                id: incident.id, kind: incident.kind.rawValue, state: incident.state.rawValue,
                since: time.shown(incident.since),
                silencedUntil: Nullable(context.silencedUntil(incident, labels: watched.labels, at: time.wall)),
                inhibitedBy: Nullable(context.inhibitor(of: tracked)),
                acknowledgedBy: Nullable(context.acknowledgements[incident.id]?.by))
        }
    }
}

/// As `comparison` of `check --format json`.
struct ComparisonDocument: Encodable {
    let state: Comparison.State
    let bytesEqual: Nullable<Bool>
    let changedAt: Nullable<Date>
    let lagSeconds: Nullable<Int>
    let changes: [Change]
    let behaviour: [BehaviourNote]
    let edges: Nullable<EdgeTally>

    init(_ comparison: Comparison, time: PageTime) {
        state = comparison.state
        bytesEqual = Nullable(comparison.bytesEqual)
        changedAt = Nullable(comparison.changedAt.map(time.shown))
        lagSeconds = Nullable(comparison.lagSeconds)
        changes = comparison.changes
        behaviour = comparison.behaviour
        edges = Nullable(comparison.edges)
    }
}
