// All that the monitor remembers of one domain between checks.

import Evidence
import Foundation

package struct DomainState: Codable, Equatable, Sendable {
    package var domain: Domain
    package var lastCheckedAt: Date?
    /// When it was first checked: what was wrong then has not changed since. nil before the first check.
    package var firstCheckedAt: Date?
    package var reachability = Reachability()
    /// When everything was last asked for, not only the two plain requests.
    package var lastFullAt: Date?
    /// What a light check would have seen then; nil where the verdict is of a later check that saw something else.
    package var lightFingerprint: ContentHash?
    /// Contents that the origin served, oldest first; at most `maximumPeriods`.
    package var originPeriods: [OriginPeriod] = []
    /// What the origin served at the last checks that found a file, by meaning, oldest first; at most `maximumContents`.
    package var recentContents: [ContentHash] = []
    /// How long Apple's CDN took for the last changes, oldest first; at most `maximumPropagations`.
    package var propagations: [Propagation] = []
    /// What the CDN served at the last check that had an answer.
    package var cdnCopy: CDNCopy?
    package var incidents: IncidentMemory<IncidentKind>
    /// The change of the origin that is followed to every edge; nil: none, or no channel takes changes.
    package var change: Incident?
    /// Since when the origin has been serving a valid file without a break; nil while it does not.
    package var originValidSince: Date?
    /// Whether a file of the origin, or Apple's copy, was ever seen to open links; nil: not yet.
    package var hadLinks: Bool?
    /// When Apple's CDN last had what the origin served; nil: it was not seen to have it yet.
    package var agreement: CopyAgreement?
    /// nil: the last check knows what phones do, or that nobody asks.
    package var blindness: Blindness?
    /// How many of the last checks in a row had an error that only has to be seen often enough, whichever; nil: none.
    package var failingChecks: Int?
    /// The last verdict, for those who read.
    package var verdict: Verdict?

    /// Of the stored form. The store writes it beside the state, and refuses a newer one.
    package static let formatVersion = 1
    package static let maximumPeriods = 64
    package static let maximumContents = 8
    package static let maximumPropagations = 20

    /// `begun`: how many incidents the domain had when it was monitored before; those are forgotten.
    package init(domain: Domain, begun: Int = 0) {
        self.domain = domain
        incidents = IncidentMemory(begun: begun)
    }

    /// What the judgement of a check needs to know of earlier ones.
    package var history: CopyHistory {
        CopyHistory(
            periods: originPeriods, servingSince: originValidSince, firstAskedAt: firstCheckedAt,
            usual: UsualPropagation(propagations.map(\.seconds)), hadLinks: hadLinks ?? false,
            lastRight: agreement.flatMap { known in known.parted.map { LastRight(copy: known.copy, parted: $0) } })
    }

    /// Whether the origin was ever seen to serve a file, or Apple's CDN to have one.
    package var hadFile: Bool { !originPeriods.isEmpty || cdnCopy?.meaning != nil }

    package var open: [IncidentKind: TrackedIncident] {
        get { incidents.open }
        set { incidents.open = newValue }
    }
    package var ended: [IncidentKind: TrackedIncident] { incidents.ended }
    package var begun: Int { incidents.begun }
}

/// How long Apple's CDN took for a change of the origin, to the interval of the checks.
package struct Propagation: Codable, Equatable, Sendable {
    /// The first check that saw it at the origin.
    package var changedAt: Date
    /// To the check that saw every edge follow.
    package var seconds: Int

    package init(changedAt: Date, seconds: Int) {
        self.changedAt = changedAt
        self.seconds = seconds
    }
}

/// A stretch of checks that saw Apple's CDN serve what the origin served, or what does the same.
package struct CopyAgreement: Codable, Equatable, Sendable {
    /// The first of them.
    var since: Date
    /// What the CDN served last, by meaning.
    var copy: ContentHash?
    /// The last of them, where later checks could not tell; nil: the last check was one.
    var seenUntil: Date?
    /// When it ended, after it had lasted; nil: it lasts.
    var parted: OriginChange?
    /// Since when it is so again; nil: it is not.
    var backSince: Date?

    /// How long it must last, in seconds, so that no chance made each check meet a cache with the right file.
    static func steady(_ checks: CheckSettings) -> TimeInterval {
        max(checks.staleAfter.inSeconds, 4 * checks.interval.inSeconds)
    }
}

