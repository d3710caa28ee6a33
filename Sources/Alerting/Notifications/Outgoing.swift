// Which message a channel sends next: one that is under way and due again, or a new one of what is pending. Everything here
// happens in the transaction that stores the message before it leaves.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

/// A stored message on its way out.
struct OutgoingMessage: Sendable {
    let message: MessageRecord
    /// Whether an earlier attempt had no clear answer.
    let wasUnclear: Bool
}

struct Outgoing: Sendable {
    let delivery: Delivery
    let channel: Channel

    /// A parked message asks again after so long at the latest.
    private static let longestPark: TimeInterval = 60

    /// - Returns: what to send, if anything, and when to look again: at once also where something was given up or decided anew.
    func next(_ channelRecord: ChannelRecord) async throws -> (OutgoingMessage?, NextTurn) {
        let (inputs, channel, time) = (delivery.inputs, channel, delivery.time)
        let (message, next, abandoned) = try await delivery.store.transact(channel: channel.name) { store in
            let asker = try Asker(inputs, channel, store, now: time.now(), wall: time.wall())
            var abandoned: [MessageRecord] = []
            let (message, next) = try Self.next(channelRecord, asker, store, &abandoned)
            return (message, next, abandoned)
        }
        for message in abandoned {
            delivery.logger.info(
                "message abandoned: its incidents have changed",
                metadata: [
                    "channel": "\(channel.name)", "message_key": "\(message.key)", "kind": "\(message.kind.rawValue)",
                    "reason": "\(message.reason.rawValue)",
                    "incident":
                        "\(message.members.prefix(LoggedSubjects.shown).map(\.incidentID).joined(separator: ", "))",
                ])
        }
        return (message, next)
    }

    private static func next(
        _ channelRecord: ChannelRecord, _ asker: Asker, _ store: ChannelTransaction, _ abandoned: inout [MessageRecord]
    ) throws -> (OutgoingMessage?, NextTurn) {
        let now = asker.now
        // While a channel is in trouble its hold alone sets the pace: the message that has waited longest is tried.
        let isInTrouble = channelRecord.trouble != nil
        var due: Date?
        func wait(until instant: Date) { due = min(due ?? instant, instant) }
        var ready: [MessageRecord] = []
        for var message in try store.messages() {
            guard isInTrouble || message.retryAt <= now else {
                wait(until: message.retryAt)
                continue
            }
            switch try asker.standing(of: message, store) {
            case .same: ready.append(message)
            case .parked(let until):
                message.retryAt = min(until ?? .distantFuture, now + longestPark)
                try store.update(message)
                wait(until: message.retryAt)
            case .over:
                try asker.abandon(message, store)
                abandoned.append(message)
            }
            if !isInTrouble, !ready.isEmpty { break }
        }
        if !abandoned.isEmpty { return (nil, .now) }
        let freezer = Freezer(asker: asker)
        // One message that a receiver never takes must not hold up all others.
        let isStuck = isInTrouble && ready.count == 1 && (ready.first?.attempts ?? 0) > ChannelHealth.degradedAfter
        if let message = ready.first, !isStuck { return (try start(message, store), .now) }
        let (frozen, next) = try freezer.freezeNext(store)
        if let frozen { return (OutgoingMessage(message: frozen, wasUnclear: false), next) }
        guard case .at(let until) = next else { return (nil, next) }
        if let message = ready.first { return (try start(message, store), .now) }
        if let until { wait(until: until) }
        if let until = try store.nextDue() { wait(until: until) }
        return (nil, .at(due))
    }

    /// Before it leaves: the process may end before the answer is read.
    private static func start(_ message: MessageRecord, _ store: ChannelTransaction) throws -> OutgoingMessage {
        var started = message
        started.isUnclear = true
        try store.update(started)
        return OutgoingMessage(message: started, wasUnclear: message.isUnclear)
    }
}

/// How a message under way stands to what is true now.
enum MessageStanding: Equatable {
    /// At least one of its incidents would be notified in the same way now.
    case same
    case parked(until: Date?)
    /// Nobody needs it any more.
    case over
}

extension Asker {
    func standing(of message: MessageRecord, _ store: ChannelTransaction) throws -> MessageStanding {
        var parked: MessageStanding?
        for member in message.members {
            guard let record = try store.incident(member.incidentID) else { continue }
            if message.isRepeat {
                return statedVersion(record.incident) == member.statedVersion ? .same : .over
            }
            var known = try store.notification(member.incidentID) ?? NotificationRecord(incidentID: member.incidentID)
            known.mayKnow = known.mayKnow || message.mayHaveNotified
            switch decision(on: record, known) {
            case .send(message.reason): return .same
            case .undecided: parked = parked ?? .parked(until: nil)
            case .wait(let until): parked = .parked(until: until)
            case .send, .nothing: break
            }
        }
        return parked ?? .over
    }

    /// Gives a message up. What no clear answer came to may have arrived.
    func abandon(_ message: MessageRecord, _ store: ChannelTransaction) throws {
        for member in message.members where !message.isRepeat {
            guard let record = try store.incident(member.incidentID) else { continue }
            var known = try store.notification(member.incidentID) ?? NotificationRecord(incidentID: member.incidentID)
            known.messageID = nil
            known.mayKnow = known.mayKnow || message.mayHaveNotified
            try store.save(pending(decision(on: record, known), known), of: record.incident)
            try store.log(
                DeliveryRecord(
                    channel: channel.name, incidentID: member.incidentID,
                    type: message.reason.type(of: message.kind),
                    reason: message.reason, version: member.version, key: message.key, at: now,
                    attempts: message.attempts, outcome: .abandoned))
        }
        try store.delete(message)
    }
}

extension MessageRecord {
    /// The receiver may know of a firing by it.
    var mayHaveNotified: Bool { isUnclear && reason.type != .resolved && reason.type != .acknowledged }
}
