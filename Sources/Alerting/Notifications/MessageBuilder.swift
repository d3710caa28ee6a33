// Builds a new message: selects the group that is ready, its incidents, and writes the bytes.

import Evidence
import Foundation
import Monitoring
import Storage

extension NotificationGroup {
    fileprivate var isNew: Int { reason.type == .resolved ? 0 : 1 }
}

extension NotificationPlanner {
    /// The maximum number of incidents in one message. The rest goes into the next one.
    private static let largestDigest = 1000

    private var routing: Routing { inputs.routing }

    /// Builds a message for the next ready group, and stores it with its first attempt under way.
    /// - Returns: the message as it was before that attempt; and when to look again. That is now if rows changed.
    func buildNext() throws -> (MessageRecord?, NextTurn) {
        let groups = try store.pendingGroups().map { ($0, try readyAt($0)) }
        // The most severe first, then the longest pending; at the same time ends come first.
        let ready = groups.filter { $0.1 <= now }.map(\.0)
            .sorted { ($1.severity, $0.since, $0.group.isNew) < ($0.severity, $1.since, $1.group.isNew) }
        for pending in ready {
            let rows = try store.pending(pending.group, limit: isAlone(pending.group) ? 1 : Self.largestDigest)
            guard !rows.isEmpty else { continue }
            var members: [(IncidentRecord, NotificationRecord)] = []
            for known in rows {
                guard let record = try store.incident(known.incidentID) else {
                    // An unreadable incident must not stop the others.
                    try store.setAside(known)
                    continue
                }
                if try decision(on: record, known) == .send(pending.group.reason) {
                    members.append((record, known))
                } else {
                    try settle(record, known)
                }
            }
            // The rest of a full digest follows without `group_interval`.
            if !members.isEmpty, !isAlone(pending.group) {
                try store.pace(pending.group, lastAt: pending.count > rows.count ? nil : now)
            }
            return (members.isEmpty ? nil : try insert(pending.group, members), .now)
        }
        return (nil, .at(groups.map(\.1).filter { $0 > now }.min()))
    }

    private func insert(
        _ group: NotificationGroup, _ members: [(IncidentRecord, NotificationRecord)]
    ) throws -> MessageRecord {
        let identities = members.map { "\($1.incidentID) \($1.count + 1)" }.sorted()
        let key = MessageIdentity.key(ofMessages: [channel.name, channel.destinationHash] + identities)
        let alert = try alert(about: members.map(\.0), group.reason, key: key)
        let reference = members.count == 1 ? members.first?.1.reference : nil
        var message = MessageRecord(
            key: key, reason: group.reason, kind: group.kind,
            body: try channel.format.body(alert, plain: false, reference: reference),
            members: members.map { record, _ in
                MessageRecord.Member(
                    incidentID: record.incident.id, version: record.incident.version, state: record.incident.state,
                    acknowledgedAt: record.acknowledgement?.at)
            }, createdAt: now, retryAt: now)
        message.isUnclear = true
        message = try store.insert(message)
        message.isUnclear = false
        try store.keep(text: RenderedAlert(alert).plainText, of: key, at: now)
        for (record, known) in members {
            var row = known
            row.count += 1
            row.messageID = message.id
            row.dueAt = nil
            try store.save(row, of: record.incident)
        }
        return message
    }

    /// When a message of this group may be sent.
    private func readyAt(_ pending: PendingGroup) throws -> Date {
        guard !isAlone(pending.group) else { return pending.since }
        switch pending.group.reason {
        case .resolved:
            // The last incident of a kind to end does not wait, because no other end can join it.
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

    /// The alert about these incidents in their current state.
    func alert(about records: [IncidentRecord], _ reason: NotificationReason, key: String) throws -> Alert {
        let shift = wall.ahead(of: now)
        let alerts = try records.map { record in
            let account = try store.account(record.incident.id) ?? IncidentAccount(.missing)
            func aged(_ facts: IncidentFacts) -> IncidentFacts { facts.aged(to: now, shift: shift) }
            var alert = Alert(
                reason: reason, at: wall, incident: record.incident.shifted(by: shift),
                facts: aged(account.ending ?? account.facts), was: account.ending == nil ? nil : aged(account.facts),
                acknowledgement: record.acknowledgement,
                labels: routing.labels(of: record.incident), links: routing.links(of: record.incident),
                instance: routing.instance)
            alert.note = routing.note(of: alert.incident)
            if records.count == 1, alert.canBeAcknowledged, let page = alert.links.incident, routing.pageTakesWrites {
                let link = try store.link(to: alert.incident.id, type: channel.kind.rawValue, wall: wall)
                alert.links.acknowledge = "\(page)?link=\(link.text)#acknowledge"
            }
            return alert
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

/// A message without an incident: a programming error.
struct NothingToSay: Error {}

extension Incident {
    /// The same incident with its times converted to the wall clock.
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
