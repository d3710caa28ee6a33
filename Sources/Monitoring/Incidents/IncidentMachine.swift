// The incident state machine: pending, firing, recovering, resolved. Domain and global incidents share it.
// ARCHITECTURE.md has the diagram. It counts what is worth a notification; other code decides who is notified and when.

import Evidence
import Foundation

/// What one evaluation says about one kind of problem.
enum ConditionReading: Equatable {
    case active(Condition)
    case inactive(Incident.Resolution)
    /// Opens nothing and closes nothing.
    case unknown
    /// A light check does not see the problem, and cannot tell whether it is over. Handled like `unknown`.
    case unseen
    /// It seems over, for this reason, but a faulty place did not answer. Handled like `unknown`.
    case unsettled(Incident.Resolution)
}

/// A problem as one evaluation sees it.
struct Condition: Equatable {
    /// When it began, as far as is known.
    var since: Date
    /// It does not fire before this time, because the problem may end by itself.
    var graceUntil: Date?
    var severity = Severity.error
    /// See `TrackedIncident.stage`.
    var stage = 0

    /// The stage of a problem at every place.
    static let everywhere = 1_000_000
    /// What phones do because of it; nil if unknown.
    var harm: Effect.Harm?
    /// Whether it may fire, if it is also confirmed.
    var mayFire = true
    /// `since` is the time of the change that caused it: a different time is a different problem.
    var isDated = false
}

/// When a kind of incident is confirmed, and when it ends.
struct IncidentRules {
    /// Consecutive evaluations that confirm it, or confirm that it became worse.
    var confirmations = 1
    /// `confirmationsInWindow` of the last `window` evaluations confirm it too: a problem at every other check never
    /// fails twice in a row. 0: off.
    var window = 0
    var confirmationsInWindow: Int { max(window * 2 / 5, confirmations) }
    /// Consecutive evaluations without the problem that end it.
    var recoveries = 1
    /// Whether each answer may come from another server: then a recovery that did not last marks it as intermittent.
    var isOfManyServers = false
    /// Consecutive evaluations that end an intermittent problem, if more than `recoveries`.
    var recoveriesAfterRelapse = 1
    /// How long it must seem over before it ends, in seconds.
    var settle: TimeInterval = 0
    /// The time of the last evidence. The incident ends only with evidence later than the first evaluation without the
    /// problem. nil: each evaluation is evidence.
    var evidenceAt: Date?
    /// Whether notifications pause while it begins and ends often.
    var canFlap = true
}

/// The memory that the machine updates, and the resulting changes.
struct IncidentLog<Key: IncidentKey> {
    var memory: IncidentMemory<Key>
    var changes: [IncidentChange] = []
}

struct IncidentMachine<Key: IncidentKey> {
    let key: Key
    let kind: IncidentKind
    let subject: Incident.Subject
    let rules: IncidentRules
    let now: Date
    /// The previous evaluation; nil: unknown.
    var before: Date?
    /// What phones do; nil if unknown.
    var harm: Effect.Harm?
    /// What a message says about the incident now.
    let facts: (TrackedIncident) -> IncidentFacts
    /// Equal if two evaluations see the same facts, apart from ages; nil if this evaluation sees none.
    let fingerprint: (TrackedIncident) -> ContentHash?
    /// A hash of everything a message would say, apart from ages; nil if the caller keeps the facts up to date.
    var wording: () -> ContentHash? = { nil }

    /// Advances one incident by one evaluation. `inhibitor`: the firing incident of the same domain that inhibits it.
    func advance(on reading: ConditionReading, inhibitor: IncidentKind? = nil, in log: inout IncidentLog<Key>) {
        let known = log.memory.open[key]
        log.memory.forgetTurns(of: key, at: now)
        switch reading {
        case .unknown, .unseen, .unsettled:
            if var open = known {
                open.unknownSince = open.unknownSince ?? now
                open.incident.inhibitedBy = inhibitor
                if case .unsettled(let reason) = reading {
                    open.recovery = open.recovery ?? reason
                } else if reading == .unknown, open.recovery == .originReverted {
                    open.recovery = nil
                }
                keep(open, known, .other, in: &log)
            }
        case .active(let condition):
            if known?.hasFired != true { log.memory.noteObservation(true, of: key) }
            hold(known, condition, inhibitor, in: &log)
        case .inactive(let reason):
            if known?.hasFired != true { log.memory.noteObservation(false, of: key) }
            if let known { clear(known, reason, inhibitor, in: &log) }
        }
        forgetEnded(in: &log.memory)
    }

