// The one place where memory and a new observation become a new memory and events. Pure and total: no clock, no
// randomness, no I/O; the same arguments give the same result, so a check that is repeated after a crash repeats its
// messages under the same keys.

import Evidence
import Foundation

/// Judges what a check has just seen in the light of what was known before (`state`). `now` is the instant of the
/// judgement, not earlier than the check's beginning. `light` is the look of the same check that this one replaces. With
/// `egress` in doubt the look says nothing about the domain: no condition opens and none closes.
package func evaluate(
    _ state: DomainState, _ observation: Observation, _ policy: Policy, now: Date, replacing light: Observation? = nil,
    egress: Egress = .trusted
) -> Evaluation {
    let readings = Readings(observation)
    var next = state
    next.firstCheckedAt = state.firstCheckedAt ?? state.lastCheckedAt ?? now
    next.lastCheckedAt = now
    next.reach = state.reach.after(observation, at: now)
    if observation.depth == .full { next.lastFullAt = now }
    // The file that it saw was served, however soon another one was; a fault that is gone already counts for nothing.
    if let light {
        let readings = Readings(light)
        if readings.originFile != nil { next.noteOrigin(readings, at: now) }
    }
    if egress == .trusted { next.noteOrigin(readings, at: now) }
    let seen = Verdict(
        of: readings, history: CopyHistory(periods: next.originPeriods), staleAfter: policy.staleAfter,
        certificateWarning: policy.certificateWarning,
        expectations: policy.expectations, now: now)
    next.noteCDN(readings, at: now)
    let verdict = egress == .inDoubt ? seen.inDoubt : seen
    next.verdict = verdict

    let reader = ConditionReader(
        before: state, after: next, readings: readings, verdict: verdict, policy: policy, now: now)
    let alternation = next.originAlternation
    var result = Evaluation(state: next, verdict: verdict, incidents: [], dropped: [], events: [])
    for kind in IncidentKind.inOrder {
        let course = IncidentCourse(
            domain: observation.domain, kind: kind, policy: policy, verdict: verdict, alternation: alternation,
            lastLook: state.lastCheckedAt, now: now)
        result.state.forgetTurns(of: kind, at: now)
        course.advance(
            state.open[kind], on: egress == .inDoubt ? .unknown : reader.reading(of: kind), into: &result)
        course.forgetEnded(in: &result.state)
    }
    return result
}

/// Ends all that is open of a domain which is watched no longer, so that nobody waits for the end of an alert.
package func retire(_ state: DomainState, now: Date) -> Evaluation {
    var verdict =
        state.verdict
        ?? Verdict(
            level: .ok, diagnosis: "the domain is no longer watched", comparison: Comparison(state: .notCompared),
            findings: [])
    verdict.comparison = verdict.comparison.aged(to: now)
    var result = Evaluation(state: state, verdict: verdict, incidents: [], dropped: [], events: [])
    for (kind, open) in state.open.sorted(by: { $0.key < $1.key }) {
        let course = IncidentCourse(domain: state.domain, kind: kind, policy: Policy(), verdict: verdict, now: now)
        course.advance(open, on: .clear(.removed), into: &result)
    }
    return result
}

extension DomainState {
    /// Remembers what the origin serves. An answer that is no file is not remembered: an error page never becomes
    /// "the last version".
    package mutating func noteOrigin(_ readings: Readings, at now: Date) {
        if readings.observation.origin.failure?.isOwnFault == true { return }
        guard let file = readings.originFile, file.namesService, let meaning = file.meaning else {
            originValidSince = nil
            return
        }
        if originValidSince == nil { originValidSince = now }
        originLooks = (originLooks + [meaning]).suffix(Self.maximumLooks)
        if let last = originPeriods.indices.last, originPeriods[last].meaning == meaning {
            originPeriods[last].lastSeen = now
            originPeriods[last].content = file.hash
            return
        }
        if let last = originPeriods.indices.last { originPeriods[last].supersededAt = now }
        originPeriods.append(OriginPeriod(meaning: meaning, content: file.hash, firstSeen: now, lastSeen: now))
        trimPeriods()
    }

    /// Keeps the latest stretch of each content first of all: that is what staleness is judged by. Neither an origin that
    /// alternates nor one that changes with each answer may push out the version that the CDN still holds.
    private mutating func trimPeriods() {
        guard originPeriods.count > Self.maximumPeriods else { return }
        var seen: Set<ContentHash> = []
        let latest = Set(originPeriods.indices.reversed().filter { seen.insert(originPeriods[$0].meaning).inserted })
        let victim =
            originPeriods.indices.first { !latest.contains($0) }
            ?? originPeriods.indices.first { originPeriods[$0].meaning != cdnCopy?.meaning } ?? originPeriods.startIndex
        originPeriods.remove(at: victim)
    }

    /// Remembers what the CDN serves, where it said anything.
    mutating func noteCDN(_ readings: Readings, at now: Date) {
        guard readings.observation.cdn.retrieval?.speaksOfFile == true else { return }
        let file = readings.cdnFile
        if let copy = cdnCopy, copy.meaning == file?.meaning {
            cdnCopy?.lastSeen = now
            cdnCopy?.content = file?.hash
        } else {
            cdnCopy = CDNSighting(meaning: file?.meaning, content: file?.hash, firstSeen: now, lastSeen: now)
        }
    }
}
