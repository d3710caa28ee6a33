// A new message: which group is ready, who is in it, and its bytes. They are written from a snapshot, and stored where nothing that
// they rest on has changed since.

import Evidence
import Foundation
import Monitoring
import Storage

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

extension NotificationPlanner {
    /// Incidents in one message; more form the next one.
    private static let largestDigest = 1000

    private var routing: Routing { inputs.routing }

    /// What is ready, written but not stored, and when to look again. It writes nothing.
    func draftNext() throws -> (Draft?, NextTurn) {
        let groups = try store.pendingGroups().map { ($0, try readyAt($0)) }
        // The most severe first, then what waits longest; an end before what goes on from it.
        let ready = groups.filter { $0.1 <= now }.map(\.0)
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
                if try decision(on: record, known) == .send(pending.group.reason) {
                    draft.members.append((record, known))
                } else {
                    draft.changed.append((record, known))
                }
            }
            guard !draft.isEmpty else { continue }
            if !draft.members.isEmpty { try write(&draft) }
            return (draft, .now)
        }
        return (nil, .at(groups.map(\.1).filter { $0 > now }.min()))
    }

    /// The bytes: in full, or else in the plainest form, or else why there are none.
    private func write(_ draft: inout Draft) throws {
        let identities = draft.members.map { "\($1.incidentID) \($1.count + 1)" }.sorted()
        draft.key = MessageIdentity.key(ofMessages: [channel.name] + identities)
        let alert = try alert(about: draft.members.map(\.0), draft.group.reason, key: draft.key)
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
    private func readyAt(_ pending: PendingGroup) throws -> Date {
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
    /// - Returns: the message as it was before that attempt; nil where something was decided anew.
    func insert(_ draft: Draft) throws -> MessageRecord? {
        for known in draft.unreadable { try store.setAside(known) }
        for (record, known) in draft.changed { try settle(record, known) }
        guard !draft.members.isEmpty else { return nil }
        for (record, known) in draft.members {
            let present = try store.incident(record.incident.id)
            guard present?.change == record.change, try store.notification(known.incidentID) == known,
                try decision(on: record, known) == .send(draft.group.reason)
            else { return nil }
        }
        let group = draft.group
        if !isAlone(group) {
            // What a digest has no room for follows without the interval; behind a part of a refused one, twice as many.
            let isPart = draft.pending.count > draft.members.count + draft.changed.count + draft.unreadable.count
            try store.pace(
                group, lastAt: isPart ? nil : now, largest: isPart ? draft.pending.largest.map { 2 * $0 } : nil)
        }
        guard let body = draft.body else {
            try refuse(draft)
            return nil
        }
        let members = draft.members.map { record, _ in
            MessageRecord.Member(
                incidentID: record.incident.id, version: record.incident.version, state: record.incident.state,
                acknowledgedAt: record.acknowledgement?.at)
        }
        var message = MessageRecord(
            key: draft.key, reason: group.reason, kind: group.kind, body: body, members: members, createdAt: now,
            retryAt: now)
        message.isUnclear = true
        message = try store.insert(message)
        message.isUnclear = false
        try store.keep(text: draft.text, of: draft.key, at: now)
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
    private func refuse(_ draft: Draft) throws {
        guard draft.members.count == 1 else {
            return try store.pace(draft.group, lastAt: nil, largest: draft.members.count / 2)
        }
        for (record, known) in draft.members {
            try refuse(record, known, stated: statedVersion(record.incident))
            try log(
                draft.group.reason, of: draft.group.kind, record.incident.id, version: record.incident.version,
                key: draft.key, attempts: 0, .refused, error: draft.unwritable)
        }
    }

    /// What is to be said about these incidents as they are now.
    func alert(about records: [IncidentRecord], _ reason: NotificationReason, key: String) throws -> Alert {
        let shift = wall.timeIntervalSince(now)
        let alerts = try records.map { record in
            let facts = try store.facts(record.incident.id) ?? .missing
            return Alert(
                reason: reason, at: wall, incident: record.incident.shifted(by: shift),
                facts: facts.aged(to: now, shift: shift), acknowledgement: record.acknowledgement,
                labels: routing.labels(of: record.incident), links: routing.links(of: record.incident),
                instance: routing.instance)
        }
        guard var alert = Alert(digestOf: alerts, key: key) else { throw NothingToSay() }
        if alerts.count > 1, reason.type == .resolved, let kind = records.first?.incident.kind {
            alert.unfinished = try store.unresolvedCount(kind)
        }
        if alert.isOfTrouble { alert.refusals = try records.flatMap { try refusals(of: $0.incident) } }
        if reason == .reminder {
            let reminders = ReminderSchedule(every: routing.remindEvery)
            alert.isLastReminder = records.allSatisfy { reminders.next(for: $0.incident, after: now) == nil }
        }
        if alerts.count > 1, reason == .firing, let kind = records.first?.incident.kind, kind.isConfirmedByCount {
            alert.unconfirmed = try store.unconfirmed(kind, limit: Self.largestDigest).count { record in
                try isToBeNotified(of: record)
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
