// How Apple's copy compares with the origin's file: by meaning first, and by age if they differ.

import AASA
import Facts
import Foundation

extension Comparison {
    /// `history`: what the origin served before; a kept history already contains this observation's content.
    /// `staleAfter`: how long the CDN may lag behind a change.
    package init(of readings: Readings, history: CopyHistory, staleAfter: Duration, now: Date) {
        let clock = CopyClock(readings: readings, history: history, staleAfter: staleAfter, now: now)
        let current = readings.currentMeanings
        let survey = EdgeSurvey(readings)
        // Without a file at the origin no copy can lag, however the edges differ.
        if survey.isMixed, let origin = readings.originFile, origin.namesService {
            self.init(mixed: survey, of: readings, current: current, clock: clock)
        } else {
            self.init(single: readings, current: current, clock: clock, staleAfter: staleAfter)
        }
        guard !survey.isEmpty else { return }
        // While the origin serves no file, what it served last is what its copies should be.
        let known = current.isEmpty ? Set([history.periods.last?.meaning].compactMap(\.self)) : current
        edges = survey.tally(current: known) { clock.change(from: $0) != nil }
    }

    /// One answer represents the CDN: that of its name, or one that all edges give.
    private init(single readings: Readings, current: Set<ContentHash>, clock: CopyClock, staleAfter: Duration) {
        guard let cdn = readings.cdn else {
            self.init(state: .notCompared)
            return
        }
        guard let answer = cdn.answer, cdn.isAboutFile else {
            self.init(state: .cdnUnavailable)
            return
        }
        let origin = readings.originFile
        guard answer.status == 200 else {
            self.init(state: origin == nil ? .originUnavailable : .missing)
            return
        }
        guard let origin else {
            self.init(state: .originUnavailable)
            return
        }
        let copy = readings.cdnBody
        let bytesEqual = copy?.hash == origin.hash
        guard let copy, let meaning = copy.meaning else {
            self.init(state: .divergent, bytesEqual: false)
            return
        }
        if meaning == origin.meaning || current.contains(meaning) {
            self.init(state: .inSync, bytesEqual: bytesEqual)
            return
        }
        // An error object instead of the file makes no copy old.
        guard origin.namesService else {
            self.init(state: .originUnavailable, bytesEqual: false)
            return
        }
        let difference = Self.difference(from: copy, to: origin)
        self.init(state: .divergent, bytesEqual: false, compared: ComparedContents(copy, origin))
        take(difference)
        isWithoutEffect = difference.isWithoutEffect ? true : nil
        guard let change = clock.change(from: meaning) else { return }
        lag(behind: change, at: clock.now)
        state = clock.now.timeIntervalSince(change.at) >= staleAfter.inSeconds ? .stale : .propagating
    }

    /// The edges disagree: the oldest content that an edge still serves decides, if its age is known.
    private init(mixed survey: EdgeSurvey, of readings: Readings, current: Set<ContentHash>, clock: CopyClock) {
        self.init(state: .mixed)
        var others: [(copy: ContentReading, change: OriginChange?)] = []
        for (result, copy) in survey.speaking {
            guard case .file(let meaning) = copy, !current.contains(meaning),
                !others.contains(where: { $0.copy.meaning == meaning }), let body = readings.body(of: result.retrieval)
            else { continue }
            others.append((body, clock.change(from: meaning)))
        }
        let oldest = others.filter { $0.change != nil }
            .min { ($0.change?.at ?? clock.now) < ($1.change?.at ?? clock.now) }
        guard let origin = readings.originFile, let told = oldest ?? others.first else { return }
        bytesEqual = false
        take(Self.difference(from: told.copy, to: origin))
        let isFileEverywhere = survey.speaking.allSatisfy { if case .file = $0.copy { true } else { false } }
        if isFileEverywhere, others.allSatisfy({ Self.difference(from: $0.copy, to: origin).isWithoutEffect }) {
            isWithoutEffect = true
        }
        compared = ComparedContents(told.copy, origin)
        if let change = told.change { lag(behind: change, at: clock.now) }
    }

    private mutating func lag(behind change: OriginChange, at now: Date) {
        changedAt = change.at
        changedAfter = change.after
        changedBy = change.way
        lagSeconds = change.lag(at: now)
    }

    /// The differences in meaning between two bodies, and what phones do differently; empty if one is not a file.
    package static func differences(from old: Data, to new: Data) -> Differences {
        difference(from: ContentReading(old), to: ContentReading(new))
    }

