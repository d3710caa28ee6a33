// What one check says about each kind of problem: it is there, it is not, or the check could not tell.

import Evidence
import Facts
import Foundation

/// Reads the conditions from one verdict and what was known before it.
struct ConditionReader {
    /// The state before this check.
    let before: DomainState
    /// The state with what this check saw.
    let after: DomainState
    let readings: Readings
    let verdict: Verdict
    /// The verdict that stands: of a light check that sees the same as the last full one, that one's.
    let shown: Verdict
    let isRepeat: Bool
    let policy: Policy
    let now: Date
    let wall: Date

    /// `places`: those that are still wrong after this check, as far as is known.
    func reading(of kind: IncidentKind, places: FaultyPlaces?) -> ConditionReading {
        // In another mode devices do not read Apple's copy: its incidents would stay open for ever.
        if kind.isOfCDN, readings.observation.cdn == .notAsked(.mode) { return .inactive(.removed) }
        var reading = seen(kind, places)
        if case .active(var condition) = reading {
            condition.harm = harm(of: kind)
            if let extent = extent(of: kind, places) { condition.stage = extent }
            reading = .active(condition)
        }
        if isIgnored(kind) {
            // Ignored trouble may hide whether other trouble is over: that ends only where the check saw it.
            if case .active = reading { reading = .inactive(.ignored) }
            if restsOnIgnored(kind) { reading = .inactive(.ignored) }
        }
        guard case .inactive(let reason) = reading else { return reading }
        let isIgnored = reason == .ignored
        // One address, one edge and one user agent of many: a light check cannot tell that all are well.
        if readings.observation.depth == .light, kind.needsFullProbe, !(isIgnored && isRepeat) { return .unseen }
        if isIgnored { return reading }
        return places == nil && !isContradicted(kind) ? reading : .unsettled(reason)
    }

    /// An end needs every answer: what the edges say one by one, and what the CDN's name gave.
    private func isContradicted(_ kind: IncidentKind) -> Bool {
        guard kind.isOfCDN, readings.originFile != nil, let cdn = readings.cdn, cdn.speaksOfFile else { return false }
        guard let meaning = readings.cdnFile?.meaning else { return true }
        let isCurrent =
            readings.currentMeanings.contains(meaning) || meaning == readings.originFile?.meaning
            || after.originAlternation?.contents.contains(meaning) == true
        return kind == .cdnMissing ? false : verdict.comparison.state == .inSync && !isCurrent
    }

    /// What phones do, for the kinds that decide it. Trouble of the origin becomes worse by what follows from it.
    func harm(of kind: IncidentKind) -> Effect.Harm? {
        switch kind {
        // A light check meets one edge, by chance.
        case .cdnMissing, .cdnStale, .cdnDivergent:
            readings.observation.depth == .full || isRepeat ? shown.diagnosis.effect.harm : nil
        // Once Apple serves the origin's file, phones follow what is wrong with it.
        case .fileBroken, .expectationFailed:
            shown.comparison.state == .inSync || shown.comparison.state == .notCompared
                ? shown.diagnosis.effect.harm : Effect.Harm.none
        case .originUnreachable, .originBroken, .originInconsistent, .certificateExpiring, .cdnWide, .monitorDegraded,
            .change:
            nil
        }
    }

    /// How many places, or errors, there are; nil for what counts in another way.
    private func extent(of kind: IncidentKind, _ places: FaultyPlaces?) -> Int? {
        let errors = shown.findings.filter { $0.severity == .error && $0.feeds == kind }
        switch kind {
        case .cdnMissing, .cdnStale, .cdnDivergent:
            guard readings.observation.depth == .full else { return nil }
            let count = places?.places.count ?? 0
            return count >= copies.count { $0.speaksOfFile } ? Condition.everywhere : count
        // What some places give leaves the others.
        case .originUnreachable, .originBroken, .originInconsistent:
            return errors.map { $0.places ?? Condition.everywhere }.max()
        case .fileBroken, .expectationFailed: return errors.count
        case .certificateExpiring, .cdnWide, .monitorDegraded, .change: return nil
        }
    }

