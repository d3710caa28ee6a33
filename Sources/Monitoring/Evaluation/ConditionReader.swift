// What one check says about each kind of problem: present, absent, or unknown.

import Evidence
import Facts
import Foundation

/// Reads the conditions from one verdict and the state before it.
struct ConditionReader {
    /// The state before this check.
    let before: DomainState
    /// The state after this check.
    let after: DomainState
    let readings: Readings
    let verdict: Verdict
    /// The verdict for users. If a light check repeats the last full one, this is the full one's verdict.
    let shown: Verdict
    let isRepeat: Bool
    let policy: Policy
    let now: Date
    let wall: Date

    /// `places`: the places that are still faulty after this check, as far as is known.
    func reading(of kind: IncidentKind, places: FaultyPlaces?) -> ConditionReading {
        // In another mode devices do not read Apple's copy: CDN incidents would stay open forever.
        if kind.isOfCDN, readings.observation.cdn == .notAsked(.mode) { return .inactive(.removed) }
        var reading = seen(kind, places)
        if case .active(var condition) = reading {
            condition.harm = harm(of: kind)
            if let extent = extent(of: kind, places) { condition.stage = extent }
            reading = .active(condition)
        }
        if isIgnored(kind) {
            // An ignored problem may hide whether another problem ended, so the others end only if the check saw it.
            if case .active = reading { reading = .inactive(.ignored) }
            if restsOnIgnored(kind) { reading = .inactive(.ignored) }
        }
        guard case .inactive(let reason) = reading else { return reading }
        let isIgnored = reason == .ignored
        // A light check asks one address, one edge and one user agent: it cannot tell that all are well.
        if readings.observation.depth == .light, kind.needsFullProbe, !(isIgnored && isRepeat) { return .unseen }
        if isIgnored { return reading }
        return places == nil && !isContradicted(kind) ? reading : .unsettled(reason)
    }

    /// Whether an answer contradicts the recovery: the edges, and the answer under the CDN's name, must agree.
    private func isContradicted(_ kind: IncidentKind) -> Bool {
        guard kind.isOfCDN, readings.originFile != nil, let cdn = readings.cdn, cdn.isAboutFile else { return false }
        guard let meaning = readings.cdnFile?.meaning else { return true }
        let isCurrent =
            readings.currentMeanings.contains(meaning) || meaning == readings.originFile?.meaning
            || after.originAlternation?.contents.contains(meaning) == true
        return kind == .cdnMissing ? false : verdict.comparison.state == .inSync && !isCurrent
    }

    /// What phones do, if the kind decides it. The origin's problems get their harm from `escalateInhibitors`.
    func harm(of kind: IncidentKind) -> Effect.Harm? {
        switch kind {
        // A light check asks only one edge, chosen by chance.
        case .cdnMissing, .cdnStale, .cdnDivergent:
            readings.observation.depth == .full || isRepeat ? shown.diagnosis.effect.harm : nil
        // Once Apple serves the origin's file, its faults reach phones.
        case .fileBroken, .expectationFailed:
            shown.comparison.state == .inSync || shown.comparison.state == .notCompared
                ? shown.diagnosis.effect.harm : Effect.Harm.none
        case .originUnreachable, .originBroken, .originInconsistent, .certificateExpiring, .cdnWide, .monitorDegraded,
            .change:
            nil
        }
    }

    /// The number of faulty places or errors; nil if the kind is not counted this way.
    private func extent(of kind: IncidentKind, _ places: FaultyPlaces?) -> Int? {
        let errors = shown.findings.filter { $0.severity == .error && $0.feeds == kind }
        switch kind {
        case .cdnMissing, .cdnStale, .cdnDivergent:
            guard readings.observation.depth == .full else { return nil }
            let count = places?.places.count ?? 0
            return count >= copies.count { $0.isAboutFile } ? Condition.everywhere : count
        // A finding without a number of places is about all of them.
        case .originUnreachable, .originBroken, .originInconsistent:
            return errors.map { $0.places ?? Condition.everywhere }.max()
        case .fileBroken, .expectationFailed: return errors.count
        case .certificateExpiring, .cdnWide, .monitorDegraded, .change: return nil
        }
    }

