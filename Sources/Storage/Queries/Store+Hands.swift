// What somebody's taking an incident in hand means for messages, within the transaction that writes it down.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    static func isInHand(_ incidentID: String, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database, cached: "SELECT EXISTS (SELECT 1 FROM acknowledgement WHERE incident_id = ?)",
            arguments: [incidentID]) == true
    }

    /// Takes back what nobody needs once somebody is at it: a reminder that waits, and a call to more people that none of
    /// them can have heard, with the updates behind it.
    static func takeBackCalls(about incidentID: String, at now: Date, _ database: Database) throws {
        let untold = "state = 'queued' AND digest IS NULL AND is_escalation = 1 AND receipt = 0"
        try database.execute(
            cached: """
                UPDATE outbox SET state = 'superseded', settled_at = :now
                WHERE incident_id = :id AND state = 'queued' AND digest IS NULL AND type = :update AND receipt = 0
                AND sequence > (
                    SELECT min(e.sequence) FROM (
                        SELECT sequence, channel FROM outbox WHERE incident_id = :id AND \(untold)
                    ) e WHERE e.channel = outbox.channel)
                """, arguments: ["now": now.milliseconds, "id": incidentID, "update": EventType.update.rawValue])
        try database.execute(
            cached: """
                UPDATE outbox SET state = 'superseded', settled_at = :now
                WHERE incident_id = :id AND (state = 'queued' AND digest IS NULL AND type = :reminder OR \(untold))
                """, arguments: ["now": now.milliseconds, "id": incidentID, "reminder": EventType.reminder.rawValue])
    }

    /// Owes the word that it is in hand to each receiver that keeps the incident open on its side and was told of it, or
    /// will be. It says what was told last: the row's type makes the difference.
    static func tellOfHand(_ incident: Incident, at now: Date, _ database: Database) throws {
        let channels = try String.fetchAll(
            database,
            cached: "SELECT DISTINCT channel FROM outbox WHERE incident_id = ? AND hears_of_hand = 1 ORDER BY channel",
            arguments: [incident.id])
        for channel in channels { try tellOfHand(incident, channel: channel, at: now, database) }
    }

    private static func tellOfHand(
        _ incident: Incident, channel: String, at now: Date, _ database: Database
    ) throws {
        guard let last = try lastRowTold(channel: channel, incidentID: incident.id, database),
            last["type"] as String != EventType.resolved.rawValue
        else { return }
        try enqueue(
            OutboxDraft(
                messageKey: handKey(incident.id, channel, now), incidentID: incident.id, channel: channel,
                type: .acknowledged, sequence: incident.sequence, severity: incident.severity,
                facts: last["facts"], createdAt: now, expiresAt: now + 86_400, hearsOfHand: true), database)
    }

    /// A receiver that left the configuration and is back has kept open what it was told of before: it hears of hands again,
    /// and of those that were taken meanwhile.
    static func hearAgainOfHands(channel: String, at now: Date, _ database: Database) throws {
        try database.execute(
            cached: """
                UPDATE outbox SET hears_of_hand = 1
                WHERE channel = ? AND hears_of_hand = 0 AND (state = 'delivered' OR receipt = 2)
                AND type NOT IN ('incident.resolved', 'incident.acknowledged')
                AND incident_id IN (SELECT id FROM incident WHERE resolved_at IS NULL)
                """, arguments: [channel])
        guard database.changesCount > 0 else { return }
        let taken = try Row.fetchAll(
            database,
            cached: """
                SELECT i.* FROM acknowledgement a CROSS JOIN incident i ON i.id = a.incident_id
                WHERE i.resolved_at IS NULL AND EXISTS (
                    SELECT 1 FROM outbox o INDEXED BY outbox_of_incident
                    WHERE o.incident_id = i.id AND o.channel = :channel AND o.hears_of_hand = 1)
                AND NOT EXISTS (
                    SELECT 1 FROM outbox o INDEXED BY outbox_of_incident
                    WHERE o.incident_id = i.id AND o.channel = :channel
                    AND o.type = 'incident.acknowledged' AND o.created_at >= a.at
                    AND o.state IN ('queued', 'leased', 'delivered'))
                ORDER BY i.opened_at, i.id
                """, arguments: ["channel": channel])
        for row in taken { try tellOfHand(try incident(row), channel: channel, at: now, database) }
    }

    /// The same behind a beginning that is told only now, as at the end of a silence, of what is in hand already.
    static func tellOfHand(behind beginning: OutboxDraft, _ database: Database) throws {
        var draft = beginning.owed(.always)
        draft.type = .acknowledged
        draft.messageKey = handKey(draft.incidentID, draft.channel, draft.createdAt)
        draft.supersedes = []
        try enqueue(draft, database)
    }

    private static func handKey(_ incidentID: String, _ channel: String, _ now: Date) -> String {
        let key = [incidentID, channel, EventType.acknowledged.rawValue, String(now.milliseconds)]
        return ContentHash(of: key.joined(separator: "\u{0}").utf8).hex
    }
}
