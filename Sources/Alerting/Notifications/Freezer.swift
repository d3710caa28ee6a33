// A new message: which group is ready, who is in it, and its bytes. They are stored before they leave, and stay the same at
// every attempt.

import Evidence
import Foundation
import Monitoring
import Storage

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
                labels: routing.labels(of: record.incident), links: routing.links(for: record.incident.domain),
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

extension IncidentFacts {
    /// The same facts some time later: a stale copy has grown older since they were seen. Instants are moved to the wall clock.
    func aged(to now: Date, shift: TimeInterval) -> IncidentFacts {
        guard let changed = comparison.changedAt else { return self }
        var facts = self
        if comparison.lagSeconds != nil { facts.comparison.lagSeconds = Int(max(0, now.timeIntervalSince(changed))) }
        facts.comparison.changedAt = changed + shift
        return facts
    }
}
