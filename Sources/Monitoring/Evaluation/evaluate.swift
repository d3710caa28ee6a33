// The only place that turns a state and a new observation into a new state and incident changes. Pure and total: no
// clock, no randomness, no I/O. The same arguments give the same result, so a check repeated after a crash finds the
// same incidents.

import Evidence
import Foundation

/// What a check produces, except the observation. The store commits all of it or nothing.
package struct Evaluation: Equatable, Sendable {
    package var state: DomainState
    package var changes: [IncidentChange] = []
    /// What the origin and each edge served; empty if the local network is suspect.
    package var places: [PlaceReading] = []
    /// Open incidents whose problem a light check no longer saw.
    package var unseen: Set<IncidentKind> = []
    /// Whether the check saw anything different from the last full one, as far as its depth allows.
    package var isNews = true

    package var verdict: Verdict { state.verdict ?? .notMonitored }
}

/// Whether this machine reaches the network, as far as a check needs to know.
package enum LocalNetwork: Equatable, Sendable {
    case trusted
    /// Reference hosts answered after this check got no answer: this machine is not the cause.
    case proven
    /// Sites without an answer may be up.
    case suspect
}

/// Evaluates a new observation, given the previous `state`.
///
/// `now`: the steady clock, not before the start of the check. `wall`: the wall clock at that time, for the dates of
/// certificates. `replacing`: the light observation of the same check that this one replaces. If the local network is
/// suspect, the check says nothing about the domain: no incident opens or ends.
package func evaluate(
    _ state: DomainState, _ observation: Observation, _ policy: Policy, now: Date, wall: Date,
    replacing light: Observation? = nil, network: LocalNetwork = .trusted
) -> Evaluation {
    let witness: Control.Witness =
        network == .proven ? .proven : state.reachability.isCDNOutAlone ? .unfit : .asSeen
    let check = Check(
        before: state, readings: Readings(observation, witness: witness),
        light: light.map { Readings($0, witness: witness) }, policy: policy, now: now, wall: wall,
        isTrusted: network != .suspect)
    var next = state
    next.noteOrigin(of: check)
    let first = check.light.map { check.verdict(on: $0, in: next) }
    let seen = next.noteCopy(of: check)
    let isRepeat = next.noteVerdict(seen, of: check)
    let standing = next.verdict ?? seen

    let reader = ConditionReader(
        before: state, after: next, readings: check.readings, verdict: seen, shown: standing, isRepeat: isRepeat,
        policy: policy, now: now, wall: wall)
    let conditions = reader.conditions(isTrusted: check.isTrusted)
    var log = IncidentLog(memory: next.incidents)
    for condition in conditions {
        reader.advance(condition, hasRelapsed: first?.comparison.state == .inSync, in: &log)
    }
    reader.escalateInhibitors(in: &log)
    next.incidents = log.memory

    if conditions.contains(where: reader.showsThatCopyCaughtUp) {
        next.notePropagation(at: now, before: state.lastCheckedAt)
    }
    let followed = next.noteChange(of: check, standing, isSettled: reader.knowsEveryEdge)
    return Evaluation(
        state: next, changes: log.changes + followed, places: check.isTrusted ? PlaceReading.all(check.readings) : [],
        unseen: Set(conditions.filter { $0.reading == .unseen && state.open[$0.kind] != nil }.map(\.kind)),
        isNews: check.isTrusted && !isRepeat)
}

/// Ends all open incidents of a domain that is no longer monitored, so that nobody waits for their end.
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

// MARK: - What one check adds to the state

/// One check, with everything that its evaluation needs.
private struct Check {
    /// What was known before it.
    let before: DomainState
    let readings: Readings
    /// Of the light observation that this check replaces.
    let light: Readings?
    let policy: Policy
    let now: Date
    let wall: Date
    /// Whether it says anything about the domain: false if the local network is suspect.
    let isTrusted: Bool

    var isFull: Bool { readings.observation.depth == .full }

    /// The verdict on an observation, given the history in `state`.
    func verdict(on readings: Readings, in state: DomainState) -> Verdict {
        Verdict(of: readings, history: state.history, policy, now: now, wall: wall)
    }
}

extension DomainState {
    fileprivate mutating func noteOrigin(of check: Check) {
        let observation = check.readings.observation
        firstCheckedAt = firstCheckedAt ?? check.now
        lastCheckedAt = check.now
        reachability = reachability.after(observation, at: check.now)
        if check.isFull { lastFullAt = check.now }
        // The light observation's file was served, even if another one followed immediately. A problem that it saw does
        // not count if it is already gone.
        if let light = check.light, light.originFile != nil { noteOrigin(light, at: check.now) }
        if check.isTrusted { noteOrigin(check.readings, at: check.now) }
    }

