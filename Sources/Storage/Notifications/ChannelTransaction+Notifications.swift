// What a channel knows of each incident, and what is pending.

import Evidence
import Foundation
import GRDB
import Monitoring

/// What one channel knows of one incident, and what is pending: a row of `notification`. Only that channel's loop
/// writes it.
package struct NotificationRecord: StoredRow, Equatable, Sendable {
    package let incidentID: String
    /// The state that the receiver last confirmed with a clear answer.
    package var state = State.nothing
    /// The incident version that the receiver knows; 0: none.
    package var version = 0
    /// The last delivered message about this incident; nil: none.
    package var notifiedAt: Date?
    /// A message that the incident fires had no clear answer, and no clear answer followed. The receiver may know.
    package var maybeDelivered = false
    /// The time of the acknowledgement that the receiver knows; nil: none.
    package var acknowledgedAt: Date?
    /// The version that the receiver refused, and when.
    package var refused: Refusal?
    /// The number of messages frozen for this incident; part of each message's key.
    package var count = 0
    /// The receiver's id of the incident's first message; nil if the receiver returns none.
    package var reference: String?

    /// The reason of the pending notification; nil: none.
    package var reason: NotificationReason?
    /// Since when `decide` has answered `send` without interruption; nil: it does not.
    package var pendingSince: Date?
    /// When to ask `decide` again even if nothing changes; nil: never.
    package var dueAt: Date?
    /// The message under way that contains this incident; nil: none.
    package var messageID: Int64?
    /// Whether notifications were suppressed when `decide` was last asked. Set for escalation steps only.
    package var isHeld = false
    /// When that suppression last ended; nil: never suppressed. Nobody could acknowledge before.
    package var releasedAt: Date?

    private enum CodingKeys: String, CodingKey {
        case state, version, refused, count, reference, reason
        case incidentID = "incident_id"
        case notifiedAt = "notified_at"
        case maybeDelivered = "maybe_delivered"
        case acknowledgedAt = "acknowledged_at"
        case pendingSince = "pending_since"
        case dueAt = "due_at"
        case messageID = "message_id"
        case isHeld = "is_held"
        case releasedAt = "released_at"
    }

    package enum State: String, Codable, Sendable, CaseIterable {
        case nothing, firing, resolved
    }

    package struct Refusal: Codable, Equatable, Sendable {
        package let version: Int
        package let at: Date

        package init(version: Int, at: Date) {
            self.version = version
            self.at = at
        }
    }

    package init(incidentID: String) { self.incidentID = incidentID }

    /// Whether the row can be deleted, because it equals a missing one.
    package var isEmpty: Bool { self == NotificationRecord(incidentID: incidentID) }
}

/// Notifications that may share a message: same channel, kind and reason.
package struct NotificationGroup: Hashable, Sendable {
    package let kind: IncidentKind
    package let reason: NotificationReason
}

/// The pending notifications of one group.
package struct PendingGroup: Equatable, Sendable {
    package let group: NotificationGroup
    /// The start of the longest pending one.
    package let since: Date
    package let count: Int
    /// The highest severity in the group.
    package let severity: Severity
    /// When the last message of this group was frozen; nil: none, or it had no room for all, and the rest must not
    /// wait.
    package let lastAt: Date?
}

extension ChannelTransaction {
    package func notification(_ incidentID: String) throws -> NotificationRecord? {
        try NotificationRecord.readable(
            database, cached: "SELECT * FROM notification WHERE channel = ? AND incident_id = ?", [channel, incidentID]
        ).first
    }

    /// By incident id.
    package func notifications(_ ids: [String]) throws -> [String: NotificationRecord] {
        // A JSON array keeps the SQL the same for any number of ids, so it is compiled once.
        let list = try Stored.text(ids)
        let records = try NotificationRecord.readable(database, cached: Self.listed, [channel, list])
        return Dictionary(records.map { ($0.incidentID, $0) }) { first, _ in first }
    }

    static let listed = """
        SELECT * FROM notification WHERE channel = ? AND incident_id IN (SELECT value FROM json_each(?))
        """

    /// Writes a notification, or deletes its row if the record is empty.
    package func save(_ record: NotificationRecord, of incident: Incident) throws {
        guard !record.isEmpty else {
            return try database.execute(
                cached: "DELETE FROM notification WHERE channel = ? AND incident_id = ?",
                arguments: [channel, record.incidentID])
        }
        try record.upsert(
            into: "notification", key: ["channel", "incident_id"],
            with: ["channel": channel, "kind": incident.kind.rawValue, "rank": Self.rank(incident.severity)], database)
    }

    /// Gives an incident a new change number, so that every channel's loop asks `decide` again.
    package func announce(_ incidentID: String) throws {
        try database.execute(
            cached: "UPDATE incident SET change = ? WHERE id = ?",
            arguments: [try IncidentRow.nextChange(database), incidentID])
    }

    /// The other channels whose receiver refused a version of an incident, by name, with the receiver's last error.
    package func refusals(of incidentID: String, version: Int) throws -> [(channel: String, words: String?)] {
        try Row.fetchAll(database, cached: Self.refusals, arguments: [incidentID, version, channel]).map {
            ($0["channel"], $0["words"])
        }
    }

