// What one snapshot says about each global problem. All of them share one pass over the domains.

import Evidence
import Foundation

/// What a snapshot says about one cause.
struct GlobalReading {
    var condition: ConditionReading
    /// nil if the problem is not seen.
    var report: GlobalReport?
    /// Why the incident ended, if its subject no longer exists.
    var resolvedText: String?

    static let inactive = GlobalReading(condition: .inactive(.recovered))
    static let unknown = GlobalReading(condition: .unknown)

    /// `stage`: the number of domains, for the notification.
    static func active(since: Date, mayFire: Bool = true, stage: Int = 0, _ report: GlobalReport) -> GlobalReading {
        GlobalReading(
            condition: .active(Condition(since: since, severity: report.severity, stage: stage, mayFire: mayFire)),
            report: report)
    }
}

/// When many domains count as a group.
private enum Threshold {
    /// More than this share of the domains must have failed together, from 0 to 1.
    static let share = 0.3
    /// The minimum number of domains.
    static let least = 5
    /// If not all were checked since it began: more than this share of the checked ones.
    static let earlyShare = 0.6
    /// Seconds until a suspect local network becomes an incident, at most.
    static let networkDelay: TimeInterval = 30
    /// Seconds without the problem until it ends, at most.
    static let settle: TimeInterval = 30
    /// Grace periods end this many seconds early here, so that the global incident fires before the inhibited ones.
    static let lead: TimeInterval = 30
}

struct GlobalReader {
    let snapshot: GlobalSnapshot
    let now: Date
    /// The latest check of any domain.
    private(set) var lastCheck: Date?
    /// How long a problem must be absent before it ends; at most the usual interval of the domains.
    let settle: TimeInterval
    let isNetworkSuspect: Bool
    private let usual: TimeInterval
    private var bothSides: GlobalTally
    private var cdn: [(failure: CDNFailure, tally: GlobalTally)]

    init(_ snapshot: GlobalSnapshot, _ state: GlobalState, now: Date) {
        self.snapshot = snapshot
        self.now = now
        let usual = snapshot.usualInterval.inSeconds
        self.usual = usual
        settle = min(Threshold.settle, usual)
        isNetworkSuspect = snapshot.suspicion.isSuspect(canaries: snapshot.canaries, now: now)
        bothSides = GlobalTally(since: state.open[.network]?.incident.since, usual: usual, now: now)
        let since = state.open[.cdn]?.incident.since
        cdn = CDNFailure.allCases.map { ($0, GlobalTally(since: since, usual: usual, now: now)) }
        let soon = now + Threshold.lead
        for (index, health) in snapshot.domains.enumerated() {
            guard let checkedAt = health.checkedAt else { continue }
            lastCheck = max(lastCheck ?? checkedAt, checkedAt)
            bothSides.add(index, health, Self.bothSides(health))
            guard health.reachability.isCDNAsked else { continue }
            for place in cdn.indices {
                cdn[place].tally.add(index, health, Self.turn(of: health, to: cdn[place].failure, soon))
            }
        }
        bothSides.countSeen(snapshot.domains) { _ in true }
        for place in cdn.indices { cdn[place].tally.countSeen(snapshot.domains, where: \.reachability.isCDNAsked) }
    }

    func reading(of cause: GlobalCause, in memory: GlobalState) -> GlobalReading {
        let (known, network) = (memory.open[cause], memory.open[.network])
        return switch cause {
        case .network: self.network(known)
        // Without a network nothing is known about Apple's side.
        case .cdn: isNetworkSuspect || network?.hasFired == true ? .unknown : cdnWide(known)
        // Both report it already, with a better reason.
        case .blind:
            network?.hasFired == true || memory.open[.cdn]?.hasFired == true
                ? .unknown
                : blind(known, since: [.network, .cdn].compactMap { memory.ended[$0]?.incident.resolvedAt }.max())
        case .schedule: schedule(known)
        case .configuration: configuration
        case .store: .unknown
        case .channel(let name): channel(name)
        }
    }

    private func names(_ indices: [Int]) -> [Domain] { indices.map { snapshot.domains[$0].domain } }

    // MARK: - Our network

