import Evidence
import Foundation
import Monitoring

/// The summary of one domain.
package struct DomainReport: Codable, Sendable {
    package let domain: String
    package let labels: [String: String]
    /// How bad it is; nil before the first check. Nothing is `ok` while no monitor checks.
    package let verdict: Verdict.Level?
    /// What phones do: `DomainStatus`; nil from a daemon that does not report it.
    package let state: DomainStatus?
    /// The parts below in one line.
    package let diagnosis: String?
    package let diagnosisId: DiagnosisID?
    package let effect: String?
    package let cause: String?
    package let action: String?
    package let outlook: String?
    package let checkedAt: Date?
    package let comparison: ComparisonReport?
    /// Those that are not resolved, by kind.
    package let incidents: [IncidentReport]

    /// `incidents`: in any order. `isChecked`: whether a monitor still checks.
    package init(
        _ domain: Domain, labels: [String: String], state: DomainState?, incidents: [IncidentReport],
        isChecked: Bool = true, time: ReportTime
    ) {
        self.domain = domain.name
        self.labels = labels
        let verdict = state?.verdict
        let text = verdict?.text(at: time.wall)
        let level = verdict.map { Verdict.Level(of: $0, open: (state?.open ?? [:]).values) }
        let status = DomainStatus(of: verdict, open: (state?.open ?? [:]).values)
        self.verdict = isChecked ? level : level?.unchecked
        self.state = isChecked ? status : status.unchecked(level)
        diagnosis = text?.oneLine
        diagnosisId = verdict?.diagnosis.id
        effect = text?.effect
        cause = text?.cause
        action = text?.action
        outlook = text?.outlook
        checkedAt = state?.lastCheckedAt.map(time.shown)
        comparison = verdict.map { ComparisonReport($0.comparison, at: time.now, time: time) }
        self.incidents = incidents.sorted { $0.kind < $1.kind }
    }
}

extension DomainReport {
    package var parts: [String] { [effect, cause, action, outlook].compactMap(\.self) }

    /// Confirmed ones first.
    package var orderedIncidents: [IncidentReport] {
        incidents.sorted { ($0.state.urgency, $0.kind) < ($1.state.urgency, $1.kind) }
    }

    /// Whether a confirmed incident is open.
    package var isFiring: Bool { incidents.contains { $0.state == .firing } }
}

/// `/api/v1/domains/{domain}`: with everything that the last full check saw.
package typealias DomainDetail = Detailed<DomainReport, DomainReport.Details>

extension DomainReport {
    package struct Details: Codable, Sendable {
        package var schema = "aasa-monitor/domain/v1"
        /// When the last full check ran: the instant of `origin` and `cdn`.
        package let fullAt: Date?
        package let origin: OrderedJSON?
        package let cdn: OrderedJSON?
        /// Those that are not ignored.
        package let findings: [FindingText]
        package let ignored: [IgnoredFindingText]

        package init(_ verdict: Verdict?, full: Observation?, time: ReportTime) {
            let readings = full.map { Readings($0) }
            fullAt = full.map { time.shown($0.checkedAt) }
            origin = readings?.originReport
            cdn = readings?.cdnReport(url: nil)
            findings = (verdict?.findings ?? []).map { $0.text(at: time.wall) }
            ignored = (verdict?.ignored ?? []).map { $0.text(at: time.wall) }
        }
    }
}

/// One page of `/api/v1/domains`.
package struct DomainPage: Codable, Sendable {
    package var schema = "aasa-monitor/domains/v1"
    package let domains: [DomainReport]
    /// `cursor` of the next page.
    package let next: String?

    package init(domains: [DomainReport], next: String?) {
        self.domains = domains
        self.next = next
    }
}

/// How Apple's copy and the origin's file compare.
package struct ComparisonReport: Codable, Equatable, Sendable {
    package let state: Comparison.State
    package let bytesEqual: Bool?
    package let changedAt: Date?
    package let lagSeconds: Int?
    /// The first changes; `changesTotal` counts all.
    package var changes: [AssociationChange]
    package let changesTotal: Int
    package var behaviour: [BehaviourChange]
    package let edges: EdgeTally?
    /// The comparison in a few words.
    package let summary: String

    /// `now`: the moment of the report, by the steady clock; nil: the moment of the comparison.
    package init(_ comparison: Comparison, at now: Date?, time: ReportTime) {
        let aged = now.map(comparison.aged) ?? comparison
        state = comparison.state
        bytesEqual = comparison.bytesEqual
        changedAt = comparison.changedAt.map(time.shown)
        lagSeconds = aged.lagSeconds
        changes = comparison.changes
        changesTotal = comparison.changesTotal
        behaviour = comparison.behaviour
        edges = comparison.edges
        summary = aged.inWords
    }
}

extension ComparisonReport {
    package var differences: Differences {
        Differences(changes: changes, total: changesTotal, behaviour: behaviour)
    }
}

extension DomainStatus {
    /// The state, and how far a change has spread: `Up to date on 8 edges`, `Propagating: 5 of 8 edges have the new
    /// file, 4 h after the change`.
    package func progress(_ comparison: ComparisonReport?) -> String {
        let edges = comparison?.edges.flatMap { $0.asked > 0 ? $0 : nil }
        let lag = comparison?.lagSeconds.map { "\(Span.words(TimeInterval($0))) after the change" }
        switch self {
        case .inSync where comparison?.state == .inSync:
            guard let edges else { return word }
            return "\(word) on \(edges.inSync < edges.asked ? "\(edges.inSync) of " : "")\(edges.asked.of("edge"))"
        case .propagating:
            let share = edges.map {
                "\($0.inSync) of \($0.asked.of("edge")) \($0.inSync == 1 || $0.asked == 1 ? "has" : "have") the new file"
            }
            let parts = [share, lag].compactMap(\.self)
            return parts.isEmpty ? word : "\(word): \(parts.joined(separator: ", "))"
        case .stale: return [word(comparison?.state), lag].compactMap(\.self).joined(separator: ", ")
        default: return word(comparison?.state)
        }
    }
}

extension Comparison {
    /// How Apple's copy and the origin's file compare, in a few words.
    fileprivate var inWords: String {
        switch state {
        case _ where isWithoutEffect == true: "another version, but no URL changes"
        case .inSync: bytesEqual == false ? "in sync in meaning; the bytes differ" : "in sync"
        case .propagating: "propagating\(lag)"
        case .stale: "stale\(lag)"
        case .divergent: "divergent: not the origin's file"
        case .mixed: "mixed: Apple's servers disagree"
        case .missing: "missing: Apple has no copy"
        case .originUnavailable: "not compared: the origin has no readable file"
        case .cdnUnavailable: "not compared: Apple's CDN gave no usable answer"
        case .notCompared: "not compared"
        }
    }

    private var lag: String {
        guard let lagSeconds else { return "" }
        return ", \(TimeInterval(lagSeconds).inWords) behind"
    }
}
