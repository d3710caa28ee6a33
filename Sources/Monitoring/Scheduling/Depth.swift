// When a check asks for everything: an ordinary interval costs one request to the origin and one to the CDN. What else can be
// asked is asked where it may show something.

import Evidence
import Foundation

extension DomainState {
    /// While something is wrong, the next full check comes after so many seconds at the earliest. A minute less than five, so
    /// that every check is one where the interval is five minutes.
    static let pauseInTrouble: TimeInterval = 240

    /// How much the next check asks: all every `fullEvery`, and about every five minutes while anything is wrong. What else is
    /// checked in full, `wantsFullProbe(after:)` says.
    ///
    /// The first full check comes within `fullEvery`, at an instant of the domain's own: many new domains spread out.
    package func depth(fullEvery: Duration, now: Date) -> Depth {
        let pause = fullEvery.inSeconds
        guard let last = lastFullAt ?? firstCheckedAt.map({ $0 - (1 - CheckSchedule.phase(of: domain)) * pause }) else {
            return .light
        }
        return now.timeIntervalSince(last) >= (isTroubled ? min(Self.pauseInTrouble, pause) : pause) ? .full : .light
    }

    /// Whether a light probe, evaluated, is to be followed by a full one in the same check: it shows a change, new trouble or
    /// the end of it. The first notification of a problem then has all evidence already. Trouble that goes on in another form
    /// waits for the next full check.
    package func wantsFullProbe(after light: Evaluation) -> Bool {
        // One more full check confirms it, or ends it.
        if light.unseen.contains(where: { light.state.open[$0]?.isUndecided ?? false }) { return true }
        guard light.isNews, !light.unseen.isEmpty || !isTroubled || !light.state.isTroubled else { return false }
        if isTroubled || light.state.isTroubled { return true }
        // What a domain has at first sight is no change.
        return lastCheckedAt != nil
            && (light.state.originPeriods.last?.meaning != originPeriods.last?.meaning
                || light.state.cdnCopy.map(\.meaning) != cdnCopy.map(\.meaning))
    }

    /// Whether anything is wrong that a full probe may show more of.
    var isTroubled: Bool {
        if open.contains(where: { !Self.isStanding($0.key, $0.value) }) { return true }
        return verdict?.showsTrouble ?? false
    }

    /// A copy that is still within its time is on its way, a certificate's last days are weeks, and a file says the same to each request.
    private static func isStanding(_ kind: IncidentKind, _ incident: TrackedIncident) -> Bool {
        kind == .certificateExpiring || kind == .fileBroken || kind == .cdnStale && incident.incident.state == .pending
    }
}

extension TrackedIncident {
    /// Whether the next checks decide if it fires, or ends.
    var isUndecided: Bool {
        isUnconfirmed || recovery == .originReverted || incident.state == .recovering && !incident.isFlapping
    }

    /// Whether only checks are missing before it fires.
    var isUnconfirmed: Bool { !hasFired && graceUntil == nil }
}

extension Verdict {
    fileprivate var showsTrouble: Bool {
        findings.contains { $0.severity >= .warning && !Self.isStanding($0) }
    }

    /// What lasts for weeks and looks the same at any depth, the file's own faults and a certificate's last days, and
    /// problems of our own: none of it is a reason to burden the site with each check.
    private static let standing: Set<FindingKind> = [
        .certificateExpiring, .certificateChainExpiring, .redirect, .rootCopyDiffers, .rootOnly,
    ]

    private static func isStanding(_ finding: Finding) -> Bool {
        finding.matter.area == .file || finding.matter.area == .monitor
            || finding.kind.map(standing.contains) == true
    }
}
