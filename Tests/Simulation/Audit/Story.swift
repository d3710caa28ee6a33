// Everything that one channel received about one incident.

import Foundation
import Monitoring

/// What one request said about one incident, and what became of the request.
struct Word {
    let key: String
    let reason: NotificationReason
    let version: Int
    /// It says that the incident is over.
    let isEnd: Bool
    /// The instant of the acknowledgement that it reports.
    let acknowledgedAt: Date?
    /// By the steady clock.
    let at: Date
    /// The receiver has it.
    var isAccepted = false
    /// The receiver does not have it, and the sender can be sure of that.
    var isRefusal = false
    /// The sender has also recorded the refusal.
    var isRefused = false
    /// The receiver has read the message and refused it.
    var isRejected = false
    /// The sender has read a clear acceptance and recorded it.
    var isSettled = false

    /// It is about the incident itself.
    var isAboutTrouble: Bool { reason != .acknowledged }

    /// A feed repeats the same each minute, and a message is retried at a receiver that accepts none.
    func saysTheSame(as next: Word) -> Bool {
        guard key == next.key, isEnd == next.isEnd, isAccepted == next.isAccepted else { return false }
        return isAccepted ? key.isEmpty : isRejected == next.isRejected && isRefused == next.isRefusal
    }
}

struct Story {
    struct ID: Hashable {
        let incident: String
        let channel: String
    }

    /// What the sender can know about what the channel knows.
    enum Knowledge {
        case nothing, refused, unclear, notified
    }

    private(set) var words: [Word] = []
    /// The last word about the incident that the receiver has.
    private(set) var received: Word?
    /// The last one that the sender knows was received.
    private(set) var settled: Word?
    private(set) var highest = 0
    private(set) var highestEnd = 0
    /// Versions that were refused as messages; negative for ends.
    private(set) var rejected: Set<Int> = []
    /// What is due, and since when by the simulation's clock.
    var due: (reason: NotificationReason, since: Int64)?
    /// The evidence was too old: the audit asks again after an interval of the domain.
    var notBefore: Int64 = 0
    /// When something last suppressed it: by the product's clock, which may be set back while no process runs, and by
    /// the simulation's.
    private var heldUntil: (now: Date, passed: Int64)?
    /// When it was first seen to be no longer suppressed.
    private var releasedAt: (now: Date, passed: Int64)?
    /// It was due for long enough while the process was up: a chat receives beginning and end in one message.
    var isOwedBoth = false
    /// The sender may have forgotten that it was suppressed.
    private var mayNotKnowHolds = false
    var explanations: Set<Explanation> = []

    /// Records whether something suppresses it.
    mutating func note(isHeld: Bool, _ present: Present) {
        if isHeld {
            heldUntil = (present.now, present.passed)
            releasedAt = nil
        } else if heldUntil != nil, releasedAt == nil {
            releasedAt = (present.now, present.passed)
        }
    }

    /// Whether an escalation step may be reached: by one of the clocks, from when it was last seen suppressed.
    func mayReach(_ step: TimeInterval, from start: Date, _ present: Present) -> Bool {
        guard present.now >= start + step else { return false }
        guard let heldUntil, !mayNotKnowHolds else { return true }
        return present.now >= heldUntil.now + step || present.passed - heldUntil.passed >= Int64(step * 1000)
    }

    /// Whether it is surely reached: by both clocks, from when it was first seen not suppressed. A process that died at
    /// that moment sees it only after its next start.
    func reaches(_ step: TimeInterval, from start: Date, _ present: Present) -> Bool {
        guard present.now >= start + step else { return false }
        guard let free = releasedAt ?? heldUntil else { return true }
        let since = max(free.passed, present.lastUpheaval)
        return present.now >= free.now + step && present.passed - since >= Int64(step * 1000)
    }

    /// When the receiver last got a message, including one about an acknowledgement.
    var lastHeard: Date? { words.last(where: \.isAccepted)?.at }

    var knowsFiring: Bool { received.map { !$0.isEnd } ?? false }
    var isEmpty: Bool { words.isEmpty }

    func hasReceivedAcknowledgement(of instant: Date?) -> Bool {
        words.contains {
            $0.reason == .acknowledged && $0.acknowledgedAt == instant && ($0.isAccepted || $0.isRejected)
        }
    }

    var knowledge: Knowledge {
        let start = words.lastIndex { $0.isEnd && $0.isSettled }.map { $0 + 1 } ?? 0
        let trouble = words[start...].filter { !$0.isEnd && $0.isAboutTrouble }
        if trouble.contains(where: \.isAccepted) {
            return words[start...].contains { $0.isEnd && !$0.isRefused } ? .unclear : .notified
        }
        return trouble.isEmpty ? .nothing : trouble.allSatisfy(\.isRefused) ? .refused : .unclear
    }

    /// - Throws: if the receiver's version goes back.
    mutating func note(_ word: Word) throws {
        if let last = words.last, last.saysTheSame(as: word) { words.removeLast() }
        words.append(word)
        if word.isRejected, word.isAboutTrouble { rejected.insert(word.isEnd ? -word.version : word.version) }
        guard word.isAccepted else { return }
        guard word.isEnd || word.version > highestEnd, word.version >= highest || !word.isAboutTrouble else {
            throw Violation(
                rule: .order,
                detail: "\(word.reason.rawValue) of version \(word.version) arrives after version \(highest)"
                    + (highestEnd > 0 ? " and the end of \(highestEnd)" : ""))
        }
        guard word.isAboutTrouble else { return }
        received = word
        highest = max(highest, word.version)
        if word.isEnd { highestEnd = max(highestEnd, word.version) }
    }

    /// The sender has recorded that these were received.
    mutating func settle(key: String) {
        for index in words.indices where words[index].key == key && words[index].isAccepted {
            words[index].isSettled = true
            if words[index].isAboutTrouble { settled = words[index] }
        }
    }

    /// The sender has recorded that this was refused.
    mutating func confirmRefusal(key: String) {
        guard let index = words.lastIndex(where: { $0.key == key }), words[index].isRefusal else { return }
        words[index].isRefused = true
    }

    mutating func forgetRejections() { rejected = [] }

    /// The sender may have lost its last records.
    /// `present`: the keys of its messages under way. `isOver`: whether the incident is over, as far as the sender
    /// knows.
    mutating func goBack(present: Set<String>, isOver: Bool) {
        for index in words.indices where present.contains(words[index].key) {
            words[index].isSettled = false
            words[index].isRefused = false
        }
        settled = words.last { $0.isSettled && $0.isAboutTrouble }
        // The sender may also retry what was refused.
        for word in words where word.isRejected && word.isAboutTrouble {
            rejected.insert(word.isEnd ? -word.version : word.version)
        }
        due = nil
        isOwedBoth = isOwedBoth && isOver
        mayNotKnowHolds = true
    }
}
