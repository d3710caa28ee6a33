// The log of what was sent, and what is pending: for the page, the API, metrics and commands. No decision reads these.

import Evidence
import Foundation
import GRDB
import Monitoring

/// How many notifications of a channel are pending.
package struct PendingCount: Codable, Equatable, Sendable {
    package let channel: String
    package let count: Int
    /// Since when the oldest of them is pending; of one that is in a message, since when the message is under way.
    package let since: Date

    package init(channel: String, count: Int, since: Date) {
        self.channel = channel
        self.count = count
        self.since = since
    }
}

extension Store {
    /// What was sent, newest first.
    ///
    /// `channel`, `incident`, `domain`: nil for all. An incident outranks a domain.
    package func deliveries(
        channel: String? = nil, incident: String? = nil, domain: Domain? = nil, limit: Int
    ) async throws -> [DeliveryRecord] {
        let (condition, value): (String, String?) =
            if let incident {
                (Self.deliveriesOfIncident, incident)
            } else if let domain {
                (Self.deliveriesOfDomain, domain.name)
            } else {
                (channel == nil ? Self.deliveriesOfAll : Self.deliveriesOfChannel, nil)
            }
        return try await read { database in
            var arguments: StatementArguments = [max(0, limit)]
            if let channel { arguments = [channel] + arguments }
            if let value { arguments = [channel, value] + [max(0, limit)] }
            return try Row.fetchAll(database, cached: condition, arguments: arguments).compactMap(Self.delivery)
        }
    }

    /// The same deliveries with their incidents.
    package func named(_ records: [DeliveryRecord]) async throws -> [DeliveryRecord] {
        var incidents: [String: Incident] = [:]
        for id in Set(records.map(\.incidentID)) { incidents[id] = try await incident(id: id) }
        return records.map { record in
            var named = record
            named.incident = incidents[record.incidentID]
            return named
        }
    }

    static let deliveriesOfAll = "SELECT * FROM delivery ORDER BY at DESC, id DESC LIMIT ?"
    static let deliveriesOfChannel = "SELECT * FROM delivery WHERE channel = ? ORDER BY at DESC, id DESC LIMIT ?"
    static let deliveriesOfIncident = """
        SELECT * FROM delivery WHERE coalesce(?, channel) = channel AND incident_id = ?
        ORDER BY at DESC, id DESC LIMIT ?
        """
    static let deliveriesOfDomain = """
        SELECT * FROM delivery WHERE coalesce(?, channel) = channel
        AND incident_id IN (SELECT id FROM incident WHERE domain = ?) ORDER BY at DESC, id DESC LIMIT ?
        """

    /// Pending notifications by channel, those of messages under way included.
    package func pendingNotifications() async throws -> [PendingCount] {
        try await read { database in
            try Row.fetchAll(database, cached: Self.pendingCounts).map { row in
                PendingCount(
                    channel: row["channel"], count: row["count"], since: Date(milliseconds: row["since"]))
            }
        }
    }

    /// Each part by a small table or index: most rows of `notification` say what a channel knows of the past.
    static let pendingCounts = """
        SELECT channel, sum(count) AS count, min(since) AS since FROM (
            SELECT channel, count(*) AS count, min(pending_since) AS since FROM notification
            WHERE pending_since IS NOT NULL AND message_id IS NULL GROUP BY channel
            UNION ALL
            SELECT s.channel, count(*), min(s.created_at) FROM message s
            JOIN message_member m ON m.message_id = s.id GROUP BY s.channel)
        GROUP BY channel ORDER BY channel
        """

    static func delivery(_ row: Row) -> DeliveryRecord? {
        guard let type = EventType(rawValue: row["type"]), let reason = NotificationReason(rawValue: row["reason"]),
            let outcome = DeliveryRecord.Outcome(rawValue: row["outcome"])
        else { return nil }
        var record = DeliveryRecord(
            channel: row["channel"], incidentID: row["incident_id"], type: type, reason: reason,
            version: row["version"], key: row["key"], at: Date(milliseconds: row["at"]), attempts: row["attempts"],
            outcome: outcome, status: row["status"], error: row["error"])
        record.id = row["id"]
        return record
    }
}
