// One domain in a list: a small part of its state, stored separately and written only when it changes. A page of 25
// rows decodes 25 summaries, regardless of the number of domains.

import Evidence
import Foundation

package struct DomainSummary: Codable, Equatable, Sendable {
    package var status: DomainStatus
    /// How bad it is.
    package var level: Verdict.Level
    /// When the problem began, as far as is known; nil if unknown.
    package var since: Date?
    package var diagnosis: Diagnosis
    package var comparison: Comparison.State
    package var edges: EdgeTally?
    /// When the origin changed to its current file, while the CDN lags.
    package var changedAt: Date?
    /// Seconds that the CDN took for earlier changes, oldest first.
    package var propagations: [Int]
    package var incidents: [OpenIncident]
    /// The end of a certificate that expires soon.
    package var certificateEnd: Date?
    /// The number of notes of the check, and the rule of the first.
    package var notes: Int
    package var note: Rule?

    package struct OpenIncident: Codable, Equatable, Sendable {
        package let incident: Incident
        /// A pending incident does not fire before this time.
        package let graceUntil: Date?
    }

    /// nil before the first check.
    package init?(_ state: DomainState) {
        guard let verdict = state.verdict else { return nil }
        let status = DomainStatus(of: verdict, open: state.open.values)
        self.status = status
        level = Verdict.Level(of: verdict, open: state.open.values)
        diagnosis = verdict.diagnosis
        comparison = verdict.comparison.state
        edges = verdict.comparison.edges
        let lags = verdict.comparison.lagSeconds != nil
        changedAt = lags ? verdict.comparison.changedAt : nil
        propagations = state.propagations.map(\.seconds)
        incidents = state.open.values
            .sorted { ($0.incident.state.urgency, $0.incident.kind) < ($1.incident.state.urgency, $1.incident.kind) }
            .map { OpenIncident(incident: $0.incident, graceUntil: $0.graceUntil) }
        let own = incidents.filter { $0.incident.kind == status.kind }
        since = changedAt ?? (own.isEmpty ? incidents : own).map(\.incident.since).min()
        certificateEnd = verdict.findings.lazy.compactMap(\.certificateEnd).min()
        let remarks = verdict.findings.filter { $0.severity == .note }
        notes = remarks.count
        note = remarks.first?.rule
    }

    /// The diagnosis as text, valid at a given time.
    package func text(at now: Date) -> DiagnosisText { diagnosis.text(at: now) }

    /// Whether Apple has no copy at any edge that answered. Links can open the website for other reasons: a copy that is
    /// too large, or one that names no app.
    package var hasNoCopy: Bool {
        guard let edges, edges.asked > 0 else { return comparison == .missing }
        return edges.missing > 0 && edges.missing + edges.unreachable == edges.asked
    }

    /// Domains with the same reason need the same decision.
    package var reason: String {
        [diagnosis.id.rawValue, diagnosis.cause.rule?.rawValue, diagnosis.word?.word.code].compactMap(\.self)
            .joined(separator: " ")
    }
}

extension DomainStatus {
    /// The kind of incident that determines `since`.
    fileprivate var kind: IncidentKind? {
        switch self {
        case .missing: .cdnMissing
        case .expectationFailed: .expectationFailed
        case .divergent: .cdnDivergent
        default: nil
        }
    }
}

extension Incident.State {
    /// Confirmed incidents first.
    package var urgency: Int {
        switch self {
        case .firing: 0
        case .recovering: 1
        case .pending: 2
        case .resolved: 3
        }
    }
}

extension Finding {
    /// The end of a certificate that expires soon.
    package var certificateEnd: Date? {
        guard case .origin(let problem) = problem else { return nil }
        return switch problem {
        case .certificateExpiring(let end), .chainExpiring(let end, _): end
        default: nil
        }
    }
}
