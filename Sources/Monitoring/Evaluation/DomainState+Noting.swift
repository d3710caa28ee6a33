import Evidence
import Foundation

extension DomainState {
    /// Remembers what the origin serves. An answer that is no file is not remembered: an error page never becomes
    /// "the last version".
    package mutating func noteOrigin(_ readings: Readings, at now: Date) {
        if readings.observation.origin.failure?.isOwnFault == true { return }
        guard let file = readings.originFile, file.namesService, let meaning = file.meaning else {
            originValidSince = nil
            return
        }
        if originValidSince == nil { originValidSince = now }
        recentContents = (recentContents + [meaning]).suffix(Self.maximumContents)
        if let last = originPeriods.indices.last, originPeriods[last].meaning == meaning {
            originPeriods[last].lastSeen = now
            originPeriods[last].content = file.hash
            return
        }
        if let last = originPeriods.indices.last { originPeriods[last].supersededAt = now }
        originPeriods.append(OriginPeriod(meaning: meaning, content: file.hash, firstSeen: now, lastSeen: now))
        trimPeriods()
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

    /// Remembers what the CDN serves, where it said anything.
    mutating func noteCDN(_ readings: Readings, at now: Date) {
        guard readings.observation.cdn.retrieval?.speaksOfFile == true else { return }
        let file = readings.cdnFile
        if let copy = cdnCopy, copy.meaning == file?.meaning {
            cdnCopy?.lastSeen = now
            cdnCopy?.content = file?.hash
        } else {
            cdnCopy = CDNCopy(meaning: file?.meaning, content: file?.hash, firstSeen: now, lastSeen: now)
        }
    }
}
