// Computes what should be open from the probe results alone: a second, much simpler implementation than `evaluate`, for
// the kinds where the results leave no choice. Outlook+Absent.swift has the part about edges and certificates.

import Evidence
import Foundation
import Monitoring

struct Outlook {
    private struct Count {
        var held = 0
        var clear = 0
        var fires = false
        /// Which of the last checks before it fires saw it, newest last.
        var recent: [Bool] = []

        /// Two of five, within the last five times the threshold.
        func isOften(_ threshold: Int) -> Bool {
            let window = min(5 * threshold, 32)
            return recent.suffix(window).count { $0 } >= window * 2 / 5
        }
    }

    private struct VersionInterval {
        var supersededAt: Date?
    }

    private var counts: [IncidentKind: Count] = [:]
    private var served: [Int: VersionInterval] = [:]
    private var serving: Int?
    /// When the origin's file was last seen; before that, when the site was first checked.
    private var lastResult: Date?
    private var staleChecks = 0
    /// Since when each check found the current version at every edge that it asked, and since when that was no longer
    /// so.
    private var agreed: Date?
    private var wentBack: [Date] = []
    private var lastCheck: Date?
    private var edges = EdgeOutlook()
    private var certificates = CertificateOutlook()

    /// Takes one committed check and compares.
    /// `fetches`: if a full check replaced a light one, both, in this order.
    /// `before`, `state`: the states before and after it.
    mutating func take(
        _ fetches: [FetchResult], _ before: DomainState, _ state: DomainState, _ setup: SimulatedSetup, now: Date,
        wall: Date
    ) throws {
        guard let fetched = fetches.last else { return }
        lastResult = lastResult ?? now
        for fetched in fetches { noteOrigin(fetched, now) }
        noteCopies(fetched, now)
        let isAlone = fetched.origin == .refused && isRefusedHereAlone(fetched, now)
        let isBroken = fetched.origin == .broken || fetched.origin == .refused && !isAlone
        try judge(
            .originBroken, fetched, isBroken, isUnknown: fetched.origin == .unreachable || isAlone, before, state, setup
        )
        try judge(
            .originUnreachable, fetched, fetched.origin == .unreachable, isUnknown: false, before, state, setup)
        let file: Int? = if case .file(let version) = fetched.origin { version } else { nil }
        try judge(
            .fileBroken, fetched, file.map { $0 >= SimulatedSite.appless } ?? false, isUnknown: file == nil, before,
            state, setup)
        try judgeAge(fetched, state, setup, now)
        try edges.take(fetched, before, state, isOld: { served[$0]?.supersededAt != nil && $0 != serving })
        try certificates.take(fetched, before, state, setup, wall: wall)
        try judgeShape(state)
        try judgeHarm(state)
    }

    /// A copy that was correct at each check for an hour and wrong at the next one went back then.
    private mutating func noteCopies(_ fetched: FetchResult, _ now: Date) {
        guard case .file(let current) = fetched.origin, !fetched.edges.isEmpty else { return }
        defer { lastCheck = now }
        if fetched.copies.allSatisfy({ $0 == .file(current) }) {
            agreed = agreed ?? now
        } else if let since = agreed {
            if let last = lastCheck, last.timeIntervalSince(since) >= 3600 { wentBack.append(now) }
            agreed = nil
        }
    }

    private mutating func noteOrigin(_ fetched: FetchResult, _ now: Date) {
        guard case .file(let version) = fetched.origin else { return }
        lastResult = now
        guard version != serving else { return }
        if let former = serving { served[former]?.supersededAt = now }
        served[version] = VersionInterval()
        serving = version
    }

    /// For one day, a refusal concerns only this machine while an edge that was asked has the last known file and none
    /// says that Apple was refused too.
    private func isRefusedHereAlone(_ fetched: FetchResult, _ now: Date) -> Bool {
        let versions = fetched.copies.map { copy in if case .file(let version) = copy { version } else { nil as Int? } }
        return !versions.contains(nil) && versions.contains { serving == nil || $0 == serving }
            && now.timeIntervalSince(lastResult ?? now) < 86_400
    }

    /// Fires exactly with the check that completes the count; ends with the check that completes the other count.
    /// An unknown result neither counts nor breaks a count.
    private mutating func judge(
        _ kind: IncidentKind, _ fetched: FetchResult, _ holds: Bool, isUnknown: Bool, _ before: DomainState,
        _ state: DomainState, _ setup: SimulatedSetup
    ) throws {
        var count = counts[kind] ?? Count()
        let open = state.open[kind]
        if fetched.origin == .unknown || isUnknown {
            // The result is unknown.
        } else if holds {
            count.held += 1
            count.clear = 0
            if !count.fires { count.recent.append(true) }
            // Before anything fires, checks that fail for different reasons count together.
            // An incident that ends with this very check may count as ended or not.
            func firing(_ state: DomainState) -> [IncidentKind] {
                state.open.filter { $0.key != kind && $0.value.hasFired && !$0.key.isOfCDN }.map(\.key)
            }
            let isEndingNow = firing(before).allSatisfy { !firing(state).contains($0) }
            let isInTurn =
                state.failingChecks >= setup.failureThreshold
                && state.open.allSatisfy { $0.key == kind || !$0.value.hasFired || !before.isFiring($0.key) }
                && isEndingNow && open?.hasFired == true
            if count.held >= setup.failureThreshold || count.isOften(setup.failureThreshold) || isInTurn {
                count.fires = true
                count.recent = []
            }
        } else if fetched.depth == .full || !kind.needsFullProbe {
            count.held = 0
            count.clear += 1
            if !count.fires { count.recent.append(false) }
            // A flapping incident ends after four good checks.
            let needed = max(setup.recoveryThreshold, open?.hasRelapsed == true ? 4 : 0)
            if count.clear >= needed, open?.incident.isFlapping != true { count.fires = false }
        }
        counts[kind] = count
        guard (open.map { $0.incident.version > 0 } ?? false) == count.fires else {
            let words =
                "\(count.held) bad and \(count.clear) good checks in a row, thresholds "
                + "\(setup.failureThreshold) and \(setup.recoveryThreshold)"
            throw Violation(
                rule: .evaluation,
                detail:
                    "\(kind.rawValue) of \(state.domain) is \(open?.incident.state.rawValue ?? "not open") after \(words)"
            )
        }
    }