    /// Makes the incident worse if inhibited ones harm phones more than the last notification said.
    func worsen(by harm: Effect.Harm, in log: inout IncidentLog<Key>) {
        guard let known = log.memory.open[key], known.incident.state == .firing, harm > known.harm
        else { return }
        var open = known
        // If it fired or became worse in this evaluation, that notification covers it.
        guard log.changes.contains(where: { $0.incident.id == open.incident.id && $0.isNews }) else {
            let transition = raise(&open, .worse)
            open.harm = max(harm, open.harm)
            return keep(open, known, transition, in: &log)
        }
        open.harm = harm
        log.memory.open[key] = open
    }

    // MARK: - The problem is there

    private func hold(
        _ known: TrackedIncident?, _ condition: Condition, _ inhibitor: IncidentKind?, in log: inout IncidentLog<Key>
    ) {
        var open = known ?? begin(condition, in: &log)
        if known != nil, condition.isDated { redate(&open, condition, in: &log) }
        // A problem that had a grace period has become worse and no longer has one.
        if !open.hasFired, condition.graceUntil == nil { open.graceUntil = nil }
        open.incident.inhibitedBy = inhibitor
        let wasOver = open.recoveries >= required(open)
        open.confirmations += 1
        if open.recoveries > 0, rules.isOfManyServers { open.hasRelapsed = true }
        open.recoveries = 0
        open.recoveringSince = nil
        open.lastActiveCheckAt = nil
        open.recovery = nil
        open.unknownSince = nil
        if open.incident.state == .recovering {
            open.incident.state = .firing
            if wasOver { log.memory.noteTransition(of: key, at: now) }
        }
        let transition =
            open.hasFired
            ? update(&open, condition, in: log.memory)
            : confirm(&open, condition, isKnown: known?.incident.id == open.incident.id, in: &log)
        keep(open, known, transition, in: &log)
    }

    private func begin(_ condition: Condition, in log: inout IncidentLog<Key>) -> TrackedIncident {
        log.memory.begun += 1
        let name =
            switch subject {
            case .domain(let domain): "\(domain.name)\n\(kind.rawValue)"
            case .global(let cause): "fleet\n\(kind.rawValue)\n\(cause.rawValue)"
            }
        var open = TrackedIncident(
            incident: Incident(
                id: Incident.identity(name, number: log.memory.begun, from: now), subject: subject, kind: kind,
                severity: condition.severity, state: .pending, since: min(condition.since, now), openedAt: now),
            graceUntil: condition.graceUntil)
        open.openedAfter = before
        return open
    }

    /// A different change is the cause now, or the configured grace period changed.
    private func redate(_ open: inout TrackedIncident, _ condition: Condition, in log: inout IncidentLog<Key>) {
        guard let grace = condition.graceUntil else { return }
        if condition.since == open.incident.since {
            if !open.hasFired { open.graceUntil = grace }
        } else if open.hasFired, now < grace {
            end(open, .cdnRefreshed, in: &log)
            open = begin(condition, in: &log)
        } else {
            open.incident.since = condition.since
            open.graceUntil = grace
        }
    }

    /// Fires the incident if it is confirmed.
    private func confirm(
        _ open: inout TrackedIncident, _ condition: Condition, isKnown: Bool, in log: inout IncidentLog<Key>
    ) -> IncidentChange.Transition {
        open.incident.severity = condition.severity
        open.stage = condition.stage
        let isSeenOften =
            rules.window > 0 && log.memory.count(of: key, last: rules.window) >= rules.confirmationsInWindow
        guard open.confirmations >= rules.confirmations || isSeenOften, condition.mayFire,
            now >= open.graceUntil ?? .distantPast
        else { return isKnown ? .other : .opened }
        if open.confirmations < rules.confirmations { open.hasRelapsed = true }
        log.memory.observations[key] = nil
        if let ended = reopenable(by: open, in: log.memory) {
            if isKnown { log.changes.append(IncidentChange(incident: open.incident, transition: .dropped)) }
            return reopen(ended, as: &open, in: &log)
        }
        open.incident.state = .firing
        open.incident.firedAt = now
        log.memory.noteTransition(of: key, at: now)
        return raise(&open, .firing)
    }

