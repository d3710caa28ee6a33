// When a check is full. A light check costs one request to the origin and one to the CDN. A full check sends the other
// requests too, so it runs only if they may show something.

import Evidence
import Foundation

extension DomainState {
    /// The minimum seconds between full checks while something is wrong. Less than five minutes, so that every check is
    /// full if the interval is five minutes.
    static let pauseInTrouble: TimeInterval = 240

    /// The depth of the next check: full every `fullEvery`, and about every five minutes while anything is wrong.
    /// `wantsFullProbe(after:)` adds more full probes.
    ///
    /// The first full check comes within `fullEvery`, at the domain's own phase, so that many new domains spread out.
    package func depth(fullEvery: Duration, now: Date) -> Depth {
        let pause = fullEvery.inSeconds
        guard let last = lastFullAt ?? firstCheckedAt.map({ $0 - (1 - CheckSchedule.phase(of: domain)) * pause }) else {
            return .light
        }
        return now.timeIntervalSince(last) >= (isTroubled ? min(Self.pauseInTrouble, pause) : pause) ? .full : .light
    }

    /// Whether a full probe must follow a light one in the same check, because the light one shows a change, a new
    /// problem or a recovery. The first notification of a problem then has all evidence. A problem that only changes
    /// its form waits for the next full check.
    package func wantsFullProbe(after light: Evaluation) -> Bool {
        // One more full probe confirms it or ends it.
        if light.unseen.contains(where: { light.state.open[$0]?.isUndecided ?? false }) { return true }
        guard light.isNews, !light.unseen.isEmpty || !isTroubled || !light.state.isTroubled else { return false }
        if isTroubled || light.state.isTroubled { return true }
        // The first observation of a domain is not a change.
        return lastCheckedAt != nil
            && (light.state.originPeriods.last?.meaning != originPeriods.last?.meaning
                || light.state.cdnCopy.map(\.meaning) != cdnCopy.map(\.meaning))
    }

    /// Whether there is a problem about which a full probe may show more.
    var isTroubled: Bool {
        if open.contains(where: { !Self.isStanding($0.key, $0.value) }) { return true }
        return verdict?.showsTrouble ?? false
    }

    /// A full probe shows no more about an expiring certificate, a broken file, or a CDN copy that is not late yet.
    private static func isStanding(_ kind: IncidentKind, _ incident: TrackedIncident) -> Bool {
        kind == .certificateExpiring || kind == .fileBroken || kind == .cdnStale && incident.incident.state == .pending
    }
}

extension TrackedIncident {
    /// Whether the next checks decide if the incident fires or ends.
    var isUndecided: Bool {
        isUnconfirmed || recovery == .originReverted || incident.state == .recovering && !incident.isFlapping
    }

    /// Whether it fires as soon as enough checks confirm it.
    var isUnconfirmed: Bool { !hasFired && graceUntil == nil }
}

extension Verdict {
    fileprivate var showsTrouble: Bool {
        findings.contains { $0.severity >= .warning && !Self.isStanding($0) }
    }

    /// Kinds that last for weeks and look the same at any depth. Like the file's own faults and the monitor's problems,
    /// they do not justify frequent full checks.
    private static let standing: Set<FindingKind> = [
        .certificateExpiring, .certificateChainExpiring, .redirect, .rootCopyDiffers, .rootOnly,
    ]

    private static func isStanding(_ finding: Finding) -> Bool {
        finding.problem.area == .file || finding.problem.area == .monitor
            || finding.kind.map(standing.contains) == true
    }
}
