// What one snapshot says about each kind of problem that is shared. One pass over the domains serves all of them.

import Evidence
import Foundation

/// What a snapshot says about one cause.
struct GlobalReading {
    var condition: ConditionReading
    /// What is to be said about it; nil where the problem is not seen.
    var report: GlobalReport?
    /// In words, where there is nothing left that it could be about.
    var relief: String?

    static let inactive = GlobalReading(condition: .inactive(.recovered))
    static let unknown = GlobalReading(condition: .unknown)

    /// `stage`: how many domains people are told of.
    static func active(since: Date, isRipe: Bool = true, stage: Int = 0, _ report: GlobalReport) -> GlobalReading {
        GlobalReading(
            condition: .active(Condition(since: since, severity: report.severity, stage: stage, isRipe: isRipe)),
            report: report)
    }
}

/// From when on many domains are a group.
private enum Threshold {
    /// More than this share of the domains must have turned together, from 0 to 1.
    static let share = 0.3
    /// And at least so many.
    static let least = 5
    /// While not all were checked since it began: more than this share of those that were.
    static let sureShare = 0.6
    /// At most so many seconds the local network is suspect before it is an incident.
    static let networkDelay: TimeInterval = 30
    /// At most so many seconds a problem must look over before it is.
    static let settle: TimeInterval = 30
    /// So many seconds before its end a grace counts as over, so that the parent comes before its children.
    static let lead: TimeInterval = 30
}

struct GlobalReader {
    let snapshot: GlobalSnapshot
    let now: Date
    /// When a domain was last checked.
    private(set) var lastCheck: Date?
    /// How long something must look over before it is: no longer than the domains' usual interval.
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
        bothSides = GlobalTally(since: state[.network]?.incident.since, usual: usual, now: now)
        let since = state[.cdn]?.incident.since
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

    func reading(of cause: GlobalCause, in memory: IncidentMemory<GlobalCause>) -> GlobalReading {
        let (known, network) = (memory.open[cause], memory.open[.network])
        return switch cause {
        case .network: self.network(known)
        // Without a network nothing is known of Apple's side.
        case .cdn: isNetworkSuspect || network?.hasFired == true ? .unknown : cdnWide(known)
        // Either of them tells it, with a better reason.
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
            return reading(bothSides, known, isRipe: bothSides.isTelling, GlobalCause.network.inhibits) {
                .manyFailing($0)
            }
        }
        // What was seen before a stop says nothing of the present.
        let lost = snapshot.domains.filter { $0.reachability.isCutOff && $0.isFresh(now) }.map(\.domain)
        let age = now.timeIntervalSince(known?.incident.openedAt ?? now)
        return .active(
            since: known?.incident.since ?? snapshot.suspicion.since(now),
            isRipe: age >= min(Threshold.networkDelay, 2 * usual),
            .networkLost(
                AffectedDomains(lost, of: snapshot.domains.count, explaining: GlobalCause.network.inhibits),
                canaries: snapshot.canaries?.hosts ?? []))
    }

    /// The origin fails, and Apple's CDN says nothing either.
    private static func bothSides(_ health: DomainHealth) -> GlobalTally.Turn? {
        guard let silent = health.reachability.cdnSilentSince else { return nil }
        let problems = health.problems.filter {
            $0.incident.kind == .originUnreachable || $0.incident.kind == .originBroken
        }
        guard let turned = problems.map(\.turnedAt).min() else { return nil }
        let at = max(turned, silent)
        return GlobalTally.Turn(at: at, seenAt: at, isTelling: problems.contains(where: \.hasFired))
    }

    // MARK: - Nothing seen

    /// Nobody knows what phones do, of one domain or of a thousand, and no incident of the domain says so. Where this machine is the
    /// reason for all of them, it fires at once.
    private func blind(_ known: TrackedIncident?, since ends: Date?) -> GlobalReading {
        // Of nearly all passes: this runs every few seconds, over all domains.
        guard snapshot.domains.contains(where: { $0.blindness != nil }) else { return .inactive }
        // What was seen before a stop, or while an incident of many domains told it, says nothing of the present.
        let fresh = snapshot.domains.filter { health in
            guard health.isFresh(now), let last = health.checkedAt else { return false }
            return last >= snapshot.startedAt && last > ends ?? .distantPast
        }
        let unseen = fresh.filter { $0.blindness != nil && !$0.isToldOtherwise }
        let told = known?.incident.firedAt
        let late = unseen.filter { health in
            guard let blindness = health.blindness, let last = health.checkedAt else { return false }
            return blindness.limit <= last || told.map { blindness.since <= $0 } ?? false
        }
        // One check alone may have met a moment's trouble.
        let isOwn = fresh.allSatisfy { health in
            guard let blindness = health.blindness, let last = health.checkedAt else { return false }
            return last > blindness.since && health.diagnosis?.cause.isOfThisMachine == true
        }
        let affected = isOwn || !late.isEmpty && told == nil ? unseen : late
        guard let since = affected.compactMap(\.blindness?.since).min() else { return .inactive }
        let age = now.timeIntervalSince(known?.incident.openedAt ?? now)
        // A reason that is not that of all of them is none.
        let reason = affected.first?.diagnosis
        let isShared = affected.allSatisfy {
            $0.diagnosis?.cause == reason?.cause && $0.diagnosis?.word == reason?.word
        }
        return .active(
            since: known?.incident.since ?? since,
            isRipe: !late.isEmpty || age >= min(Threshold.networkDelay, 2 * usual),
            stage: stage(affected.count, known),
            .blind(
                AffectedDomains(affected.map(\.domain), of: snapshot.domains.count), isShared ? reason : nil,
                isOfPhones: affected.contains { $0.diagnosis?.effect.harm == nil }))
    }

