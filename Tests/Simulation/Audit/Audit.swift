// Keeps its own record of what receivers got and of the committed incidents, and reports each broken rule. It does not
// read the product's own notes about its channels.

import Evidence
import Foundation
import Monitoring

struct Audit {
    var ledger = Ledger()
    var stories: [Story.ID: Story] = [:]
    /// Incidents for which something may be due at some channel.
    var active: Set<String> = []
    /// When a global incident that inhibits a kind last ended.
    private(set) var parentEnds: [IncidentKind: Date] = [:]
    var channels: [String: ChannelBook] = [:]
    /// When the last first message of each group left.
    var groups: [String: Int64] = [:]
    /// What was sent under each key.
    var keys: [String: Content] = [:]
    /// What was sent to former addresses of channels. A receiver that moved together with its memory would drop it as a
    /// repeat.
    private(set) var formerKeys: Set<String> = []
    /// How many messages were received, by reason.
    private(set) var tally: [NotificationReason: Int] = [:]
    private(set) var repeats = 0

    /// What a key identifies, and what became of it.
    struct Content {
        let channel: String
        let reason: NotificationReason
        let members: [StoredMessage.Member]
        var bytes: Data
        var refusedBytes: Set<Data> = []
        var isReceived = false
        var isSettled = false
        /// Attempts that got no answer.
        var unanswered = 0
    }

    /// After so many of these the sender may assume that the receiver knows.
    private static let unansweredAreEnough = 4

    /// What is known about the receiver of a channel.
    struct ChannelBook {
        /// Until when the sender may leave it alone, given its last answer.
        var notBefore: Int64 = 0
        var refusals = 0
        /// Refusals before the last accepted message. A sender that dies before it records the acceptance continues
        /// from this count.
        var refusalsBefore = 0
        /// Different messages in a row that were permanently refused.
        var rejections = 0
        /// Keys of the current turn that were clearly received, refused in any way, or refused as messages.
        var received: Set<String> = []
        var refused: Set<String> = []
        var rejected: Set<String> = []
    }

    func story(_ incident: String, _ channel: String) -> Story {
        stories[Story.ID(incident: incident, channel: channel)] ?? Story()
    }

    /// Records what was committed.
    mutating func take(_ rows: [CommittedIncident], _ present: Present?) throws -> [(
        CommittedIncident?, CommittedIncident
    )] {
        let news = try ledger.take(rows)
        for (before, incident) in news {
            active.insert(incident.id)
            if let end = incident.resolvedAt, incident.isOver {
                for kind in Present.explained(by: incident.cause) {
                    parentEnds[kind] = max(parentEnds[kind] ?? end, end)
                }
            }
            if incident.isOver, before?.isOver == false, let present { noteOwedBoth(incident, present) }
        }
        return news.map { ($0, $1) }
    }

    /// Records what became of a request.
    mutating func note(
        _ reaction: SimulatedReceiver.Reaction?, of message: StoredMessage, to channel: String, _ body: Data,
        _ present: Present
    ) throws {
        var content =
            keys[message.key]
            ?? Content(channel: channel, reason: message.reason, members: message.members, bytes: body)
        content.bytes = body
        if reaction?.isRejection == true { content.refusedBytes.insert(body) }
        let isFirst = !content.isReceived
        var reaction = reaction
        if reaction?.isUnanswered == true {
            content.unanswered += 1
            if content.unanswered >= Self.unansweredAreEnough {
                reaction?.isAccepted = true
                channels[channel, default: ChannelBook()].received.insert(message.key)
            }
        }
        if reaction?.isAccepted == true {
            if content.isReceived { repeats += 1 }
            content.isReceived = true
        }
        keys[message.key] = content
        if reaction?.isConfirmed == true { channels[channel, default: ChannelBook()].received.insert(message.key) }
        if reaction?.isRefused == true { channels[channel, default: ChannelBook()].refused.insert(message.key) }
        if reaction?.isRejection == true {
            channels[channel, default: ChannelBook()].rejected.insert(message.key)
        }
        for member in message.members {
            var word = Word(
                key: message.key, reason: message.reason, version: member.version, isEnd: member.isEnd,
                acknowledgedAt: member.acknowledgedAt, at: present.now)
            if let reaction {
                word.isAccepted = reaction.isAccepted
                word.isRefusal = reaction.isRefused
                word.isRejected = reaction.isRejection
            }
            if word.isAccepted, isFirst { tally[word.reason, default: 0] += 1 }
            try note(word, Story.ID(incident: member.incident, channel: channel))
        }
    }

