// What the monitor remembers of one domain between checks.

import Evidence
import Foundation

package struct DomainState: Codable, Equatable, Sendable {
    package var domain: Domain
    package var lastCheckedAt: Date?
    /// The first check. A problem seen then is not a change. nil before it.
    package var firstCheckedAt: Date?
    package var reachability = Reachability()
    /// The last full check.
    package var lastFullAt: Date?
    /// What a light check would have seen then; nil if the verdict is from a later check that saw something else.
    package var lightFingerprint: ContentHash?
    /// Contents that the origin served, oldest first; at most `maximumPeriods`.
    package var originPeriods: [OriginPeriod] = []
    /// Meanings that the origin served at the last checks with a file, oldest first; at most `maximumContents`.
    package var recentContents: [ContentHash] = []
    /// How long Apple's CDN took for the last changes, oldest first; at most `maximumPropagations`.
    package var propagations: [Propagation] = []
    /// What the CDN served at the last check with an answer.
    package var cdnCopy: CDNCopy?
    package var incidents: IncidentMemory<IncidentKind>
    /// The change of the origin that is rolling out; nil: none, or no channel is notified of changes.
    package var change: Incident?
    /// Since when the origin has served a valid file without interruption; nil while it does not.
    package var originValidSince: Date?
    /// Whether a file of the origin, or Apple's copy, ever opened links.
    package var hadLinks = false
    /// When Apple's CDN last matched the origin; nil: never seen.
    package var agreement: CopyAgreement?
    /// nil: the last check knows what phones do, or the rules that hide it are ignored.
    package var blindness: Blindness?
    /// Consecutive checks with any error that only needs repetition to be confirmed.
    package var failingChecks = 0
    /// The last verdict, for display.
    package var verdict: Verdict?

    /// The version of the stored form. The store saves it with the state and refuses a newer one.
    package static let formatVersion = 1
    package static let maximumPeriods = 64
    package static let maximumContents = 8
    package static let maximumPropagations = 20

    /// `begun`: the number of incidents from when the domain was monitored before; those incidents are forgotten.
    package init(domain: Domain, begun: Int = 0) {
        self.domain = domain
        incidents = IncidentMemory(begun: begun)
    }

    /// What the verdict on a check needs from earlier checks.
    package var history: CopyHistory {
        CopyHistory(
            periods: originPeriods, servingSince: originValidSince, firstAskedAt: firstCheckedAt,
            usual: UsualPropagation(propagations.map(\.seconds)), hadLinks: hadLinks,
            lastRight: agreement.flatMap { known in known.divergedAt.map { LastRight(copy: known.copy, divergedAt: $0) }
            })
    }

    /// Whether the origin ever served a file, or Apple's CDN ever had one.
    package var hadFile: Bool { !originPeriods.isEmpty || cdnCopy?.meaning != nil }

    package var open: [IncidentKind: TrackedIncident] {
        get { incidents.open }
        set { incidents.open = newValue }
    }
    package var ended: [IncidentKind: TrackedIncident] { incidents.ended }
    package var begun: Int { incidents.begun }
}

/// How long Apple's CDN took for a change of the origin, with the precision of the check interval.
package struct Propagation: Codable, Equatable, Sendable {
    /// The first check that saw the change at the origin.
    package var changedAt: Date
    /// Until the check that saw every edge serve it.
    package var seconds: Int

    package init(changedAt: Date, seconds: Int) {
        self.changedAt = changedAt
        self.seconds = seconds
    }
}

/// A period of checks that saw Apple's CDN serve the origin's file, or one with the same effect.
package struct CopyAgreement: Codable, Equatable, Sendable {
    /// The first check of the period.
    var since: Date
    /// The meaning of what the CDN served last.
    var copy: ContentHash?
    /// The last check of the period, if later checks could not tell; nil: the last check belongs to it.
    var seenUntil: Date?
    /// When it ended, if it had lasted long enough; nil: it has not ended.
    var divergedAt: OriginChange?
    /// Since when they agree again; nil: they do not.
    var backSince: Date?

    /// The minimum duration in seconds: long enough that not every check reached a cache with the right file by chance.
    static func steady(_ checks: CheckSettings) -> TimeInterval {
        max(checks.staleAfter.inSeconds, 4 * checks.interval.inSeconds)
    }
}

