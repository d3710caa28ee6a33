// What one check says about Apple's copy, at one edge or at many.

import Evidence
import Foundation

extension ConditionReader {
    private var grace: Date { now.addingTimeInterval(policy.staleAfter.inSeconds) }

    var cdnMissing: ConditionReading {
        switch verdict.comparison.state {
        case .missing: .holds(Condition(since: now, graceUntil: missingGrace))
        // Some phones get the file; until the others do it may take as long as any change.
        case .mixed where isMissingSomewhere: .holds(Condition(since: now, graceUntil: grace))
        case .inSync, .propagating, .stale, .divergent, .mixed: .clear(.recovered)
        case .originUnavailable, .cdnUnavailable, .notCompared: .unknown
        }
    }

    /// A copy that was there and vanished while the origin was fine fires at once. One that was never there, or went
    /// while the origin was broken, comes back by itself when Apple asks again: wait for two lifetimes of the failure.
    private var missingGrace: Date? {
        let hadOriginProblem = IncidentKind.cdnMissing.inhibitors.contains { before.open[$0] != nil }
        if let copy = before.cdnCopy, copy.meaning != nil, before.originValidSince != nil, !hadOriginProblem {
            return nil
        }
        let lifetime = Double(readings.observation.cdn.retrieval?.answer?.maxAge ?? 3600)
        return now.addingTimeInterval(min(policy.staleAfter.inSeconds, 2 * lifetime))
    }

    var cdnStale: ConditionReading {
        switch verdict.comparison.state {
        case .propagating, .stale, .mixed:
            // Without a date no edge is known to be old: they have none, or something foreign.
            guard !isOfAlternation, verdict.comparison.state != .mixed || verdict.comparison.changedAt != nil else {
                return .clear(.superseded)
            }
            let since = verdict.comparison.changedAt ?? now
            return .holds(
                Condition(since: since, graceUntil: since + policy.staleAfter.inSeconds, isDated: true))
        case .inSync: return .clear(inSyncReason)
        case .divergent: return .clear(.superseded)
        // Without a copy there is nothing that could be old; the clock stands until there is one again.
        case .missing, .originUnavailable, .cdnUnavailable, .notCompared: return .unknown
        }
    }

    var cdnDivergent: ConditionReading {
        switch verdict.comparison.state {
        case .divergent: .holds(Condition(since: now, graceUntil: grace))
        case .mixed where verdict.comparison.changedAt == nil && !isMissingSomewhere && !isOfAlternation:
            .holds(Condition(since: now, graceUntil: grace))
        case .inSync: .clear(inSyncReason)
        case .propagating, .stale, .mixed: .clear(.superseded)
        case .missing, .originUnavailable, .cdnUnavailable, .notCompared: .unknown
        }
    }

    /// The copy stood still while the origin came back to it, or it moved. Of edges that disagreed, some moved.
    private var inSyncReason: Incident.Resolution {
        let stood =
            before.verdict?.comparison.state != .mixed && before.cdnCopy?.meaning != nil
            && before.cdnCopy?.meaning == readings.cdnFile?.meaning
        return stood ? .originReverted : .cdnCaughtUp
    }

    private var copies: [Retrieval] {
        let edges = readings.observation.full?.edges.map(\.retrieval) ?? []
        let spoken = edges.filter(\.speaksOfFile)
        return spoken.isEmpty ? [readings.observation.cdn.retrieval].compactMap(\.self) : spoken
    }

    private var isMissingSomewhere: Bool { copies.contains { $0.answer?.status != 200 } }

    /// Whether all that the CDN serves is what an alternating origin served at one of the last checks: such a copy is as
    /// new as any, and the problem is the origin's.
    private var isOfAlternation: Bool {
        guard let alternation = after.originAlternation else { return false }
        let served = copies.filter { $0.answer?.status == 200 }
        return !served.isEmpty
            && served.allSatisfy { copy in
                readings.file(of: copy)?.meaning.map(alternation.contents.contains) ?? false
            }
    }
}