    mutating func note(_ word: Word, _ id: Story.ID) throws {
        active.insert(id.incident)
        do {
            try stories[id, default: Story()].note(word)
        } catch let violation as Violation {
            throw Violation(rule: violation.rule, detail: "\(id.channel), \(id.incident): \(violation.detail)")
        }
    }

    /// How long the sender may wait after an answer before it must try again.
    mutating func note(_ reaction: SimulatedReceiver.Reaction, of channel: String, at passed: Int64) {
        let minute: Int64 = 60_000
        let ladder = [0, 5, 15, 60, 360]
        var book = channels[channel] ?? ChannelBook()
        var pause: Int64 = 0
        if reaction.isConfirmed {
            book.refusalsBefore += book.refusals
            book.refusals = 0
        } else if reaction.asksToWait {
            pause = 61
        } else if reaction.isRejection {
            // Each attempt may count.
            pause = Int64(ladder[min(4, max(0, book.rejections - 1))])
        } else if reaction.isRefused {
            book.refusals += 1
            pause = Int64(ladder[min(4, book.refusals)])
        } else {
            pause = 19
        }
        book.notBefore = max(reaction.isConfirmed ? 0 : book.notBefore, passed + pause * minute + minute)
        channels[channel] = book
    }

    /// A turn of a channel's loop has ended, and the store has recorded what it sent.
    /// `present`: the keys of messages still under way. `isAlive`: the process that sent them has not died.
    mutating func endTurn(of channel: String, present: Set<String>, isAlive: Bool) {
        guard var book = channels[channel] else { return }
        if isAlive {
            for key in book.refused { for id in ids(of: key, channel) { stories[id]?.confirmRefusal(key: key) } }
        }
        for key in book.rejected.subtracting(present).sorted() {
            book.rejections += 1
            if keys[key]?.isReceived == false { keys[key]?.isSettled = true }
        }
        for key in book.received.subtracting(present).sorted() {
            keys[key]?.isSettled = true
            keys[key]?.refusedBytes = []
            for id in ids(of: key, channel) { stories[id]?.settle(key: key) }
            // A channel that refuses everything does not get the refused messages again.
            if book.rejections >= 3 { forgetRejections(of: channel) }
            book.rejections = 0
        }
        if !book.received.isDisjoint(with: present) { book.refusals += book.refusalsBefore }
        book.refusalsBefore = 0
        book.received = []
        book.refused = []
        book.rejected = []
        channels[channel] = book
    }

    /// A new process misses this much time: the wall clock had been set back before it started.
    mutating func miss(_ milliseconds: Int64) {
        for name in channels.keys { channels[name]?.notBefore += milliseconds }
    }

    private func ids(of key: String, _ channel: String) -> [Story.ID] {
        (keys[key]?.members ?? []).map { Story.ID(incident: $0.incident, channel: channel) }
    }

    /// The channel's messages go to another place, which knows nothing.
    mutating func move(_ channel: String) {
        for id in stories.keys where id.channel == channel { stories[id] = nil }
        formerKeys.formUnion(keys.filter { $0.value.channel == channel }.keys)
        keys = keys.filter { $0.value.channel != channel }
        groups = groups.filter { !$0.key.hasPrefix(channel + " ") }
        channels[channel] = nil
        active.formUnion(ledger.incidents.keys)
    }

    /// The channel may accept now what it refused: it has recovered, or its configuration changed.
    mutating func forgetRejections(of channel: String) {
        for id in stories.keys where id.channel == channel { stories[id]?.forgetRejections() }
    }

    /// Counts of received messages by reason, and of those received twice.
    func figures() -> [String: Int] {
        var figures = ["messages received twice, same key and bytes": repeats]
        for (reason, count) in tally { figures["notifications received: \(reason.rawValue)"] = count }
        figures["messages received"] = keys.values.count { $0.isReceived }
        figures["messages that said several things"] = keys.values.count { $0.isReceived && $0.members.count > 1 }
        return figures
    }
}