    /// - Returns: the verdict on this check alone.
    fileprivate mutating func noteCopy(of check: Check) -> Verdict {
        let verdict = check.verdict(on: check.readings, in: self)
        noteAgreement(
            check.isTrusted ? verdict.comparison : Comparison(state: .notCompared),
            copy: check.readings.cdnFile?.meaning, check.policy.checks, at: check.now,
            before: check.before.lastCheckedAt)
        defer { noteCDN(check.readings, at: check.now) }
        guard check.isTrusted else { return verdict.suspect }
        // If the copy has just diverged from the origin, its age is now known.
        return agreement?.divergedAt == check.before.agreement?.divergedAt
            ? verdict : check.verdict(on: check.readings, in: self)
    }

    /// If a light check sees the same as the last full one, the verdict of the full one stays: it has more evidence.
    /// - Returns: whether it stays.
    fileprivate mutating func noteVerdict(_ seen: Verdict, of check: Check) -> Bool {
        blindness = Blindness(seen, known: blindness, check.policy.checks, now: check.now)
        guard check.isTrusted else {
            lightFingerprint = nil
            verdict = seen
            return false
        }
        failingChecks = seen.failsByCount(originAlternation != nil) ? failingChecks + 1 : 0
        let fingerprint = fingerprint(of: check.isFull ? check.verdict(on: check.readings.light, in: self) : seen)
        let isRepeat = !check.isFull && fingerprint == lightFingerprint
        lightFingerprint = check.isFull || isRepeat ? fingerprint : nil
        if isRepeat, let last = verdict {
            verdict = last.aged(to: check.now).ignoring(check.policy.checks.ignore, at: check.wall)
        } else {
            verdict = seen
        }
        return isRepeat
    }

    fileprivate mutating func noteChange(of check: Check, _ verdict: Verdict, isSettled: Bool) -> [IncidentChange] {
        guard check.policy.followsChanges else { return forgetChange(verdict, at: check.now) }
        return check.isTrusted
            ? followChange(since: check.before, verdict, isSettled: isSettled, at: check.now) : []
    }
}

// MARK: - What one check does to incidents

extension ConditionReader {
    fileprivate typealias KindCondition = (kind: IncidentKind, places: FaultyPlaces?, reading: ConditionReading)

    /// For every kind; `unknown` while the local network is suspect.
    fileprivate func conditions(isTrusted: Bool) -> [KindCondition] {
        IncidentKind.inOrder.map { kind in
            guard isTrusted else { return (kind, before.open[kind]?.places, .unknown) }
            let places = places(of: kind)
            return (kind, places, reading(of: kind, places: places))
        }
    }

    fileprivate var knowsEveryEdge: Bool { readings.observation.depth == .full || isRepeat }

    /// `hasRelapsed`: the light observation of the same check saw the CDN in sync, and the full one does not.
    fileprivate func advance(
        _ condition: KindCondition, hasRelapsed: Bool, in log: inout IncidentLog<IncidentKind>
    ) {
        let (kind, places, reading) = condition
        // Checks that fail alternately for two reasons count as one series of failures.
        let isConfirmed =
            after.failingChecks >= policy.checks.failureThreshold && kind.isConfirmedByCount
            && !log.memory.open.values.contains(where: \.hasFired)
        let view = IncidentView(
            kind: kind, verdict: shown, alternation: kind == .originInconsistent ? after.originAlternation : nil,
            interval: policy.checks.interval)
        IncidentMachine(
            kind, of: readings.observation.domain, policy, view, isConfirmed: isConfirmed,
            seesAll: !kind.isOfCDN || knowsEveryEdge, harm: harm(of: kind),
            answers: kind.isOfCDN && reading != .inactive(.ignored) ? answersOfCDN : nil, now: now,
            before: before.lastCheckedAt
        ).advance(on: reading, inhibitor: shown.inhibitor(of: kind, in: log.memory), in: &log)
        // Assigning through an absent key allocates storage: 1.7 KB for each healthy domain.
        guard log.memory.open[kind] != nil else { return }
        log.memory.open[kind]?.places = places
        guard case .active = reading else { return }
        log.memory.open[kind]?.rules = rules(feeding: kind)
        if hasRelapsed, kind.isOfCDN { log.memory.open[kind]?.hasRelapsed = true }
    }

    private var answersOfCDN: Int {
        1 + (readings.observation.full?.edges.count { $0.retrieval.isAboutFile } ?? 0)
    }

    /// An incident of the origin is as bad for phones as the incidents that it inhibits. These fire like any other, but
    /// channels that know the inhibiting incident get no messages about them. If they stayed pending, a channel that
    /// filters out the inhibiting incident would never get a message.
    fileprivate func escalateInhibitors(in log: inout IncidentLog<IncidentKind>) {
        for cause in IncidentKind.inhibiting {
            let following = log.memory.open.values.filter { $0.incident.inhibitedBy == cause }
            let worst = following.filter { $0.incident.state == .firing }.map(\.harm).max()
            guard let worst else { continue }
            IncidentMachine(
                cause, of: readings.observation.domain, policy, IncidentView(kind: cause, verdict: shown), now: now
            ).worsen(by: worst, in: &log)
        }
    }