    private func network(_ known: TrackedIncident?) -> GlobalReading {
        guard isNetworkSuspect else {
            return reading(bothSides, known, mayFire: bothSides.wouldNotify, GlobalCause.network.inhibits) {
                .manyFailing($0)
            }
        }
        // What was seen before a pause says nothing about now.
        let lost = snapshot.domains.filter { $0.reachability.isCutOff && $0.isFresh(now) }.map(\.domain)
        let age = now.timeIntervalSince(known?.incident.openedAt ?? now)
        return .active(
            since: known?.incident.since ?? snapshot.suspicion.since(now),
            mayFire: age >= min(Threshold.networkDelay, 2 * usual),
            .networkLost(
                AffectedDomains(lost, of: snapshot.domains.count, explaining: GlobalCause.network.inhibits),
                canaries: snapshot.canaries?.hosts ?? []))
    }

    /// The origin fails, and Apple's CDN does not answer either.
    private static func bothSides(_ health: DomainHealth) -> GlobalTally.Turn? {
        guard let silent = health.reachability.cdnSilentSince else { return nil }
        guard let turned = health.originProblems.map(\.turnedAt).min() else { return nil }
        let at = max(turned, silent)
        return GlobalTally.Turn(at: at, seenAt: at, wouldNotify: health.originProblems.contains(where: \.hasFired))
    }

    // MARK: - Nothing seen

    /// What phones do is unknown, for one domain or a thousand, and no incident of the domain reports it. If this
    /// machine is the reason for all of them, it fires immediately.
    private func blind(_ known: TrackedIncident?, since ends: Date?) -> GlobalReading {
        // Returns early in nearly all cases: this runs every few seconds over all domains.
        guard snapshot.domains.contains(where: { $0.blindness != nil }) else { return .inactive }
        // What was seen before a pause, or during an incident of many domains, says nothing about now.
        let fresh = snapshot.domains.filter { health in
            guard health.isFresh(now), let last = health.checkedAt else { return false }
            return last >= snapshot.startedAt && last > ends ?? .distantPast
        }
        let unseen = fresh.filter { $0.blindness != nil && !$0.hasFiringIncident }
        let told = known?.incident.firedAt
        let late = unseen.filter { health in
            guard let blindness = health.blindness, let last = health.checkedAt else { return false }
            return blindness.limit <= last || told.map { blindness.since <= $0 } ?? false
        }
        // One check alone may have met a short problem.
        let isOwn = fresh.allSatisfy { health in
            guard let blindness = health.blindness, let last = health.checkedAt else { return false }
            return last > blindness.since && health.diagnosis?.cause.isOfThisMachine == true
        }
        let affected = isOwn || !late.isEmpty && told == nil ? unseen : late
        guard let since = affected.compactMap(\.blindness?.since).min() else { return .inactive }
        let age = now.timeIntervalSince(known?.incident.openedAt ?? now)
        return .active(
            since: known?.incident.since ?? since,
            mayFire: !late.isEmpty || age >= min(Threshold.networkDelay, 2 * usual),
            stage: stage(affected.count, known),
            .blind(
                AffectedDomains(affected.map(\.domain), of: snapshot.domains.count), Self.shared(by: affected),
                isOfPhones: affected.contains { $0.diagnosis?.effect.harm == nil }))
    }

    // MARK: - Apple's side

    private func cdnWide(_ known: TrackedIncident?) -> GlobalReading {
        guard let worst = cdn.max(by: { $0.tally.affected.count < $1.tally.affected.count }) else { return .inactive }
        // A silent CDN causes no domain incidents that would be notified, so its incident fires after a delay.
        let age = known.map { now.timeIntervalSince($0.incident.openedAt) } ?? 0
        let isOld = known != nil && age >= min(2 * usual, 300)
        let shared = Self.shared(by: worst.tally.affected.map { snapshot.domains[$0] })
        return reading(
            worst.tally, known, mayFire: worst.tally.wouldNotify || worst.failure == .silent && isOld,
            Set([worst.failure.kind].compactMap(\.self))
        ) {
            .cdnWide(worst.failure, $0, shared: shared?.namesReason == true ? shared : nil)
        }
    }

    /// The conclusion of the last checks of all these domains, if they have the same reason; otherwise nil.
    private static func shared(by domains: [DomainHealth]) -> Diagnosis? {
        let first = domains.first?.diagnosis
        return domains.allSatisfy { $0.diagnosis?.cause == first?.cause && $0.diagnosis?.word == first?.word }
            ? first : nil
    }

