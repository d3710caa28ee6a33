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

/// A new message: which group is ready, who is in it, and its bytes. They are stored before they leave, and stay the same at
/// every attempt.
struct Freezer {
    let asker: Asker

    /// Incidents in one message; more form the next one.
    static let largestDigest = 1000

    private var channel: Channel { asker.channel }
    private var routing: Routing { asker.inputs.routing }

    /// - Returns: the message, if any, and when to look again: at once also where something was decided anew.
    func freezeNext(_ store: ChannelTransaction) throws -> (MessageRecord?, NextTurn) {
        let groups = try store.pendingGroups().map { ($0, try readyAt($0, store)) }
        // The most severe first, then what waits longest.
        let ready = groups.filter { $0.1 <= asker.now }.map(\.0)
            .sorted { ($1.severity, $0.since) < ($0.severity, $1.since) }
        for pending in ready {
            let group = pending.group
            let isAlone = isAlone(group)
            let largest = min(pending.largest ?? Self.largestDigest, Self.largestDigest)
            var records: [(IncidentRecord, NotificationRecord)] = []
            var isNews = false
            for known in try store.pending(group, limit: isAlone ? 1 : largest) {
                guard let record = try store.incident(known.incidentID) else {
                    // The others go on.
                    isNews = true
                    try store.setAside(known)
                    continue
                }
                let decision = asker.decision(on: record, known)
                if decision == .send(group.reason) {
                    records.append((record, known))
                } else {
                    isNews = true
                    try store.save(asker.pending(decision, known), of: record.incident)
                }
            }
            if !records.isEmpty {
                if !isAlone {
                    // What a digest has no room for follows without the interval; behind a part of a refused one, twice as many.
                    let isPart = pending.count > largest
                    try store.pace(
                        group, lastAt: isPart ? nil : asker.now,
                        largest: isPart ? pending.largest.map { 2 * $0 } : nil)
                }
                return (try freeze(records, group, store), .now)
            }
            if isNews { return (nil, .now) }
        }
        return (nil, .at(groups.map(\.1).filter { $0 > asker.now }.min()))
    }

    /// When a group's message may go.
    private func readyAt(_ pending: PendingGroup, _ store: ChannelTransaction) throws -> Date {
        guard !isAlone(pending.group) else { return pending.since }
        switch pending.group.reason {
        case .resolved, .wasFiring:
            // Nothing else of the kind can end: nobody waits for the last good news.
            return try store.hasUnresolved(pending.group.kind)
                ? pending.since + routing.groupWait.inSeconds : pending.since
        case .firing, .reminder:
            let next = pending.lastAt.map { $0 + routing.groupInterval.inSeconds } ?? .distantPast
            return max(pending.since + routing.groupWait.inSeconds, next)
        case .escalated, .again, .worse, .flapping, .changed, .acknowledged:
            return pending.since + routing.groupWait.inSeconds
        }
    }

    private func isAlone(_ group: NotificationGroup) -> Bool { routing.isAlone(group.kind, at: channel) }

    /// Stores a message about these incidents. Its first attempt is under way from then on.
    func freeze(
        _ records: [(IncidentRecord, NotificationRecord)], _ group: NotificationGroup, _ store: ChannelTransaction
    ) throws -> MessageRecord {
        let rows = records.map { record, known in
            var row = known
            row.count += 1
            return (record, row)
        }
        let identities = rows.map { "\($1.incidentID) \($1.count)" }.sorted()
        let key = MessageIdentity.key(ofMessages: [channel.name] + identities)
        let alert = try alert(about: records.map(\.0), group.reason, key: key, store)
        let body = try channel.format.body(
            alert, plain: false, reference: rows.count == 1 ? rows.first?.1.reference : nil)
        let members = rows.map { record, _ in
            MessageRecord.Member(
                incidentID: record.incident.id, version: record.incident.version, state: record.incident.state,
                acknowledgedAt: record.acknowledgement?.at)
        }
        var message = MessageRecord(
            key: key, reason: group.reason, kind: group.kind, body: body, members: members, createdAt: asker.now,
            retryAt: asker.now)
        message.isUnclear = true
        message = try store.insert(message)
        try store.keep(text: RenderedAlert(alert).plainText, of: key, at: asker.now)
        for (record, known) in rows {
            var row = known
            row.messageID = message.id
            row.dueAt = nil
            try store.save(row, of: record.incident)
        }
        return message
    }

    /// What is to be said about these incidents as they are now.
    func alert(
        about records: [IncidentRecord], _ reason: NotificationReason, key: String, _ store: ChannelTransaction
    ) throws -> Alert {
        let shift = asker.wall.timeIntervalSince(asker.now)
        let alerts = try records.map { record in
            let facts = try store.facts(record.incident.id) ?? .missing
            return Alert(
                reason: reason, at: asker.wall, incident: record.incident.shifted(by: shift),
                facts: facts.aged(to: asker.now, shift: shift), acknowledgement: record.acknowledgement,
                labels: routing.labels(of: record.incident), links: routing.links(of: record.incident),
                instance: routing.instance)
        }
        guard let alert = Alert(digestOf: alerts, key: key) else { throw NothingToSay() }
        return alert
    }
}

/// A message about no incident was asked for: a fault of ours.
struct NothingToSay: Error {}

extension Incident {
    /// The same incident with its instants as wall clocks show them.
    func shifted(by seconds: TimeInterval) -> Incident {
        guard seconds != 0 else { return self }
        func moved(_ mark: Mark?) -> Mark? { mark.map { Mark(version: $0.version, at: $0.at + seconds) } }
        var incident = self
        incident.since += seconds
        incident.openedAt += seconds
        incident.firedAt = firedAt.map { $0 + seconds }
        incident.resolvedAt = resolvedAt.map { $0 + seconds }
        incident.worse = moved(worse)
        incident.again = moved(again)
        incident.flapping = moved(flapping)
        return incident
    }
}