    static let refusals = """
        SELECT n.channel, (
            SELECT coalesce(d.error, 'HTTP ' || d.status) FROM delivery d
            WHERE d.incident_id = n.incident_id AND d.channel = n.channel AND d.outcome = 'refused' ORDER BY d.id DESC LIMIT 1
        ) AS words FROM notification n INDEXED BY notification_of_incident
        WHERE n.incident_id = ? AND json_extract(n.refused, '$.version') = ? AND n.channel <> ? ORDER BY n.channel
        """

    /// Withdraws the pending notification of an unreadable incident. The loop asks again when the incident changes.
    package func setAside(_ record: NotificationRecord) throws {
        try database.execute(
            cached: "UPDATE notification SET pending_since = NULL, due_at = NULL WHERE channel = ? AND incident_id = ?",
            arguments: [channel, record.incidentID])
    }

    /// Notifications that are due for `decide`, the longest due first. Leaves out those in a message.
    package func due(by now: Date, limit: Int) throws -> [NotificationRecord] {
        try NotificationRecord.readable(database, cached: Self.dueBy, [channel, now.milliseconds, limit])
    }

    static let dueBy = """
        SELECT * FROM notification WHERE channel = ? AND due_at <= ? AND message_id IS NULL
        ORDER BY due_at, incident_id LIMIT ?
        """

    /// The next due time of a notification; nil: none.
    package func nextDue() throws -> Date? {
        try Int64.fetchOne(database, cached: Self.earliestDue, arguments: [channel]).map(Date.init(milliseconds:))
    }

    static let earliestDue = """
        SELECT min(due_at) FROM notification WHERE channel = ? AND due_at IS NOT NULL AND message_id IS NULL
        """

    /// A page of notifications that are pending, due, or in a message, by incident id. The empty string starts.
    package func openNotifications(after id: String, limit: Int) throws -> [NotificationRecord] {
        try NotificationRecord.readable(database, cached: Self.open, [channel, id, limit])
    }

    static let isOpen = "(n.pending_since IS NOT NULL OR n.due_at IS NOT NULL OR n.message_id IS NOT NULL)"

    /// Names the index, because SQLite would use the primary key and read everything that the channel ever knew.
    static let open = """
        SELECT * FROM notification n INDEXED BY notification_open WHERE channel = ? AND incident_id > ? AND \(isOpen)
        ORDER BY incident_id LIMIT ?
        """

    // MARK: - Groups

    /// Pending notifications without a message, by kind and reason.
    package func pendingGroups() throws -> [PendingGroup] {
        try Row.fetchAll(database, cached: Self.groups, arguments: [channel]).compactMap { row in
            guard let group = Self.group(row), let severity = Self.severity(row["severity"]) else { return nil }
            return PendingGroup(
                group: group, since: Date(milliseconds: row["since"]), count: row["count"], severity: severity,
                lastAt: row.instant("last_at"))
        }
    }

    private static let groupOfRow =
        "notification_group g WHERE g.channel = n.channel AND g.kind = n.kind AND g.reason = n.reason"

    static let groups = """
        SELECT n.kind, n.reason, min(n.pending_since) AS since, count(*) AS count, max(n.rank) AS severity,
            (SELECT last_at FROM \(groupOfRow)) AS last_at
        FROM notification n WHERE n.channel = ? AND n.pending_since IS NOT NULL AND n.message_id IS NULL
        GROUP BY n.kind, n.reason
        """

    /// The pending (unconfirmed) incidents of a kind.
    package func unconfirmed(_ kind: IncidentKind, limit: Int) throws -> [IncidentRecord] {
        try IncidentRow.records(database, cached: Self.unconfirmedOfKind, [kind.rawValue, limit])
    }

    static let unconfirmedOfKind = "\(IncidentRow.select) WHERE i.kind = ? AND i.state = 'pending' LIMIT ?"

    /// The notifications of a group, the most severe first, then the longest pending.
    package func pending(_ group: NotificationGroup, limit: Int) throws -> [NotificationRecord] {
        try NotificationRecord.readable(
            database, cached: Self.members, [channel, group.kind.rawValue, group.reason.rawValue, limit])
    }

    static let members = """
        SELECT * FROM notification
        WHERE channel = ? AND kind = ? AND reason = ? AND pending_since IS NOT NULL AND message_id IS NULL
        ORDER BY rank DESC, pending_since, incident_id LIMIT ?
        """

    /// Records the time of the group's last message. `lastAt`: as in `PendingGroup`.
    package func pace(_ group: NotificationGroup, lastAt: Date?) throws {
        try database.upsert(
            [
                "channel": channel, "kind": group.kind.rawValue, "reason": group.reason.rawValue,
                "last_at": lastAt?.milliseconds,
            ], into: "notification_group", key: ["channel", "kind", "reason"])
    }

    // MARK: - Rows

    /// The stored number of a severity is its index here.
    private static let ranks: [Severity] = [.note, .warning, .error]

    private static func rank(_ severity: Severity) -> Int { ranks.firstIndex(of: severity) ?? 0 }
    private static func severity(_ rank: Int) -> Severity? { ranks.indices.contains(rank) ? ranks[rank] : nil }

    private static func group(_ row: Row) -> NotificationGroup? {
        guard let kind = IncidentKind(rawValue: row["kind"]),
            let reason = (row["reason"] as String?).flatMap(NotificationReason.init(rawValue:))
        else { return nil }
        return NotificationGroup(kind: kind, reason: reason)
    }
}