    /// Computed once per pair of bodies: a copy may lag for days, and is checked every few minutes.
    private static func difference(from old: ContentReading, to new: ContentReading) -> Differences {
        guard let oldDocument = old.document, let newDocument = new.document else { return Differences() }
        return known.value(for: Pair(old: old.hash, new: new.hash)) {
            let onPhones = behaviour(from: old, to: new)
            let found = AssociationDiff.compare(oldDocument, newDocument)
            let changes = found.changes.map {
                AssociationChange(
                    kind: $0.kind, summary: $0.summary.displayable.shortened(to: 300),
                    pointer: $0.pointer.displayable.shortened(to: 300))
            }
            var differences =
                onPhones.isComplete
                ? Differences(changes: changes, total: found.total, behaviour: onPhones.changes)
                : Differences(changes: changes + [incomplete], total: found.total + 1, behaviour: onPhones.changes)
            differences.keepsApps = keepsApps(from: old, to: new)
            return differences
        }
    }

    private static let known = BoundedCache<Pair, Differences>(capacity: 512)

    /// Shown if the work for two files reaches its limit.
    private static let incomplete = AssociationChange(
        kind: .changed,
        summary:
            "some changes on phones may be missing: there are too many rules, or they are too complex, to compare them all",
        pointer: "")

    /// More examples do not help.
    private static let maximumExamples = 20

    private static func behaviour(
        from old: ContentReading, to new: ContentReading
    ) -> (changes: [BehaviourChange], isComplete: Bool) {
        let comparison = BehaviourDiff.compare(links(of: old), links(of: new))
        let shown = comparison.changes.lazy.filter(\.isSeenOnPhone).prefix(maximumExamples).map {
            BehaviourChange(
                appID: $0.appID.displayable.shortened(to: 200), from: $0.from, to: $0.to,
                example: $0.example.displayable.shortened(to: 300))
        }
        return (Array(shown), comparison.isComplete)
    }

    private static func keepsApps(from old: ContentReading, to new: ContentReading) -> Bool {
        func apps(_ file: ContentReading) -> [[String]] { links(of: file)?.entries.map(\.appIDs) ?? [] }
        let all = apps(new).flatMap(\.self)
        return apps(old) == apps(new) && Set(all).count == all.count
    }

    private static func links(of file: ContentReading) -> AppLinks? {
        file.document.flatMap { AssociationFile($0).applinks }
    }

    private struct Pair: Hashable {
        let old: ContentHash
        let new: ContentHash
    }
}

extension Duration {
    /// The duration in seconds, for arithmetic with `Date`.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

/// When the origin stopped serving the content of a copy.
struct CopyClock {
    let readings: Readings
    let history: CopyHistory
    let staleAfter: Duration
    let now: Date

    /// - Parameter meaning: a content that the origin does not serve now.
    /// - Returns: nil if the origin is not known to have served it before.
    func change(from meaning: ContentHash) -> OriginChange? {
        if let period = history.superseded(meaning), let end = period.supersededAt {
            // Content that the origin served more than once alternates.
            let isRolledBack =
                history.periods.count { $0.meaning == meaning } == 1
                && history.periods.contains {
                    $0.meaning == history.periods.last?.meaning && $0.firstSeen < period.firstSeen
                }
            let change = OriginChange(at: end, after: period.lastSeen, way: isRolledBack ? .rolledBack : .changed)
            // The age is that of the current fault: a copy that was right in between was not old all the time.
            guard let right = history.lastRight, right.divergedAt.at > end else { return change }
            // A copy that was right with another content has itself changed: the CDN went back.
            let way = right.copy == meaning ? change.way : .wentBack
            return OriginChange(at: right.divergedAt.at, after: right.divergedAt.after, way: way)
        }
        // A kept history without this content outweighs Last-Modified: the origin was never seen to serve it.
        guard !history.isKept, let modified = modifiedLately else { return nil }
        return OriginChange(at: modified)
    }

    /// The origin's Last-Modified, if it shows a change that Apple's CDN may not have picked up yet. An older one does
    /// not prove that the origin ever served Apple's copy; one that equals `Date` is generated with each answer.
    private var modifiedLately: Date? {
        guard let answer = readings.observation.origin.answer,
            let modified = answer.header("last-modified").flatMap(Date.init(http:)), modified <= now,
            now.timeIntervalSince(modified) < staleAfter.inSeconds
        else { return nil }
        let answered = answer.header("date").flatMap(Date.init(http:)) ?? now
        return abs(answered.timeIntervalSince(modified)) <= Self.generation ? nil : modified
    }

    /// Seconds. A date this close to `Date` counts as generated with the answer.
    private static let generation: TimeInterval = 10
}
