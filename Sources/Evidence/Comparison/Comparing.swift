// How Apple's copy stands to the origin's: judged by meaning first, and by age where they differ.

import AASA
import Foundation

extension Comparison {
    /// `history`: what the origin served before; where it is kept it already holds this observation's own content.
    /// `staleAfter`: how long the CDN may lag behind a change.
    package init(of readings: Readings, history: CopyHistory, staleAfter: Duration, now: Date) {
        let observation = readings.observation
        guard let cdn = observation.cdn.retrieval else {
            self.init(state: .notCompared)
            return
        }
        guard let answer = cdn.answer, answer.speaksOfFile, answer.body.end == .complete else {
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
        if meaning == origin.meaning {
            self.init(state: .inSync, bytesEqual: bytesEqual)
            return
        }
        // An error object in place of the file makes no copy old.
        guard origin.namesService else {
            self.init(state: .originUnavailable, bytesEqual: false)
            return
        }
        self.init(
            state: .divergent, bytesEqual: false, changes: Self.changes(from: copy, to: origin),
            behaviour: Self.behaviour(from: copy, to: origin))
        if let period = history.superseded(meaning), let changedAt = period.supersededAt {
            settle(changedAt: changedAt, changedAfter: period.lastSeen, staleAfter: staleAfter, now: now)
        } else if !history.isKept, let modified = observation.origin.answer?.header("last-modified"),
            let changedAt = HTTPDate.parse(modified), changedAt <= now,
            changedAt > Self.firstFiles
        {
            settle(changedAt: changedAt, changedAfter: nil, staleAfter: staleAfter, now: now)
        }
    }

    /// The first files of this kind appeared with iOS 8, in 2014. An older Last-Modified is a build's placeholder, such as
    /// the epoch.
    private static let firstFiles = Date(timeIntervalSince1970: 1_388_534_400)

    private mutating func settle(changedAt: Date, changedAfter: Date?, staleAfter: Duration, now: Date) {
        // A clock that went backwards makes nothing younger than now.
        let lag = max(0, now.timeIntervalSince(changedAt))
        self.changedAt = changedAt
        self.changedAfter = changedAfter
        lagSeconds = Int(lag)
        state = lag >= staleAfter.inSeconds ? .stale : .propagating
    }

    /// More examples than these help nobody.
    private static let maximumNotes = 20

    private static func behaviour(from old: ContentReading, to new: ContentReading) -> [BehaviourNote] {
        guard let oldFile = old.document, let newFile = new.document else { return [] }
        let key = Pair(old: old.hash, new: new.hash)
        return notes.value(for: key) {
            let comparison = BehaviourDiff.compare(AssociationFile(oldFile).applinks, AssociationFile(newFile).applinks)
            return comparison.changes.prefix(maximumNotes).map {
                BehaviourNote(
                    app: $0.appID.displayable.shortened(to: 200), from: .init($0.from), to: .init($0.to),
                    example: $0.example.displayable.shortened(to: 300))
            }
        }
    }

    private struct Pair: Hashable {
        let old: ContentHash
        let new: ContentHash
    }

    /// By the two bodies: a copy may lag for days, and is looked at every few minutes.
    private static let notes = Recollection<Pair, [BehaviourNote]>(capacity: 512)

    private static func changes(from old: ContentReading, to new: ContentReading) -> [Change] {
        guard let old = old.document, let new = new.document else { return [] }
        return AssociationDiff.changes(from: old, to: new).map {
            Change(
                kind: Change.Kind($0.kind), summary: $0.summary.displayable.shortened(to: 300),
                pointer: $0.pointer.displayable.shortened(to: 300))
        }
    }
}

extension BehaviourNote.Behaviour {
    fileprivate init(_ behaviour: LinkBehaviour) {
        self =
            switch behaviour {
            case .opens: .opens
            case .blocked: .blocked
            case .notMatched: .notMatched
            }
    }
}

extension Change.Kind {
    fileprivate init(_ kind: AssociationChange.Kind) {
        self =
            switch kind {
            case .added: .added
            case .removed: .removed
            case .changed: .changed
            case .moved: .moved
            }
    }
}

extension Duration {
    /// The duration in seconds, for arithmetic with `Date`.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