    /// The rules of the findings that count for a kind.
    func rules(feeding kind: IncidentKind) -> [Rule] {
        Set(shown.findings.filter { counts($0, for: kind) }.map(\.rule)).sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether the open incident of a kind, if any, is only about ignored rules.
    private func restsOnIgnored(_ kind: IncidentKind) -> Bool {
        before.open[kind]?.rules?.allSatisfy { ignores($0) } ?? true
    }

    /// Whether all findings for a kind are ignored.
    private func isIgnored(_ kind: IncidentKind) -> Bool {
        guard !policy.checks.ignore.isEmpty, !shown.findings.contains(where: { counts($0, for: kind) }) else {
            return false
        }
        if shown.ignored.contains(where: { $0.finding.feeds == kind }) { return true }
        // Conditions without a finding of the same kind.
        switch kind {
        case .cdnMissing: return shown.comparison.state == .originUnavailable && ignores(Rule(.cdnMissing))
        case .originInconsistent:
            return after.originAlternation.map { ignores($0.finding.rule) } ?? false
        case .cdnStale, .cdnDivergent:
            return shown.comparison.state == .mixed
                && (ignores(Rule(.edgesDiffer)) || ignores(Rule(kind == .cdnStale ? .stale : .divergent)))
        default: return false
        }
    }

    /// Findings about copies and certificates count at any severity: these kinds have their own grace period.
    private func counts(_ finding: Finding, for kind: IncidentKind) -> Bool {
        finding.feeds == kind
            && (finding.severity == .error || kind.isOfCDN || kind == .certificateExpiring)
    }

    private func ignores(_ rule: Rule) -> Bool {
        policy.checks.ignore.contains { $0.rule == rule && $0.holds(at: wall) }
    }

    private func seen(_ kind: IncidentKind, _ places: FaultyPlaces?) -> ConditionReading {
        switch kind {
        case .originUnreachable: originUnreachable
        case .originBroken: originBroken
        case .originInconsistent: originInconsistent
        case .fileBroken, .expectationFailed: ofFile(kind)
        case .cdnMissing: cdnMissing
        case .cdnStale: cdnStale
        case .cdnDivergent: cdnDivergent
        case .certificateExpiring: certificateExpiring(places)
        // One domain says nothing about the others.
        case .cdnWide, .monitorDegraded: .unknown
        // No condition: `DomainState.followChange` opens and ends it.
        case .change: .unknown
        }
    }

    private var origin: Retrieval { readings.observation.origin }

    private func hasError(feeding kind: IncidentKind) -> Bool {
        verdict.findings.contains { $0.severity == .error && $0.feeds == kind }
    }

    private var originUnreachable: ConditionReading {
        if origin.ownFault != nil { return .unknown }
        if hasError(feeding: .originUnreachable) { return .active(Condition(since: now)) }
        // A failed request is not a recovery, even if its finding has a low severity.
        let isOut = verdict.findings.contains { $0.feeds == .originUnreachable }
        return origin.failure != nil && isOut ? .unknown : .inactive(.recovered)
    }

    private var originBroken: ConditionReading {
        if hasError(feeding: .originBroken) { return .active(Condition(since: now)) }
        // Without the origin nobody can tell whether its file is good. If only some addresses are down, the others
        // answer.
        let isOut = verdict.findings.contains {
            $0.severity == .error && $0.feeds == .originUnreachable
                && $0.kind != .addressUnreachable
        }
        // An answer that blocks this machine is not a file either, at any severity. After a rate limit, Apple's agents
        // were not asked.
        return readings.originFile == nil || isOut || isLimited ? .unknown : .inactive(.recovered)
    }

    private var isLimited: Bool { verdict.findings.contains { $0.kind == .rateLimited } }

    private var originInconsistent: ConditionReading {
        if hasError(feeding: .originInconsistent) || after.originAlternation != nil {
            return .active(Condition(since: now))
        }
        // If the last checks found two files, the next may find the other one again. After a rate limit, Apple's agents
        // were not asked.
        return origin.answer == nil || !after.isOriginCalm || isLimited ? .unknown : .inactive(.recovered)
    }

    /// Without a file there is nothing to check; another kind reports that.
    private func ofFile(_ kind: IncidentKind) -> ConditionReading {
        if hasError(feeding: kind) { return .active(Condition(since: now)) }
        return readings.originFile == nil ? .unknown : .inactive(.recovered)
    }

    private func certificateExpiring(_ places: FaultyPlaces?) -> ConditionReading {
        if verdict.findings.contains(where: { $0.feeds == .certificateExpiring }) {
            let left = places?.earliestEnd?.timeIntervalSince(wall) ?? .infinity
            let stage = Self.lastSteps.count { left <= $0 }
            return .active(Condition(since: now, severity: stage > 0 ? .error : .warning, stage: stage))
        }
        // A handshake that failed, or showed no dates, does not prove that the certificate was renewed.
        guard let tls = origin.connection?.tls, tls.trusted, tls.chain.first?.notAfter != nil else { return .unknown }
        return .inactive(.recovered)
    }

    /// Seconds before the certificate ends. At the first, its severity becomes error. The second is a worse stage.
    private static let lastSteps: [TimeInterval] = [3 * 86_400, 86_400]
}

extension IncidentKind {
    /// Whether only a full check can tell that it is over, because a light check does not see all of its causes.
    package var needsFullProbe: Bool { self != .certificateExpiring && self != .fileBroken }
}

// MARK: - Apple's copy, at one edge or at many

extension ConditionReader {
    private var grace: Date { now.addingTimeInterval(policy.checks.staleAfter.inSeconds) }

    var cdnMissing: ConditionReading {
        switch verdict.comparison.state {
        case .missing: .active(Condition(since: now, graceUntil: missingGrace))
        // Some phones get the file. The others may have to wait as long as for any change.
        case .mixed where isMissingSomewhere: .active(Condition(since: now, graceUntil: grace))
        case .inSync, .propagating, .stale, .divergent, .mixed: .inactive(.recovered)
        case .originUnavailable: goneBehindOrigin
        case .cdnUnavailable, .notCompared: .unknown
        }
    }