    // MARK: - Apple's side

    private func cdnWide(_ known: TrackedIncident?) -> GlobalReading {
        guard let worst = cdn.max(by: { $0.tally.affected.count < $1.tally.affected.count }) else { return .inactive }
        // A silent CDN has no children that would be notified: it is an incident after a while.
        let age = known.map { now.timeIntervalSince($0.incident.openedAt) } ?? 0
        let isOld = known != nil && age >= min(2 * usual, 300)
        let shared = shared(by: worst.tally.affected)
        return reading(
            worst.tally, known, isRipe: worst.tally.isTelling || worst.failure == .silent && isOld,
            Set([worst.failure.kind].compactMap(\.self))
        ) {
            .cdnWide(worst.failure, $0, shared: shared)
        }
    }

    /// What the last checks of all these domains concluded, where that is the same and says why; nil elsewhere.
    private func shared(by indices: [Int]) -> Diagnosis? {
        guard let first = indices.first, let diagnosis = snapshot.domains[first].diagnosis, diagnosis.namesReason,
            indices.allSatisfy({ index in
                let other = snapshot.domains[index].diagnosis
                return other?.cause == diagnosis.cause && other?.word == diagnosis.word
            })
        else { return nil }
        return diagnosis
    }

    private static func turn(of health: DomainHealth, to failure: CDNFailure, _ soon: Date) -> GlobalTally.Turn? {
        guard let kind = failure.kind else {
            guard let silent = health.reachability.cdnSilentSince, health.reachability.originLostSince == nil,
                !health.hasProblem(.originUnreachable, .originBroken)
            else { return nil }
            return GlobalTally.Turn(at: silent, seenAt: silent, isTelling: false)
        }
        // Where the origin has a problem too, it is not Apple's side alone.
        guard let problem = health.problems.first(where: { $0.incident.kind == kind }),
            !health.hasProblem(.originUnreachable, .originBroken)
        else { return nil }
        let isDue = problem.graceUntil.map { $0 <= soon } ?? false
        return GlobalTally.Turn(
            at: problem.turnedAt, seenAt: problem.beganAt, isTelling: problem.hasFired || isDue)
    }

    // MARK: - Both

    /// A parent is confirmed when the first of its children would be notified: a failure too short to alert for one domain does
    /// not alert for the group.
    private func reading(
        _ tally: GlobalTally, _ known: TrackedIncident?, isRipe: Bool, _ kinds: Set<IncidentKind>,
        _ report: (AffectedDomains) -> GlobalReport
    ) -> GlobalReading {
        let isOpen = known?.hasFired == true
        guard isOpen ? !tally.isCalm : tally.isSuspect else { return .inactive }
        let affected = names(tally.affected)
        return .active(
            since: known?.incident.since ?? tally.onset, isRipe: isOpen || tally.isSure && isRipe,
            stage: stage(affected.count, known),
            report(AffectedDomains(affected, of: tally.total, explaining: kinds)))
    }

    /// While it unfolds, over an interval or two, that more are affected is no news.
    private func stage(_ count: Int, _ known: TrackedIncident?) -> Int {
        guard let known, known.hasFired, let told = known.incident.escalatesFrom else { return count }
        return now.timeIntervalSince(told) >= 2 * usual ? count : known.stage
    }

    // MARK: - The monitor itself

    private func intervalsLate(_ health: DomainHealth) -> Double {
        let last = max(health.checkedAt ?? .distantPast, snapshot.startedAt, health.watchedSince)
        return CheckSchedule.intervals(of: health.seconds, lateAfter: last, now: now)
    }

    /// Many checks are overdue by three intervals, or one by ten. Half of what opens it keeps it open.
    private func schedule(_ known: TrackedIncident?) -> GlobalReading {
        guard !snapshot.isStoreFailing else { return .unknown }
        let isOpen = known?.hasFired == true
        let overdue = snapshot.domains.filter { intervalsLate($0) > CheckSchedule.overdue }
        let isWide = Double(overdue.count) > Double(snapshot.domains.count) * (isOpen ? 0.05 : 0.1)
        let least = isWide ? CheckSchedule.overdue : isOpen ? 5 : 10
        let affected = overdue.filter { intervalsLate($0) > least }.map(\.domain)
        guard !affected.isEmpty else { return .inactive }
        return .active(
            since: known?.incident.since ?? now,
            .scheduleBehind(AffectedDomains(affected, of: snapshot.domains.count), intervals: Int(least)))
    }

