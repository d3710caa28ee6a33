// All that the monitor remembers about the fleet between judgements. It is stored with each change, so that a restart
// neither repeats nor forgets a parent, and what it keeps back stays back.

import Evidence
import Foundation

package struct FleetState: Codable, Equatable, Sendable {
    /// The open incidents, pending ones included, in the order of their causes; one a cause.
    package var open: [FleetIncident] = []
    /// The last ones whose end was told, as long as they may be reopened.
    package var ended: [FleetIncident] = []
    /// When one that kept messages back was last over.
    package var withheldUntil: Date?
    /// How many incidents have begun; it numbers them, as `DomainState.begun` does.
    package var begun = 0
    /// When this was judged; the stored one is as old as the last judgement that was worth a write.
    package var judgedAt: Date?

    package init() {}

    /// States of earlier versions lack what was added since.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        open = try container.decode([FleetIncident].self, forKey: .open)
        ended = try container.decode([FleetIncident].self, forKey: .ended)
        withheldUntil = try container.decodeIfPresent(Date.self, forKey: .withheldUntil)
        begun = try container.decodeIfPresent(Int.self, forKey: .begun) ?? 0
        judgedAt = try container.decodeIfPresent(Date.self, forKey: .judgedAt)
    }

    package subscript(cause: FleetCause) -> FleetIncident? { open.first { $0.cause == cause } }

    /// What is kept back. A parent that is only suspected keeps back too: its first child would else be told before it.
    package var withholding: FleetWithholding {
        FleetWithholding(
            causes: open.filter { !$0.cause.withholds.isEmpty }.map {
                FleetWithholding.Cause(
                    kind: $0.incident.kind, withholds: $0.cause.withholds, since: $0.incident.openedAt,
                    reason: $0.report.trouble)
            }, endedAt: withheldUntil)
    }
}

/// An incident of the fleet with all that decides its next step.
package struct FleetIncident: Codable, Equatable, Sendable {
    package let cause: FleetCause
    package var incident: Incident
    /// What is to be said about it now.
    package var report: FleetReport
    /// Since when it looks over; nil while it does not.
    package var calmSince: Date?
    package var reminders = 0
    package var remindUntil: Date?
    package var escalatesFrom: Date?
    package var escalatedFor: TimeInterval?

    package init(cause: FleetCause, incident: Incident, report: FleetReport) {
        self.cause = cause
        self.incident = incident
        self.report = report
    }
}

/// Which trouble it is. Each has an incident of its own: a full disk and a dead channel are two stories.
package enum FleetCause: Codable, Hashable, Sendable {
    /// Our network, or whatever makes many domains fail on both sides.
    case network
    /// Apple's side of many domains, while their origins are well.
    case cdn
    case store
    case schedule
    case configuration
    case channel(String)

    package var kind: IncidentKind { self == .cdn ? .cdnWide : .monitorDegraded }

    /// The kinds of a domain's incidents that it explains.
    package var withholds: Set<IncidentKind> {
        switch self {
        case .network: [.originUnreachable, .originBroken, .originInconsistent, .cdnMissing, .cdnStale, .cdnDivergent]
        case .cdn: [.cdnMissing, .cdnStale, .cdnDivergent]
        case .store, .schedule, .configuration, .channel: []
        }
    }

    /// Part of an incident's identity.
    package var name: String {
        switch self {
        case .network: "network"
        case .cdn: "cdn"
        case .store: "store"
        case .schedule: "schedule"
        case .configuration: "configuration"
        case .channel(let name): "channel/\(name)"
        }
    }
}

/// What is to be said about an incident of the fleet.
package struct FleetReport: Codable, Equatable, Sendable {
    package var severity: Severity
    /// Who has it: `42 of 500 domains`, `aasa-monitor`.
    package var subject: String
    /// What is the matter, without the subject.
    package var trouble: String
    /// What is well again.
    package var relief: String
    package var diagnosis: String
    package var finding: Finding
    /// nil where no domain is meant.
    package var affected: AffectedDomains?

    package init(
        severity: Severity = .error, subject: String, trouble: String, relief: String, diagnosis: String,
        finding: Finding, affected: AffectedDomains? = nil
    ) {
        self.severity = severity
        self.subject = subject
        self.trouble = trouble
        self.relief = relief
        self.diagnosis = diagnosis
        self.finding = finding
        self.affected = affected
    }
}