    /// Applies regardless of what the origin serves: phones had a copy and lost it. A copy that never existed is only
    /// the origin's problem.
    private var goneBehindOrigin: ConditionReading {
        guard readings.cdn?.isAboutFile == true else { return .unknown }
        if copies.allSatisfy({ $0.answer?.status != 200 }) {
            let wasThere = before.open[.cdnMissing] != nil || before.cdnCopy?.meaning != nil
            guard wasThere else { return .unknown }
            // Fires immediately if the origin's incident has. Otherwise the copy may return with the origin.
            let isTold = IncidentKind.cdnMissing.inhibitors.contains { before.open[$0]?.hasFired == true }
            return .active(Condition(since: now, graceUntil: isTold ? nil : missingGrace))
        }
        return isMissingSomewhere ? .unknown : .inactive(.recovered)
    }

    /// A copy that vanishes while the origin is fine fires immediately. A copy that never existed, or vanished while
    /// the origin was broken, returns when Apple asks again: wait for two lifetimes of the cached failure.
    private var missingGrace: Date? {
        let hadOriginProblem =
            verdict.comparison.state == .originUnavailable
            || IncidentKind.cdnMissing.inhibitors.contains { before.open[$0] != nil }
        if let copy = before.cdnCopy, copy.meaning != nil, before.originValidSince != nil, !hadOriginProblem {
            return nil
        }
        let lifetime = Double(readings.observation.cdn.retrieval?.answer?.maxAge ?? 3600)
        return now.addingTimeInterval(min(policy.checks.staleAfter.inSeconds, 2 * lifetime))
    }

    var cdnStale: ConditionReading {
        if verdict.comparison.isWithoutEffect == true { return withoutEffect(.cdnStale) }
        switch verdict.comparison.state {
        case .propagating, .stale, .mixed:
            // Without a date no edge is known to be old: the edges have no copy or an unknown one.
            guard !isOfAlternation, verdict.comparison.state != .mixed || verdict.comparison.changedAt != nil else {
                return .inactive(.superseded)
            }
            let since = verdict.comparison.changedAt ?? now
            return .active(
                Condition(since: since, graceUntil: since + policy.checks.staleAfter.inSeconds, isDated: true))
        case .inSync: return inSync(.cdnStale)
        case .divergent: return .inactive(.superseded)
        // Without a copy nothing can be stale; the incident keeps its age until there is a copy again.
        case .missing, .originUnavailable, .cdnUnavailable, .notCompared: return .unknown
        }
    }

    var cdnDivergent: ConditionReading {
        switch verdict.comparison.state {
        case _ where verdict.comparison.isWithoutEffect == true: withoutEffect(.cdnDivergent)
        case .divergent: .active(Condition(since: now, graceUntil: grace))
        case .mixed where verdict.comparison.changedAt == nil && !isMissingSomewhere && !isOfAlternation:
            .active(Condition(since: now, graceUntil: grace))
        case .inSync: inSync(.cdnDivergent)
        case .propagating, .stale, .mixed: .inactive(.superseded)
        case .missing, .originUnavailable, .cdnUnavailable, .notCompared: .unknown
        }
    }

    /// One of several servers may by chance serve a file with the same effect.
    private func withoutEffect(_ kind: IncidentKind) -> ConditionReading {
        after.isOriginCalm || before.open[kind]?.hasFired != true ? .inactive(.recovered) : .unsettled(.recovered)
    }

    /// `originReverted` if the CDN's copy did not move, otherwise `cdnCaughtUp`. When edges disagreed, some of them
    /// moved. If only one of several servers has the former file, the origin did not revert (see `originInconsistent`).
    private func inSync(_ kind: IncidentKind) -> ConditionReading {
        let known = before.open[kind]
        let stood =
            before.verdict?.comparison.state != .mixed && before.cdnCopy?.meaning != nil
            && before.cdnCopy?.meaning == readings.cdnFile?.meaning && known?.recovery != .cdnCaughtUp
        guard stood else { return .inactive(.cdnCaughtUp) }
        return after.isOriginCalm || known?.hasFired != true
            ? .inactive(.originReverted) : .unsettled(.originReverted)
    }

    private var copies: [Retrieval] {
        let edges = readings.observation.full?.edges.map(\.retrieval) ?? []
        let spoken = edges.filter(\.isAboutFile)
        return spoken.isEmpty ? [readings.observation.cdn.retrieval].compactMap(\.self) : spoken
    }

    private var isMissingSomewhere: Bool { copies.contains { $0.answer?.status != 200 } }

    /// Whether everything the CDN serves is what an alternating origin served at one of the last checks. Such a copy is
    /// current, and the problem is at the origin.
    private var isOfAlternation: Bool {
        guard let alternation = after.originAlternation else { return false }
        let served = copies.filter { $0.answer?.status == 200 }
        return !served.isEmpty
            && served.allSatisfy { copy in
                readings.file(of: copy)?.meaning.map(alternation.contents.contains) ?? false
            }
    }
}
