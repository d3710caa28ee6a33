import Evidence
import Foundation

extension DomainState {
    /// Remembers what the origin serves. An answer that is no file is not remembered: an error page never becomes
    /// "the last version".
    package mutating func noteOrigin(_ readings: Readings, at now: Date) {
        if readings.observation.origin.failure?.isOwnFault == true { return }
        guard let file = readings.originFile, file.namesService, let meaning = file.meaning else {
            // Who turns this machine away has not shown that the file is gone.
            if !readings.mayBeOwnView { originValidSince = nil }
            return
        }
        if originValidSince == nil { originValidSince = now }
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

    /// Remembers what the CDN serves, where it said anything.
    mutating func noteCDN(_ readings: Readings, at now: Date) {
        guard readings.observation.cdn.retrieval?.speaksOfFile == true else { return }
        let file = readings.cdnFile
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
