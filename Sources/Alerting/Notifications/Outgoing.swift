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
        let underWay = try await transact { store, asker in
            try Self.underWay(channelRecord, asker, store)
        }
        for message in underWay.abandoned { report(abandoned: message) }
        if !underWay.abandoned.isEmpty { return (nil, .now) }
        // One message that a receiver never takes must not hold up all others.
        let isStuck =
            channelRecord.trouble != nil && underWay.ready.count == 1
            && (underWay.ready.first?.attempts ?? 0) > ChannelHealth.degradedAfter
        if let message = underWay.ready.first, !isStuck { return (try await start(message), .now) }
        let (inputs, channel, time) = (delivery.inputs, channel, delivery.time)
        // Rendering may take a while; nobody who writes waits for it.
        let (draft, next) = try await delivery.store.inspect(channel: channel.name) { store in
            let asker = try Asker(inputs, channel, store, now: time.now(), wall: time.wall())
            return try Freezer(asker: asker).draftNext(store)
        }
        if let draft {
            let frozen = try await transact { store, asker in try Freezer(asker: asker).freeze(draft, store) }
            if let reason = draft.unwritable, frozen == nil { report(unwritable: draft, reason) }
            return (frozen.map { OutgoingMessage(message: $0, wasUnclear: false) }, .now)
        }
        guard case .at(let until) = next else { return (nil, next) }
        if let message = underWay.ready.first { return (try await start(message), .now) }
        let due = try await delivery.store.inspect(channel: channel.name) { try $0.nextDue() }
        return (nil, .at([underWay.due, until, due].compactMap(\.self).min()))
    }

    private func transact<Value: Sendable>(
        _ body: @escaping @Sendable (ChannelTransaction, Asker) throws -> Value
    ) async throws -> Value {
        let (inputs, channel, time) = (delivery.inputs, channel, delivery.time)
        return try await delivery.store.transact(channel: channel.name) { store in
            try body(store, try Asker(inputs, channel, store, now: time.now(), wall: time.wall()))
        }
    }

    /// The messages under way: which may go now, which nobody needs any more, and when the next is due.
    private struct UnderWay: Sendable {
        var ready: [MessageRecord] = []
        var abandoned: [MessageRecord] = []
        var due: Date?
    }

    private static func underWay(
        _ channelRecord: ChannelRecord, _ asker: Asker, _ store: ChannelTransaction
    ) throws -> UnderWay {
        let now = asker.now
        // While a channel is in trouble its hold alone sets the pace: the message that has waited longest is tried. What may have
        // arrived keeps its own.
        let isInTrouble = channelRecord.trouble != nil
        var result = UnderWay()
        func wait(until instant: Date) { result.due = min(result.due ?? instant, instant) }
        for var message in try store.messages() {
            let keepsOwnPace = message.unanswered > 0 || message.recipient != nil
            guard isInTrouble && !keepsOwnPace || message.retryAt <= now else {
                wait(until: message.retryAt)
                continue
            }
            switch try asker.standing(of: message, store) {
            case .same: result.ready.append(message)
            case .parked(let until):
                message.retryAt = min(until ?? .distantFuture, now + longestPark)
                try store.update(message)
                wait(until: message.retryAt)
            case .over:
                try asker.abandon(message, store)
                result.abandoned.append(message)
            }
            if !isInTrouble, !result.ready.isEmpty { break }
        }
        return result
    }

    private func report(abandoned message: MessageRecord) {
        delivery.logger.info(
            "message abandoned: its incidents have changed",
            metadata: [
                "channel": "\(channel.name)", "message_key": "\(message.key)", "kind": "\(message.kind.rawValue)",
                "reason": "\(message.reason.rawValue)",
                "incident":
                    "\(message.members.prefix(LoggedSubjects.shown).map(\.incidentID).joined(separator: ", "))",
            ])
    }

    private func report(unwritable draft: Draft, _ reason: String) {
        delivery.logger.error(
            "a message cannot be written in this channel's form; please report this as a fault of aasa-monitor",
            metadata: [
                "channel": "\(channel.name)", "kind": "\(draft.group.kind.rawValue)", "error": "\(reason)",
                "incident":
                    "\(draft.members.prefix(LoggedSubjects.shown).map(\.0.incident.id).joined(separator: ", "))",
            ])
    }

    /// Before it leaves: the process may end before the answer is read.
    private func start(_ message: MessageRecord) async throws -> OutgoingMessage {
        var started = message
        started.isUnclear = true
        let stored = started
        try await delivery.store.transact(channel: channel.name) { try $0.update(stored) }
        return OutgoingMessage(message: stored, wasUnclear: message.isUnclear)
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
        var hasOtherNews = false
        for member in message.members {
            guard let record = try store.incident(member.incidentID) else { continue }
            if message.isRepeat {
                if statedVersion(record.incident) == member.statedVersion { return .same }
                continue
            }
            var known = try store.notification(member.incidentID) ?? NotificationRecord(incidentID: member.incidentID)
            known.mayKnow = known.mayKnow || message.mayHaveNotified
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
            known.mayKnow = known.mayKnow || message.mayHaveNotified
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

/// A message that is written, and not stored yet.
struct Draft: Sendable {
    let pending: PendingGroup
    /// Whom it is about, as they were when it was written.
    var members: [(IncidentRecord, NotificationRecord)] = []
    /// What is to be decided anew, and what cannot be read.
    var changed: [(IncidentRecord, NotificationRecord)] = []
    var unreadable: [NotificationRecord] = []
    var key = ""
    var body: Data?
    var text = ""
    /// Why there are no bytes; nil: there are.
    var unwritable: String?

    var group: NotificationGroup { pending.group }
    var isEmpty: Bool { members.isEmpty && changed.isEmpty && unreadable.isEmpty }
}

extension NotificationGroup {
    fileprivate var isNew: Int { reason.type == .resolved ? 0 : 1 }
}

/// A new message: which group is ready, who is in it, and its bytes. They are stored before they leave, and stay the same at
/// every attempt.
struct Freezer {
    let asker: Asker

    /// Incidents in one message; more form the next one.
    static let largestDigest = 1000

    private var channel: Channel { asker.channel }
    private var routing: Routing { asker.inputs.routing }

    /// What is ready, written but not stored, and when to look again. It writes nothing.
    func draftNext(_ store: ChannelTransaction) throws -> (Draft?, NextTurn) {
        let groups = try store.pendingGroups().map { ($0, try readyAt($0, store)) }
        // The most severe first, then what waits longest; an end before what goes on from it.
        let ready = groups.filter { $0.1 <= asker.now }.map(\.0)
            .sorted { ($1.severity, $0.since, $0.group.isNew) < ($0.severity, $1.since, $1.group.isNew) }
        for pending in ready {
            let largest = min(pending.largest ?? Self.largestDigest, Self.largestDigest)
            var draft = Draft(pending: pending)
            for known in try store.pending(pending.group, limit: isAlone(pending.group) ? 1 : largest) {
                guard let record = try store.incident(known.incidentID) else {
                    // The others go on.
                    draft.unreadable.append(known)
                    continue
                }
                if try asker.decision(on: record, known) == .send(pending.group.reason) {
                    draft.members.append((record, known))
                } else {
                    draft.changed.append((record, known))
                }
            }
            guard !draft.isEmpty else { continue }
            if !draft.members.isEmpty { try write(&draft, store) }
            return (draft, .now)
        }
        return (nil, .at(groups.map(\.1).filter { $0 > asker.now }.min()))
    }

    /// The bytes: in full, or else in the plainest form, or else why there are none.
    private func write(_ draft: inout Draft, _ store: ChannelTransaction) throws {
        let identities = draft.members.map { "\($1.incidentID) \($1.count + 1)" }.sorted()
        draft.key = MessageIdentity.key(ofMessages: [channel.name] + identities)
        let alert = try alert(about: draft.members.map(\.0), draft.group.reason, key: draft.key, store)
        let reference = draft.members.count == 1 ? draft.members.first?.1.reference : nil
        do {
            draft.body = try channel.format.body(alert, plain: false, reference: reference)
        } catch {
            do {
                draft.body = try channel.format.body(alert, plain: true, reference: nil)
            } catch {
                draft.unwritable = "\(error)".displayable.shortened(to: 300)
            }
        }
        draft.text = RenderedAlert(alert).plainText
    }

    /// When a group's message may go.
    private func readyAt(_ pending: PendingGroup, _ store: ChannelTransaction) throws -> Date {
        guard !isAlone(pending.group) else { return pending.since }
        switch pending.group.reason {
        case .resolved:
            // Nothing else of the kind can end: nobody waits for the last good news.
            return try store.hasUnresolved(pending.group.kind)
                ? pending.since + routing.groupWait.inSeconds : pending.since
        case .firing, .reminder, .wasFiring:
            let next = pending.lastAt.map { $0 + routing.groupInterval.inSeconds } ?? .distantPast
            return max(pending.since + routing.groupWait.inSeconds, next)
        case .escalated, .again, .worse, .flapping, .changed, .acknowledged:
            return pending.since + routing.groupWait.inSeconds
        }
    }

    private func isAlone(_ group: NotificationGroup) -> Bool { routing.isAlone(group.kind, at: channel) }

    /// Stores what was drafted, where nothing that it rests on has changed since. Its first attempt is under way from then on.
    /// - Returns: the message; nil where something was decided anew.
    func freeze(_ draft: Draft, _ store: ChannelTransaction) throws -> MessageRecord? {
        for known in draft.unreadable { try store.setAside(known) }
        for (record, known) in draft.changed { try store.save(try asker.asked(record, known), of: record.incident) }
        guard !draft.members.isEmpty else { return nil }
        for (record, known) in draft.members {
            let present = try store.incident(record.incident.id)
            guard present?.change == record.change, try store.notification(known.incidentID) == known,
                try asker.decision(on: record, known) == .send(draft.group.reason)
            else { return nil }
        }
        let group = draft.group
        if !isAlone(group) {
            // What a digest has no room for follows without the interval; behind a part of a refused one, twice as many.
            let isPart = draft.pending.count > draft.members.count + draft.changed.count + draft.unreadable.count
            try store.pace(
                group, lastAt: isPart ? nil : asker.now,
                largest: isPart ? draft.pending.largest.map { 2 * $0 } : nil)
        }
        guard let body = draft.body else {
            try refuse(draft, store)
            return nil
        }
        let members = draft.members.map { record, _ in
            MessageRecord.Member(
                incidentID: record.incident.id, version: record.incident.version, state: record.incident.state,
                acknowledgedAt: record.acknowledgement?.at)
        }
        var message = MessageRecord(
            key: draft.key, reason: group.reason, kind: group.kind, body: body, members: members, createdAt: asker.now,
            retryAt: asker.now)
        message.isUnclear = true
        message = try store.insert(message)
        try store.keep(text: draft.text, of: draft.key, at: asker.now)
        for (record, known) in draft.members {
            var row = known
            row.count += 1
            row.messageID = message.id
            row.dueAt = nil
            try store.save(row, of: record.incident)
        }
        return message
    }

    /// What cannot be written is refused as by the receiver: a digest is tried in parts, one version alone counts as refused.
    private func refuse(_ draft: Draft, _ store: ChannelTransaction) throws {
        guard draft.members.count == 1 else {
            return try store.pace(draft.group, lastAt: nil, largest: draft.members.count / 2)
        }
        for (record, known) in draft.members {
            var row = known
            row.pendingSince = nil
            row.refused = .init(version: statedVersion(record.incident), at: asker.now)
            try store.save(try asker.asked(record, row), of: record.incident)
            try store.log(
                DeliveryRecord(
                    channel: channel.name, incidentID: record.incident.id,
                    type: draft.group.reason.type(of: draft.group.kind), reason: draft.group.reason,
                    version: record.incident.version, key: draft.key, at: asker.now, attempts: 0, outcome: .refused,
                    error: draft.unwritable))
        }
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
        guard var alert = Alert(digestOf: alerts, key: key) else { throw NothingToSay() }
        if alerts.count > 1, reason == .firing, let kind = records.first?.incident.kind, kind.isConfirmedByCount {
            alert.unconfirmed = try store.unconfirmed(kind, limit: Self.largestDigest).count { record in
                try asker.isToBeNotified(of: record)
            }
        }
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
