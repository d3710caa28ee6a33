// The one place where memory and a new observation become a new memory and changes of incidents. Pure and total: no clock, no
// randomness, no I/O. The same arguments give the same result, so a check that is repeated after a crash finds the same
// incidents.

import Evidence
import Foundation

/// The result of `evaluate`: all that a check leaves behind, beside what it saw. The store commits it as a whole or not at all.
package struct Evaluation: Equatable, Sendable {
    package var state: DomainState
    package var changes: [IncidentChange] = []
    /// What the origin and each edge served; empty where the local network is suspect.
    package var places: [PlaceReading]
    /// Open incidents of which a light check saw nothing any more.
    package var unseen: Set<IncidentKind>
    /// Whether the check saw anything else than the last full one, as far as its depth lets it.
    package var isNews: Bool

    package init(
        state: DomainState, changes: [IncidentChange] = [], places: [PlaceReading] = [],
        unseen: Set<IncidentKind> = [], isNews: Bool = true
    ) {
        self.state = state
        self.changes = changes
        self.places = places
        self.unseen = unseen
        self.isNews = isNews
    }

    /// What the check concludes.
    package var verdict: Verdict { state.verdict ?? .notMonitored }
}

/// Whether this machine reaches the network, as far as a check needs to know.
package enum LocalNetwork: Equatable, Sendable {
    case trusted
    /// Reference hosts answered after this check reached nobody: what it did not reach is not this machine's doing.
    case proven
    /// What a check did not reach may well be there.
    case suspect
}

/// Evaluates what a check has just seen in the light of what was known before (`state`).
///
/// `now` is the steady clock, not earlier than the check's beginning; `wall` is what clocks show then: certificates are dated
/// by it. `replacing` is the light observation of the same check that this one replaces. With the local network suspect the
/// check says nothing about the domain: no incident opens and none ends.
package func evaluate(
    _ state: DomainState, _ observation: Observation, _ policy: Policy, now: Date, wall: Date,
    replacing light: Observation? = nil, network: LocalNetwork = .trusted
) -> Evaluation {
    let witness: Control.Witness =
        network == .proven ? .proven : state.reachability.isCDNOutAlone ? .unfit : .asSeen
    let readings = Readings(observation, witness: witness)
    var next = state
    next.firstCheckedAt = state.firstCheckedAt ?? now
    next.lastCheckedAt = now
    next.reachability = state.reachability.after(observation, at: now)
    if observation.depth == .full { next.lastFullAt = now }
    // The file that it found was served, however soon another one was; a problem that is gone already counts for nothing.
    var lightVerdict: Verdict?
    if let light {
        let readings = Readings(light, witness: witness)
        if readings.originFile != nil { next.noteOrigin(readings, at: now) }
    }
    if network != .suspect { next.noteOrigin(readings, at: now) }
    func verdict(of readings: Readings) -> Verdict {
        Verdict(of: readings, history: next.history, policy, now: now, wall: wall)
    }
    if let light, network != .suspect { lightVerdict = verdict(of: Readings(light, witness: witness)) }
    var seen = network == .suspect ? verdict(of: readings).suspect : verdict(of: readings)
    let compared = network == .suspect ? Comparison(state: .notCompared) : seen.comparison
    next.noteAgreement(
        compared, copy: readings.cdnFile?.meaning, policy.checks, at: now, before: state.lastCheckedAt)
    // Its age is known now.
    if next.agreement?.parted != state.agreement?.parted, network != .suspect { seen = verdict(of: readings) }
    next.noteCDN(readings, at: now)
    let isFull = observation.depth == .full
    let fingerprint =
        network == .suspect ? nil : next.fingerprint(of: isFull ? verdict(of: readings.light) : seen)
    // Where a light check sees what the last full one saw, that one's verdict stands: it rests on more.
    let isRepeat = !isFull && fingerprint != nil && fingerprint == state.lightFingerprint
    next.lightFingerprint = isFull || isRepeat ? fingerprint : nil
    let shown = isRepeat ? state.verdict?.aged(to: now).ignoring(policy.checks.ignore, at: wall) ?? seen : seen
    next.verdict = shown
    next.blindness = Blindness(seen, known: state.blindness, policy.checks, now: now)
    if network != .suspect {
        next.failingChecks = seen.failsByCount(next.originAlternation != nil) ? (state.failingChecks ?? 0) + 1 : nil
    }

    let reader = ConditionReader(
        before: state, after: next, readings: readings, verdict: seen, shown: shown, isRepeat: isRepeat,
        policy: policy, now: now, wall: wall)
    let alternation = next.originAlternation
    let answers = 1 + (readings.observation.full?.edges.count { $0.retrieval.speaksOfFile } ?? 0)
    var log = IncidentLog(memory: next.incidents)
    var unseen: Set<IncidentKind> = []
    for kind in IncidentKind.inOrder {
        let places = network == .suspect ? state.open[kind]?.places : reader.places(of: kind)
        let reading = network == .suspect ? .unknown : reader.reading(of: kind, places: places)
        if reading == .unseen, state.open[kind] != nil { unseen.insert(kind) }
        if kind == .cdnStale, case .inactive = reading, seen.comparison.state == .inSync,
            state.open[kind]?.isAwaited == true
        {
            next.notePropagation(at: now, before: state.lastCheckedAt)
        }
        // Checks that fail in turn for two reasons fail as often as for one.
        let isConfirmed =
            next.failingChecks ?? 0 >= policy.checks.failureThreshold && kind.isConfirmedByCount
            && !log.memory.open.values.contains(where: \.hasFired)
        IncidentMachine(
            kind, of: observation.domain, policy,
            IncidentView(
                kind: kind, verdict: shown, alternation: alternation, interval: policy.checks.interval),
            isConfirmed: isConfirmed, seesAll: !kind.isOfCDN || isFull || isRepeat, harm: reader.harm(of: kind),
            answers: reading == .inactive(.ignored) ? nil : answers, now: now, before: state.lastCheckedAt
        ).advance(
            on: reading, inhibitor: shown.inhibitor(of: kind, in: log.memory), in: &log)
        // A write to what is not there makes room for it: 1.7 KB of each healthy domain.
        if log.memory.open[kind] != nil {
            log.memory.open[kind]?.places = places
            if case .active = reading {
                log.memory.open[kind]?.rules = reader.rules(feeding: kind)
                // A moment before, Apple's CDN answered as if it were over.
                if kind.isOfCDN, lightVerdict?.comparison.state == .inSync { log.memory.open[kind]?.hasRelapsed = true }
            }
        }
    }
    for cause in [IncidentKind.originUnreachable, .originBroken] {
        let following = log.memory.open.values.filter { $0.incident.inhibitedBy == cause }
        let told = following.filter { $0.incident.state == .firing }.map(\.harm).max()
        if let told {
            IncidentMachine(cause, of: observation.domain, policy, IncidentView(kind: cause, verdict: shown), now: now)
                .worsen(by: told, in: &log)
        }
    }
    next.incidents = log.memory
    var followed: [IncidentChange] = []
    if !policy.followsChanges {
        followed = next.forgetChange(shown, at: now)
    } else if network != .suspect {
        followed = next.followChange(since: state, shown, isSettled: isFull || isRepeat, at: now)
    }
    return Evaluation(
        state: next, changes: log.changes + followed,
        places: network == .suspect ? [] : PlaceReading.all(readings), unseen: unseen,
        isNews: fingerprint != nil && !isRepeat)
}