    /// Whether this check is the first to see a stale copy in sync.
    fileprivate func showsThatCopyCaughtUp(_ condition: KindCondition) -> Bool {
        guard condition.kind == .cdnStale, case .inactive = condition.reading, let open = before.open[.cdnStale]
        else { return false }
        return verdict.comparison.state == .inSync && open.incident.state != .recovering
    }
}

extension IncidentMachine<IncidentKind> {
    /// Each answer may come from another server. This many good answers end an incident, from one check or several.
    private static let answers = 3
    /// This many consecutive good checks end an intermittent problem.
    private static let steadyChecks = 4

    /// `isConfirmed`: enough consecutive checks failed, for any reason. `seesAll`: the check knows all of Apple's
    /// edges, or the kind is not about them. `harm`: what phones do because of it; nil: the verdict's harm. `answers`:
    /// the number of CDN answers of this check; nil: the end does not depend on them. `before`: the previous check.
    fileprivate init(
        _ kind: IncidentKind, of domain: Domain, _ policy: Policy, _ view: IncidentView, isConfirmed: Bool = false,
        seesAll: Bool = true, harm: Effect.Harm? = nil, answers: Int? = nil, now: Date, before: Date? = nil
    ) {
        let threshold = policy.checks.failureThreshold
        self.init(
            key: kind, kind: kind, subject: .domain(domain),
            rules: IncidentRules(
                // A certificate's dates do not vary between checks.
                confirmations: isConfirmed || kind == .certificateExpiring ? 1 : threshold,
                window: min(5 * threshold, 32),
                recoveries: max(policy.checks.recoveryThreshold, answers.map { (Self.answers + $0 - 1) / $0 } ?? 1),
                isOfManyServers: kind.isOfCDN, recoveriesAfterRelapse: Self.steadyChecks),
            now: now, before: before, harm: harm ?? view.verdict.diagnosis.effect.harm, facts: view.facts,
            fingerprint: view.fingerprint,
            wording: { seesAll ? view.wording : nil })
    }
}

// MARK: - Verdicts

extension Verdict {
    /// Findings and certificates contain dates of the wall clock. The comparison has times of the steady clock, like
    /// everything that is stored. A shift in whole seconds keeps the dates the same from check to check.
    fileprivate init(of readings: Readings, history: CopyHistory, _ policy: Policy, now: Date, wall: Date) {
        let shift = wall.ahead(of: now)
        self.init(
            of: readings, history: shift == 0 ? history : history.shifted(by: shift), checks: policy.checks,
            expectations: policy.expectations, now: now + shift)
        comparison.changedAt? -= shift
        comparison.changedAfter? -= shift
    }
}

extension DomainState {
    /// What a light check can see, apart from ages. `verdict`: the one on the two plain requests.
    fileprivate func fingerprint(of verdict: Verdict) -> ContentHash {
        let contents = [originPeriods.last?.meaning.hex, cdnCopy.map { $0.meaning?.hex ?? "" }].map { $0 ?? "-" }
        // Ignored findings count too: a changed ignore list is not news.
        let findings = (verdict.findings + verdict.ignored.map(\.finding)).map {
            "\($0.rule.rawValue) \($0.severity.rawValue)"
        }
        let compared = [verdict.comparison.state.rawValue]
        return ContentHash(of: (contents + compared + Set(findings).sorted()).joined(separator: "\n").utf8)
    }
}

extension Verdict {
    /// Whether an error only needs repetition to be confirmed. Errors with a grace period do not count, except for a
    /// stale copy while the origin alternates.
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

    /// The same verdict at a later time.
    func aged(to now: Date) -> Verdict {
        var aged = self
        aged.comparison = comparison.aged(to: now)
        return aged
    }
}

extension Comparison {
    /// The same comparison at a later time: the copy has grown older since the check.
    package func aged(to now: Date) -> Comparison {
        guard lagSeconds != nil, let changedAt else { return self }
        var aged = self
        aged.lagSeconds = Int(max(0, now.timeIntervalSince(changedAt)))
        return aged
    }
}

/// The part of a domain's settings that `evaluate` needs. It holds no state, and no key is derived from it: a changed
/// threshold neither repeats nor loses a notification.
package struct Policy: Equatable, Sendable {
    package var checks: CheckSettings
    /// What the owners expect of the file.
    package var expectations: Expectations
    /// Whether a new version of the origin's file opens an incident: true if a channel is notified of changes.
    package var followsChanges: Bool

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