/// A period of checks that did not see what phones do.
package struct Blindness: Codable, Equatable, Sendable {
    package let since: Date
    /// The latest time to notify somebody: after `stale_after`, at most six hours.
    package let limit: Date

    /// nil: the verdict knows what phones do.
    init?(_ verdict: Verdict, known: Blindness?, _ checks: CheckSettings, now: Date) {
        guard !verdict.ignored.contains(where: \.finding.mayHideAll),
            verdict.level == .unknown || verdict.diagnosis.effect.isOutOfSight
        else {
            return nil
        }
        since = known?.since ?? now
        limit = since + min(checks.staleAfter.inSeconds, 6 * 3600)
    }
}

extension Finding {
    /// Whether it may explain why nothing is seen: if it is ignored, blindness is not reported.
    fileprivate var mayHideAll: Bool {
        kind == .cdnUnreachable || isOfThisMachine || problem.area == .origin && severity == .error
    }
}

extension Effect {
    /// Whether this machine did not see what phones get. A CDN that was not asked on purpose does not count.
    fileprivate var isOutOfSight: Bool {
        guard case .unknown(let why) = links else { return false }
        return switch why {
        case .cdnNotReached, .originNotRead, .localNetwork: true
        case .cdnNotAsked, .addressesDiffer, .notMonitored, .noFacts, .ofManyDomains: false
        }
    }
}

package struct CDNCopy: Codable, Equatable, Sendable {
    /// nil: the CDN said that it has no copy.
    package var meaning: ContentHash?
    package var content: ContentHash?
    package var firstSeen: Date
    package var lastSeen: Date
}

// MARK: - What a check adds

extension DomainState {
    /// Remembers what the origin serves, if it is a file: an error page never becomes "the last version".
    package mutating func noteOrigin(_ readings: Readings, at now: Date) {
        if readings.observation.origin.ownFault != nil { return }
        guard let file = readings.originFile, file.namesService, let meaning = file.meaning else {
            // A server that blocks this machine does not prove that the file is gone.
            if !readings.mayBeOwnView { originValidSince = nil }
            return
        }
        if originValidSince == nil { originValidSince = now }
        if file.opensLinks { hadLinks = true }
        if let last = originPeriods.indices.last, originPeriods[last].meaning == meaning {
            originPeriods[last].lastSeen = now
            if originPeriods[last].content != file.hash { originPeriods[last].content = file.hash }
            // Uses the stored value, so that equal hashes are kept in memory once.
            noteContent(originPeriods[last].meaning)
            return
        }
        noteContent(meaning)
        if let last = originPeriods.indices.last { originPeriods[last].supersededAt = now }
        originPeriods.append(OriginPeriod(meaning: meaning, content: file.hash, firstSeen: now, lastSeen: now))
        trimPeriods()
    }

    private mutating func noteContent(_ meaning: ContentHash) {
        guard recentContents.count < Self.maximumContents || recentContents.contains(where: { $0 != meaning }) else {
            return
        }
        recentContents = (recentContents + [meaning]).suffix(Self.maximumContents)
    }

    /// Keeps the latest period of each content as long as possible: staleness is computed from it. An origin that
    /// alternates, or changes with each answer, must not evict the version that the CDN still holds.
    private mutating func trimPeriods() {
        guard originPeriods.count > Self.maximumPeriods else { return }
        var seen: Set<ContentHash> = []
        let latest = Set(originPeriods.indices.reversed().filter { seen.insert(originPeriods[$0].meaning).inserted })
        let victim =
            originPeriods.indices.first { !latest.contains($0) }
            ?? originPeriods.indices.first { originPeriods[$0].meaning != cdnCopy?.meaning } ?? originPeriods.startIndex
        originPeriods.remove(at: victim)
    }

    /// Remembers how long the CDN took, at the check that sees it catch up. If an edge falls back within a day, the
    /// same change ends later; after a day it is ignored. If the origin reverts to the CDN's copy, the CDN did not
    /// follow anything. After a pause of the monitor the time is unknown: `before`, the previous check, must be at most
    /// an hour ago, or a quarter of the time that the CDN took.
    mutating func notePropagation(at now: Date, before: Date?) {
        guard let changedAt = originPeriods.last?.firstSeen, let copy = cdnCopy, copy.firstSeen >= changedAt else {
            return
        }
        let took = now.timeIntervalSince(changedAt)
        guard now.timeIntervalSince(before ?? now) <= max(3600, took / 4) else { return }
        if let known = propagations.first(where: { $0.changedAt == changedAt }), took > Double(known.seconds) + 86_400 {
            return
        }
        propagations.removeAll { $0.changedAt == changedAt }
        propagations.append(Propagation(changedAt: changedAt, seconds: Int(took.rounded())))
        propagations = propagations.suffix(Self.maximumPropagations)
    }