/// A stretch of checks that did not see what phones do.
package struct Blindness: Codable, Equatable, Sendable {
    package let since: Date
    /// Nobody should be left without a word beyond this instant: as long as a copy may be old, six hours at most.
    package let limit: Date

    /// nil: the verdict knows.
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
    /// Whether it may be why nothing is seen: who ignores that wants no word of it.
    fileprivate var mayHideAll: Bool {
        kind == .cdnUnreachable || isOfThisMachine || problem.area == .origin && severity == .error
    }
}

extension Effect {
    /// Whether this machine did not see what phones get. That a CDN was not asked, on purpose, is no blindness.
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
    /// Remembers what the origin serves. An answer that is no file is not remembered: an error page never becomes
    /// "the last version".
    package mutating func noteOrigin(_ readings: Readings, at now: Date) {
        if readings.observation.origin.ownFault != nil { return }
        guard let file = readings.originFile, file.namesService, let meaning = file.meaning else {
            // Who turns this machine away has not shown that the file is gone.
            if !readings.mayBeOwnView { originValidSince = nil }
            return
        }
        if originValidSince == nil { originValidSince = now }
        if file.opensLinks { hadLinks = true }
        if let last = originPeriods.indices.last, originPeriods[last].meaning == meaning {
            originPeriods[last].lastSeen = now
            if originPeriods[last].content != file.hash { originPeriods[last].content = file.hash }
            // The known value: equal ones are held once.
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

    /// Keeps the latest period of each content first of all: staleness is computed from it. Neither an origin that alternates
    /// nor one that changes with each answer may push out the version that the CDN still holds.
    private mutating func trimPeriods() {
        guard originPeriods.count > Self.maximumPeriods else { return }
        var seen: Set<ContentHash> = []
        let latest = Set(originPeriods.indices.reversed().filter { seen.insert(originPeriods[$0].meaning).inserted })
        let victim =
            originPeriods.indices.first { !latest.contains($0) }
            ?? originPeriods.indices.first { originPeriods[$0].meaning != cdnCopy?.meaning } ?? originPeriods.startIndex
        originPeriods.remove(at: victim)
    }

    /// Remembers how long the CDN took, at the check that sees it catch up. An edge that falls back within a day moves the end
    /// of the same change; one that falls back later is another matter. A copy that the origin came back to did not follow
    /// anything. After a pause of the monitor nobody knows when it caught up: the check `before` was at most an hour ago, or a
    /// quarter of the time that the CDN took.
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

    /// Remembers whether the CDN has what the origin serves. While trouble of the copy is open, a good answer is not the end of it.
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
            guard known.parted != nil else {
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
            if known.parted == nil {
                let last = known.seenUntil ?? before ?? known.since
                let isSteady = last.timeIntervalSince(known.since) >= steady
                known.parted = OriginChange(at: now, after: last)
                agreement = isSteady ? known : nil
            } else {
                agreement = known
            }
        case .originUnavailable, .cdnUnavailable, .notCompared:
            guard let known = agreement, known.parted == nil else { return }
            agreement?.seenUntil = known.seenUntil ?? before
        }
    }

    /// Remembers what the CDN serves, where it said anything.
    mutating func noteCDN(_ readings: Readings, at now: Date) {
        guard readings.observation.cdn.retrieval?.speaksOfFile == true else { return }
        let file = readings.cdnFile
        if file?.opensLinks == true { hadLinks = true }
        if let copy = cdnCopy, copy.meaning == file?.meaning {
            cdnCopy?.lastSeen = now
            if copy.content != file?.hash { cdnCopy?.content = file?.hash }
        } else {
            cdnCopy = CDNCopy(meaning: file?.meaning, content: file?.hash, firstSeen: now, lastSeen: now)
        }
    }

    /// The state as one more light check leaves it that sees the same: nothing but instants differ. Where a check leaves just
    /// this, the store needs the instant alone.
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

/// The contents between which the origin went back and forth at the last checks: servers behind one name that were not all
/// brought up to date. Each check meets one of them by chance, and what Apple's CDN holds is as good as any.
package struct OriginAlternation: Equatable, Sendable {
    /// In the order in which they were first met; at least two.
    package let contents: [ContentHash]
    /// How many checks these were.
    package let checks: Int
    package let changes: Int

    /// nil where fewer than two of the changes led back to a content that was left before. One step back alone is
    /// somebody who reverts a change.
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

    /// Whether every check that is still remembered found the same file.
    var isOriginCalm: Bool { Set(recentContents).count <= 1 }
}
