// When a check asks for everything: an ordinary interval costs one request to the origin and one to the CDN. What else can be
// asked is asked where it may show something.

import Evidence
import Foundation

extension DomainState {
    /// How much the next check asks.
    ///
    /// Full at first, while anything is wrong, and every `fullEvery`. A change, too, is checked in full, by
    /// `wantsFullProbe(after:)`.
    package func depth(fullEvery: Duration, now: Date) -> Depth {
        guard let last = lastFullAt else { return .full }
        if now.timeIntervalSince(last) >= fullEvery.inSeconds { return .full }
        return isTroubled ? .full : .light
    }

    /// Whether a light probe, evaluated, is to be followed by a full one in the same check: the contents are not what was
    /// known, or something is wrong now. The first notification of a problem then has all evidence already.
    package func wantsFullProbe(after light: Evaluation) -> Bool {
        light.state.isTroubled
            || light.state.originPeriods.last?.meaning != originPeriods.last?.meaning
            || light.state.cdnCopy.map(\.meaning) != cdnCopy.map(\.meaning)
    }

    /// Whether anything is wrong that a full probe may show more of.
    var isTroubled: Bool {
        if open.contains(where: { !Self.isStanding($0.key, $0.value) }) { return true }
        return verdict?.findings.contains { $0.severity >= .warning && !Self.isStanding($0.rule) } ?? false
    }

    /// A copy that is still within its time is on its way, and a certificate's last days are weeks.
    private static func isStanding(_ kind: IncidentKind, _ incident: TrackedIncident) -> Bool {
        kind == .certificateExpiring || kind == .cdnStale && incident.incident.state == .pending
    }

    /// What lasts for weeks and looks the same at any depth, the file's own faults and a certificate's last days, and
    /// problems of our own: none of it is a reason to burden the site with each check.
    private static let standing: Set = [
        "origin.certificate-expiring", "origin.certificate-chain-expiring", "origin.redirect",
        "origin.root-copy-differs", "origin.root-only",
    ]

    private static func isStanding(_ rule: Rule) -> Bool {
        rule.rawValue.hasPrefix("aasa.") || rule.rawValue.hasPrefix("monitor.")
            || standing.contains(rule.rawValue)
    }
}
