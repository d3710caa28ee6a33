import Evidence
import Foundation
import Monitoring
import Storage

/// One domain in `status`.
package struct OverviewRow: Equatable, Sendable {
    package let name: String
    package let level: Level
    /// The level in words; colour never says it alone.
    package let verdict: String
    /// Part by part.
    package let diagnosis: [String]
    /// How Apple's copy stands; nil before the first check.
    package let comparison: String?
    /// Confirmed ones first.
    package let incidents: [OverviewIncident]
    /// `5 min ago`; nil: never.
    package let checked: String?
    package let needsAttention: Bool
    /// Smaller is shown further up.
    let rank: Int

    /// In the order of the rows.
    package enum Level: String, Sendable, CaseIterable {
        case failing, warning, unchecked, ok
    }

    init(_ state: DomainState, context: IncidentContext, time: PageTime) {
        let open = state.open.values.filter { $0.incident.state != .resolved }
        self.init(
            name: state.domain.name, verdict: state.verdict?.level, diagnosis: state.verdict?.text.parts,
            comparison: state.verdict?.comparison,
            incidents: open.sorted {
                ($0.incident.state.urgency, $0.incident.kind) < ($1.incident.state.urgency, $1.incident.kind)
            }.map { OverviewIncident($0, context: context, time: time) },
            isFiring: open.contains { $0.incident.state == .firing },
            checkedAt: state.lastCheckedAt, time: time)
    }

    /// `verdict`: nil before the first check.
    init(
        name: String, verdict: Verdict.Level?, diagnosis: [String]?, comparison: Comparison?,
        incidents: [OverviewIncident], isFiring: Bool, checkedAt: Date?, time: PageTime
    ) {
        let level: Level =
            switch verdict {
            case .failing: .failing
            case .warning: .warning
            case .ok: .ok
            case nil: .unchecked
            }
        self.level = level
        self.name = name
        self.incidents = incidents
        self.verdict =
            switch level {
            case .failing: "failing"
            case .warning: "warning"
            case .unchecked: "not checked yet"
            case .ok: "OK"
            }
        self.diagnosis = diagnosis?.map { $0.onOneLine(upTo: 600) } ?? ["The first check has not ended yet."]
        self.comparison = comparison?.inWords
        needsAttention = level == .failing || level == .warning || isFiring
        checked = checkedAt.map(time.age)
        // Confirmed incidents go above what one check saw.
        let levels = Level.allCases.firstIndex(of: level) ?? 0
        rank = isFiring ? min(levels, 1) * 2 : levels * 2 + 1
    }
}

/// A stretch of trouble that is not over.
package struct OverviewIncident: Equatable, Sendable {
    /// The short id, for `aasa-monitor ack`.
    package let id: String
    package let kind: String
    package let state: String
    /// `26 h ago`
    package let since: String
    /// Until when a silence suppresses notifications, in UTC; nil where none does.
    package let silencedUntil: String?
    /// The kind of the incident that inhibits it; nil where none does.
    package let inhibitedBy: String?
    /// Who acknowledged it; nil: nobody.
    package let acknowledgedBy: String?

}

extension OverviewIncident {
    init(_ tracked: TrackedIncident, context: IncidentContext, time: PageTime) {
        let incident = tracked.incident
        self.init(
            id: String(incident.id.prefix(12)), kind: incident.kind.rawValue, state: incident.state.rawValue,
            since: time.age(incident.since),
            silencedUntil: context.silencedUntil(incident, labels: [:], at: time.wall).map {
                PageTime.brief($0, wall: time.wall)
            }, inhibitedBy: context.inhibitor(of: tracked),
            acknowledgedBy: context.acknowledgements[incident.id]?.by.onOneLine(upTo: 100))
    }
}

extension String {
    /// Displayable, and cut by scalars: one character may hold a million combining marks.
    func onOneLine(upTo limit: Int) -> String {
        let scalars = unicodeScalars.prefix(limit + 1)
        guard scalars.count > limit else { return displayable }
        return String(String.UnicodeScalarView(scalars.dropLast(2))).displayable + "…"
    }
}
