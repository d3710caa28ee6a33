// What ought to be open, reckoned from what was seen and nothing else: a second, much simpler opinion than `evaluate`'s on
// the kinds where the sights leave no room for opinion.

import Evidence
import Foundation
import Monitoring

struct Outlook {
    private struct Count {
        var held = 0
        var clear = 0
        var isTold = false
    }

    private struct Stretch {
        var supersededAt: Date?
    }

    private var counts: [IncidentKind: Count] = [:]
    private var served: [Int: Stretch] = [:]
    private var serving: Int?
    private var staleChecks = 0

    /// Takes one committed check and compares.
    /// `sights`: of a light look, the full one that took its place, in this order.
    mutating func take(_ sights: [Sight], _ state: DomainState, _ setup: SimulatedSetup, now: Date) throws {
        guard let sight = sights.last else { return }
        for sight in sights { noteOrigin(sight, now) }
        try judge(.originBroken, sight, sight.origin == .broken, isUnknown: sight.origin == .unreachable, state, setup)
        try judge(.originUnreachable, sight, sight.origin == .unreachable, isUnknown: false, state, setup)
        try judgeAge(sight, state, setup, now)
        try judgeReminders(state, now)
        try judgeShape(state, setup, now)
    }

    private mutating func noteOrigin(_ sight: Sight, _ now: Date) {
        guard case .file(let version) = sight.origin, version != serving else { return }
        if let former = serving { served[former]?.supersededAt = now }
        served[version] = Stretch()
        serving = version
    }

    /// Fires with the check that completes the count, and not before; ends with the check that completes the other one.
    /// What cannot be known neither counts nor breaks a count.
    private mutating func judge(
        _ kind: IncidentKind, _ sight: Sight, _ holds: Bool, isUnknown: Bool, _ state: DomainState,
        _ setup: SimulatedSetup
    ) throws {
        var count = counts[kind] ?? Count()
        let open = state.open[kind]
        if sight.origin == .unknown || isUnknown {
            // Nothing is known.
        } else if holds {
            count.held += 1
            count.clear = 0
            if count.held >= setup.failureThreshold { count.isTold = true }
        } else if sight.depth == .full {
            count.held = 0
            count.clear += 1
            if count.clear >= setup.recoveryThreshold, open?.isFlapping != true { count.isTold = false }
        }
        counts[kind] = count
        guard (open?.isTold ?? false) == count.isTold else {
            let words =
                "\(count.held) bad and \(count.clear) good checks in a row, thresholds "
                + "\(setup.failureThreshold) and \(setup.recoveryThreshold)"
            throw Violation(
                rule: .judgement,
                detail:
                    "\(kind.rawValue) of \(state.domain) is \(open?.incident.state.rawValue ?? "not open") after \(words)"
            )
        }
    }

    private mutating func judgeAge(_ sight: Sight, _ state: DomainState, _ setup: SimulatedSetup, _ now: Date) throws {
        let comparison = state.verdict?.comparison
        if let lag = comparison?.lagSeconds, lag < 0 {
            throw Violation(rule: .nonNegative, detail: "a lag of \(lag) seconds")
        }
        let copies = sight.copies
        guard case .file(let current) = sight.origin, case .file(let version)? = copies.first,
            copies.allSatisfy({ $0 == copies.first }), version != current
        else {
            staleChecks = 0
            return
        }
        guard let since = served[version]?.supersededAt else {
            staleChecks = 0
            guard comparison?.state == .divergent else {
                throw Violation(
                    rule: .judgement,
                    detail: "version \(version) was never seen at \(state.domain), yet its copy is "
                        + "\(comparison?.state.rawValue ?? "not compared")")
            }
            return
        }
        let age = max(0, now.timeIntervalSince(since))
        guard comparison?.changedAt == since, comparison?.lagSeconds == Int(age) else {
            throw Violation(
                rule: .ages,
                detail: "\(state.domain) lags for \(comparison?.lagSeconds.map(String.init) ?? "no") s since "
                    + "\(comparison?.changedAt?.timeIntervalSince1970 ?? 0), and really for \(Int(age)) s since "
                    + "\(since.timeIntervalSince1970)")
        }
        guard state.originAlternation == nil else {
            staleChecks = 0
            return
        }
        let open = state.open[.cdnStale]
        if let open, open.incident.since != since {
            throw Violation(rule: .ages, detail: "the incident of \(state.domain) begins at another instant")
        }
        staleChecks += 1
        let isDue = age >= setup.staleAfter.inSeconds
        if isDue, staleChecks > setup.failureThreshold + 1 {
            guard let open, open.isTold || open.inhibitedBy != nil else {
                throw Violation(
                    rule: .judgement, detail: "\(state.domain) is stale for \(Int(age)) s and nobody is told")
            }
        }
        if let open, open.incident.firedAt == now, open.reopened == 0, !isDue {
            throw Violation(rule: .ages, detail: "\(state.domain) was told to be stale after \(Int(age)) s already")
        }
    }

    private func judgeReminders(_ state: DomainState, _ now: Date) throws {
        for (kind, open) in state.open where open.isTold && open.incident.state == .firing && !open.isFlapping {
            if let due = open.incident.nextReminderAt, due <= now {
                throw Violation(
                    rule: .reminders, detail: "\(kind.rawValue) of \(state.domain) should have been recalled")
            }
        }
    }

    private func judgeShape(_ state: DomainState, _ setup: SimulatedSetup, _ now: Date) throws {
        for (kind, open) in state.open.sorted(by: { $0.key < $1.key }) {
            let incident = open.incident
            guard open.confirmations >= 0, open.recoveries >= 0, open.reminders >= 0, incident.sequence >= 0 else {
                throw Violation(rule: .nonNegative, detail: "a count of \(kind.rawValue) of \(state.domain)")
            }
            switch incident.state {
            case .pending where incident.sequence != 0 && open.reopened == 0:
                throw Violation(rule: .transitionExplained, detail: "a pending \(kind.rawValue) was told")
            case .firing
            where incident.sequence == 0 && open.inhibitedBy == nil
                // What outlives its cause is counted, and given its time, anew; a check that cannot tell ends none.
                && open.unknownSince == nil && open.confirmations >= setup.failureThreshold
                && open.graceUntil ?? now <= now:
                throw Violation(
                    rule: .transitionExplained, detail: "\(kind.rawValue) of \(state.domain) fires and nobody is told")
            case .resolved:
                throw Violation(rule: .judgement, detail: "what is over is open: \(kind.rawValue) of \(state.domain)")
            default: break
            }
        }
    }
}