    /// The incident that has just ended, if `open` is the same problem. A new grace period means a new problem.
    private func reopenable(by open: TrackedIncident, in memory: IncidentMemory<Key>) -> TrackedIncident? {
        guard let ended = memory.ended[key], let end = ended.incident.resolvedAt else { return nil }
        let opened = open.incident.openedAt
        let isSoon = opened.timeIntervalSince(end) < Incident.reopenWindow
        return isSoon && open.graceUntil ?? .distantPast <= opened ? ended : nil
    }

    private func reopen(
        _ ended: TrackedIncident, as open: inout TrackedIncident, in log: inout IncidentLog<Key>
    ) -> IncidentChange.Transition {
        let new = open
        open = ended
        open.returnedAt = new.incident.openedAt
        open.confirmations = new.confirmations
        open.recoveries = 0
        open.hasRelapsed = ended.hasRelapsed || new.hasRelapsed || rules.isOfManyServers
        open.recoveringSince = nil
        open.lastActiveCheckAt = nil
        open.recovery = nil
        open.facts = new.facts
        open.stage = max(ended.stage, new.stage)
        open.incident.inhibitedBy = new.incident.inhibitedBy
        open.incident.severity = max(ended.incident.severity, new.incident.severity)
        open.incident.state = .firing
        open.incident.resolvedAt = nil
        open.incident.reason = nil
        log.memory.ended[key] = nil
        log.memory.noteTransition(of: key, at: now)
        return raise(&open, rules.canFlap && log.memory.isFlapping(key) ? .flapping : .again, isBack: true)
    }

    /// Updates a firing incident. While it flaps, nothing is notified.
    private func update(
        _ open: inout TrackedIncident, _ condition: Condition, in memory: IncidentMemory<Key>
    ) -> IncidentChange.Transition {
        if open.incident.isFlapping, memory.isCalm(key) {
            // The last message said that notifications are paused. Now it is down permanently.
            open.incident.isFlapping = false
            return raise(&open, .again, isBack: true)
        }
        let isFlapping = open.incident.isFlapping
        // It fired in a check that could not determine the stage.
        if open.stage == 0, condition.severity == open.incident.severity { open.stage = condition.stage }
        let isSeenWorse =
            condition.severity > open.incident.severity || condition.harm.map { $0 > open.harm } ?? false
            || condition.stage >= max(open.stage + 1, 2 * open.stage)
        open.harmObservations = isSeenWorse ? open.harmObservations + 1 : 0
        let isWorse = open.harmObservations >= rules.confirmations
        if !isFlapping, isWorse {
            open.incident.severity = max(condition.severity, open.incident.severity)
            open.stage = max(condition.stage, open.stage)
            return raise(&open, .worse)
        }
        // Messages say what the latest check sees, even if that is not worth a notification.
        let words = wording()
        let isOutdated = words != nil && words != open.history.wording
        guard let fingerprint = fingerprint(open) else { return isOutdated ? .rewritten : .other }
        switch open.history.see(fingerprint, required: rules.confirmations, at: now) {
        case .none: return isOutdated ? .rewritten : .other
        case .rewrite: return .rewritten
        case .changed: return isFlapping ? .rewritten : raise(&open, .changed)
        }
    }

    // MARK: - The problem is over

    private func required(_ open: TrackedIncident) -> Int {
        open.hasRelapsed ? max(rules.recoveries, rules.recoveriesAfterRelapse) : rules.recoveries
    }