    private static func turn(of health: DomainHealth, to failure: CDNFailure, _ soon: Date) -> GlobalTally.Turn? {
        guard let kind = failure.kind else {
            guard let silent = health.reachability.cdnSilentSince, health.reachability.originLostSince == nil,
                health.originProblems.isEmpty
            else { return nil }
            return GlobalTally.Turn(at: silent, seenAt: silent, wouldNotify: false)
        }
        // If the origin has a problem too, it is not Apple's side alone.
        guard let problem = health.problems.first(where: { $0.incident.kind == kind }),
            health.originProblems.isEmpty
        else { return nil }
        let isDue = problem.graceUntil.map { $0 <= soon } ?? false
        return GlobalTally.Turn(
            at: problem.turnedAt, seenAt: problem.beganAt, wouldNotify: problem.hasFired || isDue)
    }

    // MARK: - Both

    /// A global incident is confirmed when the first of the inhibited incidents would be notified: a failure too short
    /// to alert for one domain does not alert for the group.
    private func reading(
        _ tally: GlobalTally, _ known: TrackedIncident?, mayFire: Bool, _ kinds: Set<IncidentKind>,
        _ report: (AffectedDomains) -> GlobalReport
    ) -> GlobalReading {
        let isOpen = known?.hasFired == true
        guard isOpen ? !tally.isCalm : tally.isSuspect else { return .inactive }
        let affected = names(tally.affected)
        return .active(
            since: known?.incident.since ?? tally.onset, mayFire: isOpen || tally.isConfirmed && mayFire,
            stage: stage(affected.count, known),
            report(AffectedDomains(affected, of: tally.total, explaining: kinds)))
    }

    /// In the first two intervals, more affected domains are not news.
    private func stage(_ count: Int, _ known: TrackedIncident?) -> Int {
        guard let known, known.hasFired, let told = known.incident.escalatesFrom else { return count }
        return now.timeIntervalSince(told) >= 2 * usual ? count : known.stage
    }

    // MARK: - The monitor itself

    private func intervalsLate(_ health: DomainHealth) -> Double {
        let last = max(health.checkedAt ?? .distantPast, snapshot.startedAt, health.watchedSince)
        return CheckSchedule.intervals(of: health.seconds, lateAfter: last, now: now)
    }

    /// Opens if many checks are overdue by three intervals, or one by ten. Half of that keeps it open.
    private func schedule(_ known: TrackedIncident?) -> GlobalReading {
        guard !snapshot.isStoreFailing else { return .unknown }
        let isOpen = known?.hasFired == true
        let overdue = snapshot.domains.filter { intervalsLate($0) > CheckSchedule.late }
        let isWide = Double(overdue.count) > Double(snapshot.domains.count) * (isOpen ? 0.05 : 0.1)
        let least = isWide ? CheckSchedule.late : isOpen ? 5 : 10
        let affected = overdue.filter { intervalsLate($0) > least }.map(\.domain)
        guard !affected.isEmpty else { return .inactive }
        return .active(
            since: known?.incident.since ?? now,
            .scheduleBehind(AffectedDomains(affected, of: snapshot.domains.count), intervals: Int(least)))
    }

    private var configuration: GlobalReading {
        snapshot.refusal.map { .active(since: $0.since, .reloadRefused($0)) } ?? .inactive
    }

    /// The delivery has confirmed it by repeated attempts.
    private func channel(_ name: String) -> GlobalReading {
        if let names = snapshot.channelNames, !names.contains(name) {
            return GlobalReading(
                condition: .inactive(.removed),
                resolvedText: "the channel '\(name.displayable)' is no longer configured")
        }
        return snapshot.channels.first { $0.name == name }.map { .active(since: $0.since, .deliveryFailing($0)) }
            ?? .inactive
    }
}

extension Diagnosis {
    /// Whether Apple or a server says why. "Stale" and "missing" are not reasons.
    fileprivate var namesReason: Bool {
        if word != nil { return true }
        return switch cause {
        case .copy, .remark, .finding(_, .cdn, _): false
        case .origin, .access, .crawler, .finding: true
        }
    }
}

