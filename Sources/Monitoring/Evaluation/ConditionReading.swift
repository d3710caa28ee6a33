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

/// Reads the conditions off one verdict and what was known before it.
struct ConditionReader {
    /// The state before this check.
    let before: DomainState
    let readings: Readings
    let verdict: Verdict
    let policy: Policy
    let now: Date

    func reading(of kind: IncidentKind) -> ConditionReading {
        // In another mode devices do not read Apple's copy: its incidents would stay open for ever.
        if kind.isOfCDN, readings.observation.cdn == .notAsked(.mode) { return .clear(.removed) }
        return switch kind {
        case .originUnreachable: originUnreachable
        case .originBroken: originBroken
        case .cdnMissing: cdnMissing
        case .cdnStale: cdnStale
        case .cdnDivergent: cdnDivergent
        case .certificateExpiring: certificateExpiring
        case .expectationFailed: expectationFailed
        }
    }

    private var origin: Retrieval { readings.observation.origin }

    private func hasError(feeding kind: IncidentKind) -> Bool {
        verdict.findings.contains { $0.severity == .error && IncidentKind.fed(by: $0.rule) == kind }
    }

    /// Our own fault says nothing about the watched site.
    private var isOwnFault: Bool { origin.failure?.kind == .own || origin.failure?.kind == .proxy }

    private var originUnreachable: ConditionReading {
        if isOwnFault { return .unknown }
        return hasError(feeding: .originUnreachable) ? .holds(since: now, graceUntil: nil) : .clear(.recovered)
    }

    private var originBroken: ConditionReading {
        if hasError(feeding: .originBroken) { return .holds(since: now, graceUntil: nil) }
        // Who cannot reach the origin cannot tell whether its file is good.
        return origin.answer == nil || hasError(feeding: .originUnreachable) ? .unknown : .clear(.recovered)
    }

    private var cdnMissing: ConditionReading {
        switch verdict.comparison.state {
        case .missing:
            return .holds(since: now, graceUntil: missingGrace)
        case .inSync, .propagating, .stale, .divergent, .mixed: return .clear(.recovered)
        case .originUnavailable, .cdnUnavailable, .notCompared: return .unknown
        }
    }

    /// A copy that was there and vanished while the origin was fine is news at once. One that was never there, or went
    /// while the origin was broken, comes back by itself when Apple asks again: wait for two lifetimes of the failure.
    private var missingGrace: Date? {
        if let copy = before.cdnCopy, copy.meaning != nil, before.originValidSince != nil { return nil }
        let lifetime = Double(readings.observation.cdn.retrieval?.answer?.maxAge ?? 3600)
        return now.addingTimeInterval(min(policy.staleAfter.inSeconds, 2 * lifetime))
    }

    private var cdnStale: ConditionReading {
        switch verdict.comparison.state {
        case .propagating, .stale:
            let since = verdict.comparison.changedAt ?? now
            return .holds(since: since, graceUntil: since.addingTimeInterval(policy.staleAfter.inSeconds))
        case .inSync:
            let stood = before.cdnCopy?.meaning != nil && before.cdnCopy?.meaning == readings.cdnFile?.meaning
            return .clear(stood ? .originReverted : .cdnCaughtUp)
        case .divergent: return .clear(.superseded)
        // Without a copy there is nothing that could be old; the clock stands until there is one again.
        case .missing, .mixed, .originUnavailable, .cdnUnavailable, .notCompared: return .unknown
        }
    }

    private var cdnDivergent: ConditionReading {
        switch verdict.comparison.state {
        case .divergent:
            return .holds(since: now, graceUntil: now.addingTimeInterval(policy.staleAfter.inSeconds))
        case .inSync:
            let stood = before.cdnCopy?.meaning != nil && before.cdnCopy?.meaning == readings.cdnFile?.meaning
            return .clear(stood ? .originReverted : .cdnCaughtUp)
        case .propagating, .stale: return .clear(.superseded)
        case .missing, .mixed, .originUnavailable, .cdnUnavailable, .notCompared: return .unknown
        }
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
