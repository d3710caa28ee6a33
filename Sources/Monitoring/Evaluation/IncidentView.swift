// What one verdict says about an incident of one kind, and which other incident inhibits it.

import Evidence
import Foundation

struct IncidentView {
    let kind: IncidentKind
    let verdict: Verdict
    /// What earlier checks show in addition to this verdict.
    var alternation: OriginAlternation?
    /// The time between two checks.
    var interval = CheckSettings().interval

    private var ownFindings: [Finding] { verdict.findings.filter { $0.feeds == kind } }

    func facts(_ tracked: TrackedIncident) -> IncidentFacts {
        let own = ownFindings
        // One check of an alternating origin may see nothing wrong.
        if kind == .originInconsistent, own.isEmpty, tracked.incident.state != .resolved, let alternation {
            return IncidentFacts(
                diagnosis: diagnosis(alternation.cause), comparison: verdict.comparison,
                findings: [alternation.finding])
        }
        let diagnosis = diagnosis(cause(own))
        let cited = verdict.findings.first { $0.rule == diagnosis.cause.rule }
        let incident = tracked.incident
        let isOfChange = incident.since == verdict.comparison.changedAt
        let began =
            isOfChange
            ? verdict.comparison.changedAfter : incident.since == incident.openedAt ? tracked.openedAfter : nil
        return IncidentFacts(
            diagnosis: diagnosis, comparison: verdict.comparison,
            findings: own.isEmpty && tracked.incident.state != .resolved
                ? verdict.findings : own + [cited].compactMap(\.self).filter { !own.contains($0) },
            beganAfter: gap(before: tracked.incident.since, began),
            ended: tracked.recoveringSince.flatMap { calm in
                gap(before: calm, tracked.lastActiveCheckAt).map { OriginChange(at: calm, after: $0) }
            },
            isStillFailing: tracked.incident.state == .resolved && isStillFailing ? true : nil)
    }

    /// The previous check, if it was so long ago that the monitor was not running in between.
    private func gap(before seen: Date, _ last: Date?) -> Date? {
        last.flatMap { seen.timeIntervalSince($0) > max(3600, 3 * interval.inSeconds) ? $0 : nil }
    }

    /// Whether the domain has another problem, or this one still affects phones.
    private var isStillFailing: Bool {
        verdict.level == .failing || verdict.diagnosis.effect.harm ?? .none > .none
    }

    private func diagnosis(_ cause: Cause) -> Diagnosis {
        var diagnosis = verdict.diagnosis
        guard diagnosis.cause != cause else { return diagnosis }
        diagnosis.cause = cause
        // The outlook is about the other problem.
        diagnosis.outlook = nil
        return diagnosis
    }

    /// The verdict's cause, unless it is about another problem and `kind` can only have causes of its own.
    private func cause(_ own: [Finding]) -> Cause {
        let cause = verdict.diagnosis.cause
        guard let finding = own.first else { return cause }
        switch kind {
        case .certificateExpiring where cause.id != .certificateExpiring: return Cause(finding)
        case .fileBroken where verdict.diagnosis.cause.rule?.feeds != .fileBroken: return Cause(finding)
        case .expectationFailed where ![.expectationFailed, .pageMissing].contains(cause.id):
            return Cause(finding)
        default: return cause
        }
    }

    /// What is wrong, its severity, and what differs. Without ages, times, and anything that depends on a threshold.
    func fingerprint(_ tracked: TrackedIncident) -> ContentHash? {
        let own = ownFindings
        guard !own.isEmpty else { return nil }
        let isOfCopy = kind == .cdnStale || kind == .cdnDivergent
        let rules = isOfCopy ? [] : Set(own.filter { $0.severity == .error }.map(\.rule.rawValue)).sorted()
        let compared = isOfCopy ? verdict.comparison.compared : nil
        let contents = [compared?.copy.hex, compared?.origin.hex].compactMap(\.self)
        let parts = [tracked.incident.severity.rawValue] + rules + contents
        return ContentHash(of: parts.joined(separator: "\n").utf8)
    }
}

extension IncidentView {
    /// What phones do, why, and until when, according to the latest check.
    var wording: ContentHash? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var diagnosis = diagnosis(cause(ownFindings))
        // These change with each answer from Apple and are not news.
        diagnosis.copySinceFailure = nil
        if case .asksAgain = diagnosis.outlook { diagnosis.outlook = nil }
        return (try? encoder.encode(diagnosis)).map { ContentHash(of: $0) }
    }
}

extension IncidentKind {
    /// The kinds of incidents of the same domain that can inhibit this one, most likely first.
    package var inhibitors: [IncidentKind] {
        switch self {
        case .cdnMissing, .cdnStale, .cdnDivergent, .certificateExpiring: Self.inhibiting
        case .originUnreachable, .originBroken, .originInconsistent, .fileBroken, .expectationFailed, .cdnWide,
            .monitorDegraded, .change:
            []
        }
    }

    /// The kinds that can inhibit others: without the origin's file Apple's copy cannot be right.
    static let inhibiting: [IncidentKind] = [.originUnreachable, .originBroken]

    /// Inhibitors first, so that an incident confirmed by the same check finds its inhibitor.
    static let inOrder = ofDomains.sorted { ($0.inhibitors.count, $0) < ($1.inhibitors.count, $1) }
}

extension Verdict {
    /// The kind of the firing incident that inhibits one of this kind; nil if there is none.
    func inhibitor(of kind: IncidentKind, in memory: IncidentMemory<IncidentKind>) -> IncidentKind? {
        kind.inhibitors.first { inhibitor in
            guard memory.open[inhibitor]?.hasFired == true else { return false }
            let feeding = findings.filter { $0.severity == .error && $0.feeds == inhibitor }
            // Apple's CDN reads the file from the addresses that work.
            let isPartial = feeding.allSatisfy { $0.kind.map(Self.partial.contains) == true }
            return feeding.isEmpty || !isPartial
        }
    }

    private static let partial: Set<FindingKind> = [.addressUnreachable, .ipv6Broken]
}