/// Ends all that is open of a domain which is no longer monitored, so that nobody waits for the end of an incident.
package func retire(_ state: DomainState, now: Date) -> Evaluation {
    let verdict = state.verdict?.aged(to: now) ?? .notMonitored
    var log = IncidentLog(memory: state.incidents)
    for kind in state.open.keys.sorted() {
        IncidentMachine(kind, of: state.domain, Policy(), IncidentView(kind: kind, verdict: verdict), now: now)
            .advance(on: .inactive(.removed), in: &log)
    }
    var next = state
    next.incidents = log.memory
    let forgotten = next.forgetChange(verdict, at: now)
    return Evaluation(state: next, changes: log.changes + forgotten)
}

extension TrackedIncident {
    /// Whether its end was not seen yet.
    fileprivate var isAwaited: Bool { incident.state != .recovering }
}

extension IncidentMachine<IncidentKind> {
    /// Each answer may come from another server behind one name. So many good ones end it, of one check or of several.
    private static let answers = 3
    /// So many good checks in a row end what comes and goes.
    private static let steadyChecks = 4

    /// `isConfirmed`: enough checks in a row failed, whatever for. `seesAll`: the check knows of all of Apple's edges, or the kind is not
    /// about them. `harm`: what phones do by it; nil: what they do. `answers`: how many this check had of Apple's CDN; nil: the end
    /// rests on none. `before`: the last check before this one.
    fileprivate init(
        _ kind: IncidentKind, of domain: Domain, _ policy: Policy, _ view: IncidentView, isConfirmed: Bool = false,
        seesAll: Bool = true, harm: Effect.Harm? = nil, answers: Int? = nil, now: Date, before: Date? = nil
    ) {
        let threshold = policy.checks.failureThreshold
        let checks = kind.isOfCDN ? answers.map { (Self.answers + $0 - 1) / $0 } ?? 1 : 1
        self.init(
            key: kind, kind: kind, subject: .domain(domain),
            rules: IncidentRules(
                // A certificate's dates do not flicker.
                confirmations: isConfirmed || kind == .certificateExpiring ? 1 : threshold,
                window: min(5 * threshold, 32),
                recoveries: max(policy.checks.recoveryThreshold, checks), isOfManyServers: kind.isOfCDN,
                recoveriesAfterRelapse: Self.steadyChecks,
                reopenWindow: Policy.reopenWindow.inSeconds),
            now: now, before: before, harm: harm ?? view.verdict.diagnosis.effect.harm, facts: view.facts,
            fingerprint: view.fingerprint,
            wording: { seesAll ? view.wording : nil })
    }
}