    /// Remembers whether the CDN matches the origin. While a CDN incident is open, a good answer does not end it.
    mutating func noteAgreement(
        _ comparison: Comparison, copy: ContentHash?, _ checks: CheckSettings, at now: Date, before: Date?
    ) {
        let steady = CopyAgreement.steady(checks)
        switch comparison.state {
        case _ where comparison.isWithoutEffect == true || comparison.state == .inSync:
            guard !open.keys.contains(where: \.isOfCDN) else { return }
            guard var known = agreement else {
                agreement = CopyAgreement(since: now, copy: copy)
                return
            }
            known.seenUntil = nil
            guard known.divergedAt != nil else {
                known.copy = copy
                agreement = known
                return
            }
            let back = known.backSince ?? now
            known.backSince = back
            agreement = now.timeIntervalSince(back) < steady ? known : CopyAgreement(since: back, copy: copy)
        case .propagating, .stale, .mixed, .divergent, .missing, .inSync:
            guard var known = agreement else { return }
            known.backSince = nil
            if known.divergedAt == nil {
                let last = known.seenUntil ?? before ?? known.since
                let isSteady = last.timeIntervalSince(known.since) >= steady
                known.divergedAt = OriginChange(at: now, after: last)
                agreement = isSteady ? known : nil
            } else {
                agreement = known
            }
        case .originUnavailable, .cdnUnavailable, .notCompared:
            guard let known = agreement, known.divergedAt == nil else { return }
            agreement?.seenUntil = known.seenUntil ?? before
        }
    }

    /// Remembers what the CDN serves, if it answered about the file.
    mutating func noteCDN(_ readings: Readings, at now: Date) {
        guard readings.observation.cdn.retrieval?.isAboutFile == true else { return }
        let file = readings.cdnFile
        if file?.opensLinks == true { hadLinks = true }
        if let copy = cdnCopy, copy.meaning == file?.meaning {
            cdnCopy?.lastSeen = now
            if copy.content != file?.hash { cdnCopy?.content = file?.hash }
        } else {
            cdnCopy = CDNCopy(meaning: file?.meaning, content: file?.hash, firstSeen: now, lastSeen: now)
        }
    }

    /// The state after another light check that sees the same: only times differ. If a check results in exactly this,
    /// the store writes only the time.
    package func unchanged(at now: Date) -> DomainState {
        var next = self
        next.lastCheckedAt = now
        if originValidSince != nil, let last = originPeriods.indices.last { next.originPeriods[last].lastSeen = now }
        next.cdnCopy?.lastSeen = now
        next.verdict = verdict?.aged(to: now)
        return next
    }
}

// MARK: - An origin that alternates

/// The contents that the origin alternated between at the last checks: some servers behind one name are not up to date.
/// Each check reaches one of them by chance, and any of their files is current for Apple's CDN.
package struct OriginAlternation: Equatable, Sendable {
    /// In the order of their first appearance; at least two.
    package let contents: [ContentHash]
    /// The number of checks.
    package let checks: Int
    package let changes: Int

    /// nil if fewer than two changes returned to an earlier content. A single return is a revert.
    init?(_ seen: [ContentHash]) {
        var runs: [ContentHash] = []
        for content in seen where content != runs.last { runs.append(content) }
        var contents: [ContentHash] = []
        for run in runs where !contents.contains(run) { contents.append(run) }
        guard runs.count - contents.count >= 2 else { return nil }
        self.contents = contents
        checks = seen.count
        changes = runs.count - 1
    }

    var cause: Cause { Cause(finding) }

    var finding: Finding {
        Finding(
            .origin(.alternates(files: contents.count, changes: changes, checks: checks)),
            evidence: [
                "changes": "\(changes)", "checks": "\(checks)",
                "meanings": contents.map { String($0.hex.prefix(12)) }.joined(separator: ", "),
            ])
    }
}

extension DomainState {
    package var originAlternation: OriginAlternation? { OriginAlternation(recentContents) }

    /// Whether every remembered check found the same file.
    var isOriginCalm: Bool { Set(recentContents).count <= 1 }
}
