// What one check says about each kind of trouble: it is there, it is not, or the check could not tell.

import Evidence
import Foundation

enum ConditionReading: Equatable {
    /// - Parameters:
    ///   - since: when the trouble began, as far as is known.
    ///   - graceUntil: until when nobody is told, since the trouble may well end by itself.
    case holds(since: Date, graceUntil: Date?)
    case clear(Incident.Resolution)
    /// Opens nothing and closes nothing.
    case unknown
}

/// Reads the conditions off one verdict and what was known before it. What is read of Apple's copy is in
/// `ConditionReader+CDN.swift`.
struct ConditionReader {
    /// The state before this check.
    let before: DomainState
    /// The state with what this check saw.
    let after: DomainState
    let readings: Readings
    let verdict: Verdict
    let policy: Policy
    let now: Date

    func reading(of kind: IncidentKind) -> ConditionReading {
        // In another mode devices do not read Apple's copy: its incidents would stay open for ever.
        if kind.isOfCDN, readings.observation.cdn == .notAsked(.mode) { return .clear(.removed) }
        let reading = self.seen(kind)
        // One address, one edge and one user agent of many: who asked no other cannot say that all are well.
        if case .clear = reading, readings.observation.depth == .light, kind.needsFullLook { return .unknown }
        return reading
    }

    private func seen(_ kind: IncidentKind) -> ConditionReading {
        switch kind {
        case .originUnreachable: originUnreachable
        case .originBroken: originBroken
        case .originInconsistent: originInconsistent
        case .cdnMissing: cdnMissing
        case .cdnStale: cdnStale
        case .cdnDivergent: cdnDivergent
        case .certificateExpiring: certificateExpiring
        case .expectationFailed: expectationFailed
        // One domain says nothing of the fleet.
        case .cdnWide, .monitorDegraded: .unknown
        }
    }

    private var origin: Retrieval { readings.observation.origin }

    private func hasError(feeding kind: IncidentKind) -> Bool {
        verdict.findings.contains { $0.severity == .error && IncidentKind.fed(by: $0.rule) == kind }
    }

    private var originUnreachable: ConditionReading {
        if origin.failure?.isOwnFault == true { return .unknown }
        return hasError(feeding: .originUnreachable) ? .holds(since: now, graceUntil: nil) : .clear(.recovered)
    }

    private var originBroken: ConditionReading {
        if hasError(feeding: .originBroken) { return .holds(since: now, graceUntil: nil) }
        // Who cannot reach the origin cannot tell whether its file is good. Where only some of its addresses are dead,
        // the others told.
        let isOut = verdict.findings.contains {
            $0.severity == .error && IncidentKind.fed(by: $0.rule) == .originUnreachable
                && $0.rule.rawValue != "origin.address-unreachable"
        }
        return origin.answer == nil || isOut ? .unknown : .clear(.recovered)
    }

    private var originInconsistent: ConditionReading {
        if hasError(feeding: .originInconsistent) || after.originAlternation != nil {
            return .holds(since: now, graceUntil: nil)
        }
        // While the last looks still tell of two files, the next may meet the other one again.
        return origin.answer == nil || !after.isOriginCalm ? .unknown : .clear(.recovered)
    }

    private var expectationFailed: ConditionReading {
        if hasError(feeding: .expectationFailed) { return .holds(since: now, graceUntil: nil) }
        // Without a file there is nothing to expect of; that is trouble of another kind.
        return readings.originFile == nil ? .unknown : .clear(.recovered)
    }

    private var certificateExpiring: ConditionReading {
        if verdict.findings.contains(where: { IncidentKind.fed(by: $0.rule) == .certificateExpiring }) {
            return .holds(since: now, graceUntil: nil)
        }
        // A handshake that showed no dates, or none at all, renews no certificate.
        guard let tls = origin.connection?.tls, tls.trusted, tls.chain.first?.notAfter != nil else { return .unknown }
        return .clear(.recovered)
    }
}

extension IncidentKind {
    /// Whether only a full look can tell that it is over: some of what feeds it is not asked by a light one.
    package var needsFullLook: Bool { self != .certificateExpiring }
}