    /// The rules whose findings speak for a kind.
    func rules(feeding kind: IncidentKind) -> [Rule] {
        Set(shown.findings.filter { counts($0, for: kind) }.map(\.rule)).sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether what is open of a kind, if anything is, was about ignored rules alone.
    private func restsOnIgnored(_ kind: IncidentKind) -> Bool {
        before.open[kind]?.rules?.allSatisfy { ignores($0) } ?? true
    }

    /// Whether all that speaks for a kind is ignored.
    private func isIgnored(_ kind: IncidentKind) -> Bool {
        guard !policy.checks.ignore.isEmpty, !shown.findings.contains(where: { counts($0, for: kind) }) else {
            return false
        }
        if shown.ignored.contains(where: { $0.finding.feeds == kind }) { return true }
        // Conditions that no finding of their kind stands for.
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

    /// Copies and certificates are judged whatever the severity: they have a grace of their own.
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
        // One domain says nothing of the others.
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
        // No answer is none, however little it weighs.
        let isOut = verdict.findings.contains { $0.feeds == .originUnreachable }
        return origin.failure != nil && isOut ? .unknown : .inactive(.recovered)
    }

    private var originBroken: ConditionReading {
        if hasError(feeding: .originBroken) { return .active(Condition(since: now)) }
        // Without the origin nobody can tell whether its file is good. Where only some addresses are dead, the others
        // tell.
        let isOut = verdict.findings.contains {
            $0.severity == .error && $0.feeds == .originUnreachable
                && $0.kind != .addressUnreachable
        }
        // An answer that turns this machine away is no file either, however little it weighs; and where the server had enough
        // of us, Apple's agents were not asked.
        return readings.originFile == nil || isOut || isLimited ? .unknown : .inactive(.recovered)
    }

    private var isLimited: Bool { verdict.findings.contains { $0.kind == .rateLimited } }

    private var originInconsistent: ConditionReading {
        if hasError(feeding: .originInconsistent) || after.originAlternation != nil {
            return .active(Condition(since: now))
        }
        // While the last checks found two files, the next may find the other one again; and where the server had enough of us, Apple's
        // agents were not asked.
        return origin.answer == nil || !after.isOriginCalm || isLimited ? .unknown : .inactive(.recovered)
    }

    /// Without a file there is nothing to judge; that is a problem of another kind.
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
        // A handshake that showed no dates, or none at all, renews no certificate.
        guard let tls = origin.connection?.tls, tls.trusted, tls.chain.first?.notAfter != nil else { return .unknown }
        return .inactive(.recovered)
    }

    /// Seconds before its end at which a certificate becomes an error, and a worse one.
    private static let lastSteps: [TimeInterval] = [3 * 86_400, 86_400]
}

extension IncidentKind {
    /// Whether only a full check can tell that it is over: some of what feeds it is not asked by a light one.
    package var needsFullProbe: Bool { self != .certificateExpiring && self != .fileBroken }
}

// MARK: - Apple's copy, at one edge or at many

extension ConditionReader {
    private var grace: Date { now.addingTimeInterval(policy.checks.staleAfter.inSeconds) }

    var cdnMissing: ConditionReading {
        switch verdict.comparison.state {
        case .missing: .active(Condition(since: now, graceUntil: missingGrace))
        // Some phones get the file; until the others do it may take as long as any change.
        case .mixed where isMissingSomewhere: .active(Condition(since: now, graceUntil: grace))
        case .inSync, .propagating, .stale, .divergent, .mixed: .inactive(.recovered)
        case .originUnavailable: goneBehindOrigin
        case .cdnUnavailable, .notCompared: .unknown
        }
    }

    /// Whatever the origin serves: phones had a copy to live on, and have none any more. What never was there is the origin's
    /// trouble alone.
    private var goneBehindOrigin: ConditionReading {
        guard readings.cdn?.speaksOfFile == true else { return .unknown }
        if copies.allSatisfy({ $0.answer?.status != 200 }) {
            let wasThere = before.open[.cdnMissing] != nil || before.cdnCopy?.meaning != nil
            guard wasThere else { return .unknown }
            // Where that was told, the loss of the copy is worse; else it may come back with the origin.
            let isTold = IncidentKind.cdnMissing.inhibitors.contains { before.open[$0]?.hasFired == true }
            return .active(Condition(since: now, graceUntil: isTold ? nil : missingGrace))
        }
        return isMissingSomewhere ? .unknown : .inactive(.recovered)
    }

    /// A copy that was there and vanished while the origin was fine fires at once. One that was never there, or went
    /// while the origin was broken, comes back by itself when Apple asks again: wait for two lifetimes of the failure.
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
            // Without a date no edge is known to be old: they have none, or something foreign.
            guard !isOfAlternation, verdict.comparison.state != .mixed || verdict.comparison.changedAt != nil else {
                return .inactive(.superseded)
            }
            let since = verdict.comparison.changedAt ?? now
            return .active(
                Condition(since: since, graceUntil: since + policy.checks.staleAfter.inSeconds, isDated: true))
        case .inSync: return inSync(.cdnStale)
        case .divergent: return .inactive(.superseded)
        // Without a copy there is nothing that could be old; the clock stands until there is one again.
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

    /// One of several servers may have a file that happens to do the same.
    private func withoutEffect(_ kind: IncidentKind) -> ConditionReading {
        after.isOriginCalm || before.open[kind]?.hasFired != true ? .inactive(.recovered) : .unsettled(.recovered)
    }

    /// The copy stood still while the origin came back to it, or it moved. Of edges that disagreed, some moved. One of several servers
    /// that has the former file is no return to it, as for `originInconsistent`.
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