extension DomainHealth {
    /// Whether its last check says anything about now.
    fileprivate func isFresh(_ now: Date) -> Bool {
        checkedAt.map { now <= CheckSchedule.freshUntil($0, seconds) } ?? false
    }

    /// Whether an incident of the domain already reports that it is not seen, or what phones do.
    fileprivate var hasFiringIncident: Bool {
        problems.contains { $0.hasFired && ($0.incident.kind.isOfCDN || $0.incident.kind.isOfOrigin) }
    }
}

extension TrackedIncident {
    /// When it was first seen, or seen again.
    fileprivate var beganAt: Date { returnedAt ?? incident.openedAt }
    /// When it counts: immediately, or at the end of its grace period.
    fileprivate var turnedAt: Date { graceUntil ?? beganAt }
}

extension Cause {
    /// Whether it is about this machine and not about the site.
    fileprivate var isOfThisMachine: Bool { if case .finding(_, .monitor, _) = self { true } else { false } }
}

extension CDNFailure {
    /// A silent CDN is not an incident of the domain: nothing is known about the domain.
    fileprivate var kind: IncidentKind? {
        switch self {
        case .missing: .cdnMissing
        case .stale: .cdnStale
        case .divergent: .cdnDivergent
        case .silent: nil
        }
    }
}

/// The number of domains that failed in the same way together. Domains without a check since it began do not count:
/// with hundreds of domains spread over an interval, waiting for all of them would let the first domain incidents fire.
struct GlobalTally {
    /// The indices of the domains that failed within the window.
    private(set) var affected: [Int] = []
    /// When the first of them failed.
    private(set) var onset: Date
    private var firstSeen: Date
    /// The number of domains checked since then.
    private(set) var seen = 0
    private(set) var total = 0
    /// Whether the first domain incident would be notified by now.
    private(set) var wouldNotify = false
    /// The beginning of the open incident, if any.
    private let anchor: Date?
    private let usual: TimeInterval
    private let now: Date

    struct Turn {
        /// When the domain failed: at the end of the grace period, if there is one.
        let at: Date
        /// The first check that saw it. A domain that is well in a later check has not failed.
        let seenAt: Date
        /// Whether the domain's incident would be notified by now.
        let wouldNotify: Bool
    }

    init(since anchor: Date?, usual: TimeInterval, now: Date) {
        self.anchor = anchor
        self.usual = usual
        self.now = now
        onset = now
        firstSeen = now
    }

    /// `turn`: nil if the domain does not have the problem.
    mutating func add(_ index: Int, _ health: DomainHealth, _ turn: Turn?) {
        total += 1
        guard let turn, isTogether(turn, health) else { return }
        affected.append(index)
        onset = min(onset, turn.at)
        firstSeen = min(firstSeen, turn.seenAt)
        wouldNotify = wouldNotify || turn.wouldNotify
    }

    /// Whether a domain failed with the others: since the incident began, or within the window if none is open.
    private func isTogether(_ turn: Turn, _ health: DomainHealth) -> Bool {
        // A problem seen at the first check is not a change.
        if turn.at <= health.firstCheckedAt ?? .distantPast { return false }
        let window = 2 * max(health.seconds, usual)
        let age = now.timeIntervalSince(turn.at)
        // Its grace period ends much later.
        if age < -window { return false }
        return anchor.map { turn.at >= $0 } ?? (age <= window)
    }

    /// Call it after all domains are added.
    mutating func countSeen(_ domains: [DomainHealth], where isCounted: (DomainHealth) -> Bool) {
        guard !affected.isEmpty else { return }
        let start = min(onset, firstSeen)
        seen = domains.count { $0.checkedAt ?? .distantPast >= start && isCounted($0) }
    }

    /// Enough for a pending incident.
    var isSuspect: Bool { isMany && isMore(than: Threshold.share, of: seen) }

    var isConfirmed: Bool {
        isMany && (isMore(than: Threshold.share, of: total) || isMore(than: Threshold.earlyShare, of: seen))
    }

    /// Less than half of what opens it.
    var isCalm: Bool {
        affected.count * 2 < Threshold.least || !isMore(than: Threshold.share / 2, of: total)
    }

    private var isMany: Bool { affected.count >= Threshold.least }
    private func isMore(than share: Double, of count: Int) -> Bool { Double(affected.count) > share * Double(count) }
}