extension Verdict {
    /// Findings name dates, and certificates have them: both are of the wall clock. The comparison's instants are steady, as
    /// all that is stored. Whole seconds keep them the same from check to check.
    fileprivate init(of readings: Readings, history: CopyHistory, _ policy: Policy, now: Date, wall: Date) {
        let shift = wall.timeIntervalSince(now).rounded()
        self.init(
            of: readings, history: shift == 0 ? history : history.shifted(by: shift), checks: policy.checks,
            expectations: policy.expectations, now: now + shift)
        comparison.changedAt? -= shift
        comparison.changedAfter? -= shift
    }
}

extension DomainState {
    /// What a light check can see: two that are equal see the same, ages apart. `verdict`: that of the two plain requests.
    fileprivate func fingerprint(of verdict: Verdict) -> ContentHash {
        let contents = [originPeriods.last?.meaning.hex, cdnCopy.map { $0.meaning?.hex ?? "" }].map { $0 ?? "-" }
        // What is ignored was seen all the same: another list of rules makes no news.
        let findings = (verdict.findings + verdict.ignored.map(\.finding)).map {
            "\($0.rule.rawValue) \($0.severity.rawValue)"
        }
        let compared = [verdict.comparison.state.rawValue]
        return ContentHash(of: (contents + compared + Set(findings).sorted()).joined(separator: "\n").utf8)
    }
}

extension Verdict {
    /// Whether an error is one that only has to be seen often enough: what may end by itself within its time is none, but for a copy that
    /// is old since the origin alternates.
    fileprivate func failsByCount(_ alternates: Bool) -> Bool {
        level == .failing
            && findings.contains { finding in
                guard finding.severity == .error, let kind = finding.feeds else { return false }
                return kind.isConfirmedByCount || alternates && kind.isOfCDN
            }
    }

    fileprivate static let notMonitored = Verdict(
        level: .ok, diagnosis: .remark(.notMonitored, .unknown(.notMonitored)),
        comparison: Comparison(state: .notCompared), findings: [])

    /// The same verdict some time later.
    func aged(to now: Date) -> Verdict {
        var aged = self
        aged.comparison = comparison.aged(to: now)
        return aged
    }
}

extension Comparison {
    /// The same comparison some time later: the copy has grown older since the check.
    package func aged(to now: Date) -> Comparison {
        guard lagSeconds != nil, let changedAt else { return self }
        var aged = self
        aged.lagSeconds = Int(max(0, now.timeIntervalSince(changedAt)))
        return aged
    }
}

/// What `evaluate` needs of a domain's settings. It holds no state, and no key is derived from it: editing a threshold neither
/// repeats nor loses a notification.
package struct Policy: Equatable, Sendable {
    package var checks: CheckSettings
    /// What the owners expect of the file.
    package var expectations: Expectations
    /// Whether new versions of the origin's file are followed as incidents of kind `change`: somebody is notified of them.
    package var followsChanges: Bool
    /// A problem that is back this soon after its end is the same incident.
    static let reopenWindow: Duration = .seconds(30 * 60)

    package init(
        _ checks: CheckSettings = CheckSettings(), expectations: Expectations = Expectations(),
        followsChanges: Bool = false
    ) {
        self.checks = checks
        self.expectations = expectations
        self.followsChanges = followsChanges
    }

    package init(_ watched: WatchedDomain, followsChanges: Bool = false) {
        self.init(watched.checks, expectations: watched.expect ?? Expectations(), followsChanges: followsChanges)
    }
}