    private mutating func judgeAge(_ fetched: FetchResult, _ state: DomainState, _ setup: SimulatedSetup, _ now: Date)
        throws
    {
        let comparison = state.verdict?.comparison
        if let lag = comparison?.lagSeconds, lag < 0 {
            throw Violation(rule: .nonNegative, detail: "a lag of \(lag) seconds")
        }
        // Edges that are silent now, or were not asked this time, may count with their last answer.
        let copies = fetched.copies + edges.remembered(besides: fetched)
        guard !fetched.edges.isEmpty, case .file(let current) = fetched.origin, case .file(let version)? = copies.first,
            copies.allSatisfy({ $0 == copies.first }), version != current
        else {
            staleChecks = 0
            return
        }
        guard let since = served[version]?.supersededAt else {
            staleChecks = 0
            guard comparison?.state == .divergent else {
                throw Violation(
                    rule: .evaluation,
                    detail: "version \(version) was never seen at \(state.domain), but its copy is "
                        + "\(comparison?.state.rawValue ?? "not compared")")
            }
            return
        }
        // The copy may have been correct in between.
        let begin = [comparison?.changedAt].compactMap(\.self).first(where: wentBack.contains) ?? since
        let age = max(0, now.timeIntervalSince(begin))
        guard comparison?.changedAt == begin, comparison?.lagSeconds == Int(age) else {
            throw Violation(
                rule: .ages,
                detail: "\(state.domain) lags for \(comparison?.lagSeconds.map(String.init) ?? "no") s since "
                    + "\(comparison?.changedAt?.timeIntervalSince1970 ?? 0), and really for \(Int(age)) s since "
                    + "\(begin.timeIntervalSince1970)")
        }
        guard state.originAlternation == nil else {
            staleChecks = 0
            return
        }
        let open = state.open[.cdnStale]
        if let open, open.incident.since != begin {
            throw Violation(rule: .ages, detail: "the incident of \(state.domain) begins at another instant")
        }
        staleChecks += 1
        let isDue = age >= setup.staleAfter.inSeconds
        if isDue, staleChecks > setup.failureThreshold + 1 {
            guard let open, open.incident.version > 0 else {
                throw Violation(
                    rule: .evaluation, detail: "\(state.domain) is stale for \(Int(age)) s, but nothing fires")
            }
        }
        if let open, open.incident.firedAt == now, open.returnedAt == nil, !isDue {
            throw Violation(rule: .ages, detail: "\(state.domain) fires as stale after only \(Int(age)) s")
        }
    }

    /// Consequences of broken origins made phones no worse off than their notifications said.
    private func judgeHarm(_ state: DomainState) throws {
        for (kind, open) in state.open.sorted(by: { $0.key < $1.key }) where open.hasFired {
            guard let inhibitor = open.incident.inhibitedBy else { continue }
            guard let cause = state.open[inhibitor], cause.hasFired else {
                throw Violation(
                    rule: .evaluation,
                    detail: "\(kind.rawValue) of \(state.domain) is inhibited by an incident that is not open")
            }
            guard cause.harm >= open.harm || cause.incident.state != .firing || open.incident.state != .firing else {
                throw Violation(
                    rule: .effect,
                    detail:
                        "\(kind.rawValue) of \(state.domain) made it worse, but \(inhibitor.rawValue) does not show that"
                )
            }
        }
    }

    private func judgeShape(_ state: DomainState) throws {
        for (kind, open) in state.open.sorted(by: { $0.key < $1.key }) {
            let incident = open.incident
            guard open.confirmations >= 0, open.recoveries >= 0, incident.version >= 0 else {
                throw Violation(rule: .nonNegative, detail: "a count of \(kind.rawValue) of \(state.domain)")
            }
            let isRight =
                switch incident.state {
                case .pending: incident.version == 0 && incident.firedAt == nil
                case .firing, .recovering: incident.version > 0 && incident.firedAt != nil
                case .resolved: false
                }
            guard isRight else {
                throw Violation(
                    rule: .evaluation,
                    detail:
                        "\(kind.rawValue) of \(state.domain) is \(incident.state.rawValue) in version \(incident.version)"
                )
            }
        }
    }
}

extension DomainState {
    fileprivate func isFiring(_ kind: IncidentKind) -> Bool { open[kind]?.hasFired == true }
}
