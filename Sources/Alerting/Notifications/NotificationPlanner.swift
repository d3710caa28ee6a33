// Asks `decide` what a channel is to be told, with all that it needs at hand, and writes that into the channel's rows.

import Evidence
import Foundation
import Monitoring
import Storage

/// Asks `decide` within one transaction, with all that it needs at hand.
struct NotificationPlanner {
    let inputs: NotificationInputs
    let channel: Channel
    let now: Date
    let wall: Date
    private let suppressions: Suppressions
    private let refusalsLiftedAt: Date?

    init(
        _ inputs: NotificationInputs, _ channel: Channel, _ store: ChannelTransaction, now: Date, wall: Date
    ) throws {
        self.inputs = inputs
        self.channel = channel
        self.now = now
        self.wall = wall
        suppressions = try Suppressions(inputs, channel, store, now: now, wall: wall)
        refusalsLiftedAt = try store.record()?.refusalsLiftedAt
    }

    func decision(on record: IncidentRecord, _ known: NotificationRecord) throws -> Decision {
        decide(
            record, known, inputs.route(of: record.incident, to: channel), try suppressions.suppression(of: record),
            refusalsLiftedAt: refusalsLiftedAt, now: now)
    }

    /// Whether the channel would be notified of an incident, once it is confirmed.
    func isToBeNotified(of record: IncidentRecord) throws -> Bool {
        guard inputs.route(of: record.incident, to: channel).timing == .atOnce else { return false }
        return try suppressions.suppression(of: record)?.withholds != true
    }

    /// Writes down what is pending about each of these incidents, where that differs from what is written.
    func ask(_ records: [IncidentRecord], _ store: ChannelTransaction) throws {
        let rows = try store.notifications(records.map(\.incident.id))
        for record in records {
            try ask(record, rows[record.incident.id] ?? NotificationRecord(incidentID: record.incident.id), store)
        }
    }

    /// - Returns: how many of them could be read.
    func ask(_ rows: [NotificationRecord], _ store: ChannelTransaction) throws -> Int {
        var count = 0
        for row in rows {
            guard let record = try store.incident(row.incidentID) else { continue }
            try ask(record, row, store)
            count += 1
        }
        return count
    }

    /// A message under way speaks for its rows: it asks before each of its attempts.
    func ask(_ record: IncidentRecord, _ known: NotificationRecord, _ store: ChannelTransaction) throws {
        guard known.messageID == nil else { return }
        let next = try asked(record, known)
        if next != known { try store.save(next, of: record.incident) }
    }

    /// The row as it is after `decide` was asked.
    func asked(_ record: IncidentRecord, _ known: NotificationRecord) throws -> NotificationRecord {
        var known = known
        let suppression = try suppressions.suppression(of: record)
        let route = inputs.route(of: record.incident, to: channel)
        // A step of the escalation counts from when somebody could acknowledge. Old evidence keeps nobody from that.
        let isHeld = suppression?.withholds == true && route.isStep && record.incident.state != .resolved
        if known.isHeld, !isHeld { known.releasedAt = now }
        known.isHeld = isHeld
        return pending(
            decide(record, known, route, suppression, refusalsLiftedAt: refusalsLiftedAt, now: now), known)
    }

    /// The row with what a decision makes pending.
    func pending(_ decision: Decision, _ known: NotificationRecord) -> NotificationRecord {
        var next = known
        switch decision {
        // What was due stays due, and is not ready for now.
        case .undecided:
            next.reason = nil
            next.dueAt = nil
        case .wait(let until):
            next.reason = nil
            next.dueAt = until
        case .nothing:
            next.reason = nil
            next.pendingSince = nil
            next.dueAt = nil
        case .send(let reason):
            next.dueAt = nil
            next.pendingSince = known.pendingSince ?? now
            next.reason = reason
        }
        return next
    }
}

// MARK: - Messages under way

/// How a message under way stands to what is true now.
enum MessageStanding: Equatable {
    /// At least one of its incidents would be notified in the same way now.
    case same
    case parked(until: Date?)
    /// Nobody needs it any more.
    case over
}

extension NotificationPlanner {
    func standing(of message: MessageRecord, _ store: ChannelTransaction) throws -> MessageStanding {
        var parked: MessageStanding?
        var hasOtherNews = false
        for member in message.members {
            guard let record = try store.incident(member.incidentID) else { continue }
            if message.isRepeat {
                if statedVersion(record.incident) == member.statedVersion { return .same }
                continue
            }
            var known = try store.notification(member.incidentID) ?? NotificationRecord(incidentID: member.incidentID)
            known.maybeDelivered = known.maybeDelivered || message.mayHaveNotified
            switch try decision(on: record, known) {
            case .send(message.reason): return .same
            case .undecided: parked = parked ?? .parked(until: nil)
            case .wait(let until): parked = .parked(until: until)
            case .send: hasOtherNews = true
            case .nothing: break
            }
        }
        // What one of them waits for holds up no news of another.
        return hasOtherNews ? .over : parked ?? .over
    }

    /// Gives a message up. What no clear answer came to may have arrived.
    func abandon(_ message: MessageRecord, _ store: ChannelTransaction) throws {
        for member in message.members where !message.isRepeat {
            guard let record = try store.incident(member.incidentID) else { continue }
            var known = try store.notification(member.incidentID) ?? NotificationRecord(incidentID: member.incidentID)
            known.messageID = nil
            known.maybeDelivered = known.maybeDelivered || message.mayHaveNotified
            try store.save(asked(record, known), of: record.incident)
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