    private var configuration: GlobalReading {
        snapshot.refusal.map { .active(since: $0.since, .reloadRefused($0)) } ?? .inactive
    }

    /// The delivery has confirmed it by repeating its attempts.
    private func channel(_ name: String) -> GlobalReading {
        if let names = snapshot.channelNames, !names.contains(name) {
            return GlobalReading(
                condition: .inactive(.removed), relief: "the channel '\(name.displayable)' is not configured any more")
        }
        return snapshot.channels.first { $0.name == name }.map { .active(since: $0.since, .deliveryFailing($0)) }
            ?? .inactive
    }
}

extension Diagnosis {
    /// Apple or an answer says why. That the copy is old, or missing, is no reason.
    fileprivate var namesReason: Bool {
        if word != nil { return true }
        return switch cause {
        case .copy, .remark, .finding(_, .cdn, _): false
        case .origin, .access, .crawler, .finding: true
        }
    }
}

extension DomainHealth {
    /// Whether its last check says anything of the present.
    fileprivate func isFresh(_ now: Date) -> Bool {
        checkedAt.map { now <= CheckSchedule.freshUntil($0, seconds) } ?? false
    }

    /// Whether an incident of the domain tells that it is not seen, or what phones do.
    fileprivate var isToldOtherwise: Bool {
        problems.contains { $0.hasFired && ($0.incident.kind.isOfCDN || $0.incident.kind.isOfOrigin) }
    }
}

extension TrackedIncident {
    /// When it began, or came back.
    fileprivate var beganAt: Date { returnedAt ?? incident.openedAt }
    /// When it counts: at once, or at the end of its time.
    fileprivate var turnedAt: Date { graceUntil ?? beganAt }
}

extension Cause {
    /// Whether it is about this machine, and nothing of the site.
    fileprivate var isOfThisMachine: Bool { if case .finding(_, .monitor, _) = self { true } else { false } }
}

extension CDNFailure {
    /// Silence is no incident of the domain: nothing is known of it.
    fileprivate var kind: IncidentKind? {
        switch self {
        case .missing: .cdnMissing
        case .stale: .cdnStale
        case .divergent: .cdnDivergent
        case .silent: nil
        }
    }
}

/// How many domains turned to the same problem together. Those that were not checked since it began count neither way: with
/// hundreds of domains spread over an interval, waiting for all of them would let the first children fire.
struct GlobalTally {
    /// The indices of the domains whose problem turned up within the window.
    private(set) var affected: [Int] = []
    /// When the first of them turned.
    private(set) var onset: Date
    private var firstSeen: Date
    /// How many were checked since then.
    private(set) var seen = 0
    private(set) var total = 0
    /// Whether the first of the children would be notified by now.
    private(set) var isTelling = false
    /// When the incident began, where one is open.
    private let anchor: Date?
    private let usual: TimeInterval
    private let now: Date

    struct Turn {
        /// When the domain turned to the problem: at the end of its time, where it has some to end by itself.
        let at: Date
        /// When it was first seen. A domain that was checked since then and is well has not turned.
        let seenAt: Date
        /// Whether it would be notified by now.
        let isTelling: Bool
    }

    init(since anchor: Date?, usual: TimeInterval, now: Date) {
        self.anchor = anchor
        self.usual = usual
        self.now = now
        onset = now
        firstSeen = now
    }

    /// `turn`: nil where a domain did not turn to the problem.
    mutating func add(_ index: Int, _ health: DomainHealth, _ turn: Turn?) {
        total += 1
        guard let turn, isTogether(turn, health) else { return }
        affected.append(index)
        onset = min(onset, turn.at)
        firstSeen = min(firstSeen, turn.seenAt)
        isTelling = isTelling || turn.isTelling
    }

    /// Whether a domain turned with the others: since the incident began, or within the window where none is open.
    private func isTogether(_ turn: Turn, _ health: DomainHealth) -> Bool {
        // What was wrong at the first check has not changed.
        if turn.at <= health.firstCheckedAt ?? .distantPast { return false }
        let window = 2 * max(health.seconds, usual)
        let age = now.timeIntervalSince(turn.at)
        // Its time to end by itself has long to go.
        if age < -window { return false }
        return anchor.map { turn.at >= $0 } ?? (age <= window)
    }

    /// To be called once all are added.
    mutating func countSeen(_ domains: [DomainHealth], where isCounted: (DomainHealth) -> Bool) {
        guard !affected.isEmpty else { return }
        let start = min(onset, firstSeen)
        seen = domains.count { $0.checkedAt ?? .distantPast >= start && isCounted($0) }
    }

    /// Enough to be an incident that is pending.
    var isSuspect: Bool { isMany && isMore(than: Threshold.share, of: seen) }

    var isSure: Bool {
        isMany && (isMore(than: Threshold.share, of: total) || isMore(than: Threshold.sureShare, of: seen))
    }

    /// Under half of what opens it.
    var isCalm: Bool {
        affected.count * 2 < Threshold.least || !isMore(than: Threshold.share / 2, of: total)
    }

    private var isMany: Bool { affected.count >= Threshold.least }
    private func isMore(than share: Double, of count: Int) -> Bool { Double(affected.count) > share * Double(count) }
}