    private func clear(
        _ known: TrackedIncident, _ reason: Incident.Resolution, _ inhibitor: IncidentKind?,
        in log: inout IncidentLog<Key>
    ) {
        var open = known
        open.incident.inhibitedBy = inhibitor
        open.confirmations = 0
        open.recoveries += 1
        open.unknownSince = nil
        guard open.hasFired else {
            log.memory.open[key] = nil
            log.changes.append(IncidentChange(incident: open.incident, transition: .dropped))
            return
        }
        let isRemoved = reason == .removed
        if open.recoveringSince == nil { open.lastActiveCheckAt = before }
        let calm = open.recoveringSince ?? now
        open.recoveringSince = calm
        // Later evaluations compare with a good state and would give another reason.
        let first = open.recovery == .originReverted && reason == .superseded ? nil : open.recovery
        let reason = isRemoved ? .removed : first ?? reason
        open.recovery = reason
        var transition = open.incident.state == .recovering ? IncidentChange.Transition.other : .recovering
        open.incident.state = .recovering
        if open.recoveries == required(open) { log.memory.noteTransition(of: key, at: now) }
        let isOver =
            open.recoveries >= required(open) && now.timeIntervalSince(calm) >= rules.settle
            && rules.evidenceAt.map { $0 > calm } ?? true
        if isOver || isRemoved {
            // A flapping incident stays one incident, which ends once it is stable.
            if open.incident.isFlapping {
                open.incident.isFlapping = !log.memory.isCalm(key)
            } else if rules.canFlap, log.memory.isFlapping(key) {
                transition = raise(&open, .flapping)
            }
            if !open.incident.isFlapping || isRemoved { return end(open, reason, in: &log) }
        }
        keep(open, known, transition, in: &log)
    }

    private func end(_ open: TrackedIncident, _ reason: Incident.Resolution, in log: inout IncidentLog<Key>) {
        var open = open
        open.incident.state = .resolved
        open.incident.resolvedAt = now
        open.incident.reason = reason
        open.incident.isFlapping = false
        open.incident.inhibitedBy = nil
        open.unknownSince = nil
        log.memory.open[key] = nil
        // A problem that is no longer monitored does not come back: a later one is a new incident.
        log.memory.ended[key] = reason == .removed ? nil : open
        log.changes.append(IncidentChange(incident: open.incident, facts: facts(open), transition: .resolved))
    }

    private func forgetEnded(in memory: inout IncidentMemory<Key>) {
        guard let end = memory.ended[key]?.incident.resolvedAt else { return }
        // A pending incident that began within the window may be the old one; any other is new.
        let open = memory.open[key]
        let isLate = (open?.incident.openedAt ?? now).timeIntervalSince(end) >= Incident.reopenWindow
        if isLate || open?.hasFired == true { memory.ended[key] = nil }
    }

    // MARK: - Both

    /// Counts one change that is worth a notification.
    private func raise(
        _ open: inout TrackedIncident, _ transition: IncidentChange.Transition, isBack: Bool = false
    ) -> IncidentChange.Transition {
        open.incident.version += 1
        let mark = Incident.Mark(version: open.incident.version, at: now)
        open.harm = harm ?? .none
        open.harmObservations = 0
        if transition == .worse { open.incident.worse = mark }
        // An acknowledgement ends when the problem comes back, flapping or not.
        if isBack { open.incident.again = mark }
        if transition == .flapping {
            open.incident.flapping = mark
            open.incident.isFlapping = true
        }
        if let fingerprint = fingerprint(open) { open.history.count(fingerprint, at: now) }
        return transition
    }

    private func keep(
        _ open: TrackedIncident, _ known: TrackedIncident?, _ transition: IncidentChange.Transition,
        in log: inout IncidentLog<Key>
    ) {
        log.memory.open[key] = open
        let known = known?.incident.id == open.incident.id ? known?.incident : nil
        guard open.incident != known || transition == .rewritten else { return }
        // The facts from when it was inhibited may be hours old.
        let isFreed =
            known?.inhibitedBy != nil && open.incident.inhibitedBy == nil && open.incident.state == .firing
        // If flapping begins with an end, the facts of the last firing stay.
        let isNews = open.incident.version != known?.version ?? 0 && open.incident.state == .firing
        let isWritten = isNews || isFreed || transition == .rewritten
        if isWritten, let words = wording() { log.memory.open[key]?.history.wording = words }
        log.changes.append(
            IncidentChange(incident: open.incident, facts: isWritten ? facts(open) : nil, transition: transition))
    }
}
