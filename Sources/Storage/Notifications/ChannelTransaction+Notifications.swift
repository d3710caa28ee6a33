// What the channel knows of each incident, and what is pending.

import Evidence
import Foundation
import GRDB
import Monitoring

/// What one channel knows of one incident, and what is pending there. A row of `notification`, written by that channel's
/// loop and by nobody else.
package struct NotificationRecord: StoredRow, Equatable, Sendable {
    package let incidentID: String
    /// What the receiver acknowledged last, by a clear answer.
    package var state = State.nothing
    /// The version that it knows; 0 where it knows nothing.
    package var version = 0
    /// When it last took a message about this incident; nil: never.
    package var notifiedAt: Date?
    /// An attempt to tell it of the trouble had no clear answer, and nothing clear came since: it may know.
    package var maybeDelivered = false
    /// The acknowledgement that it knows, by its instant; nil: none.
    package var acknowledgedAt: Date?
    /// The version that it refused as a message, and when.
    package var refused: Refusal?
    /// How many messages were frozen for it; part of each message's key.
    package var count = 0
    /// What the receiver calls the incident's first message; nil where it gives no name.
    package var reference: String?

    /// Why something is pending; nil: nothing is.
    package var reason: NotificationReason?
    /// Since when `decide` has answered `send` without a break; nil where it does not.
    package var pendingSince: Date?
    /// When `decide` is to be asked again though nothing changes; nil: never.
    package var dueAt: Date?
    /// The message under way that speaks for it; nil: none.
    package var messageID: Int64?
    /// Whether something suppressed notifications at the last look.
    package var isHeld = false
    /// When that last ended: nobody could have acknowledged before; nil: nothing ever did.
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

    /// Whether the row says nothing that a missing row would not say.
    package var isEmpty: Bool { self == NotificationRecord(incidentID: incidentID) }
}

/// Notifications that may share a message: those of one channel with one kind and reason.
package struct NotificationGroup: Hashable, Sendable {
    package let kind: IncidentKind
    package let reason: NotificationReason

    package init(kind: IncidentKind, reason: NotificationReason) {
        self.kind = kind
        self.reason = reason
    }
}

/// What waits in a group.
package struct PendingGroup: Equatable, Sendable {
    package let group: NotificationGroup
    /// Since when the first of them is pending.
    package let since: Date
    package let count: Int
    /// The most severe of them.
    package let severity: Severity
    /// When the last message of this group was frozen for the channel; nil: never, or it had no room for all, and the rest need not
    /// wait.
    package let lastAt: Date?
}

extension ChannelTransaction {
    package func notification(_ incidentID: String) throws -> NotificationRecord? {
        try NotificationRecord.readable(
            database, cached: "SELECT * FROM notification WHERE channel = ? AND incident_id = ?", [channel, incidentID]
        ).first
    }

    /// By the ids of their incidents.
    package func notifications(_ ids: [String]) throws -> [String: NotificationRecord] {
        // One text for any number of ids, so that it is compiled once.
        let list = try Stored.text(ids)
        let records = try NotificationRecord.readable(database, cached: Self.listed, [channel, list])
        return Dictionary(records.map { ($0.incidentID, $0) }) { first, _ in first }
    }

    static let listed = """
        SELECT * FROM notification WHERE channel = ? AND incident_id IN (SELECT value FROM json_each(?))
        """

    /// Writes what the channel knows of an incident; a record that says nothing is deleted.
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

    /// Lets every channel look at an incident again.
    package func announce(_ incidentID: String) throws {
        try database.execute(
            cached: "UPDATE incident SET change = ? WHERE id = ?",
            arguments: [try IncidentRow.nextChange(database), incidentID])
    }

    /// The other channels that refused a version of an incident as a message, by name, each with the receiver's last words.
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

    /// Withdraws what is pending about an incident that cannot be read. It is not evaluated again until it changes.
    package func setAside(_ record: NotificationRecord) throws {
        try database.execute(
            cached: "UPDATE notification SET pending_since = NULL, due_at = NULL WHERE channel = ? AND incident_id = ?",
            arguments: [channel, record.incidentID])
    }

    /// Notifications that `decide` is to be asked about again by now, the longest due first; none with a message under
    /// way.
    package func due(by now: Date, limit: Int) throws -> [NotificationRecord] {
        try NotificationRecord.readable(database, cached: Self.dueBy, [channel, now.milliseconds, limit])
    }

    static let dueBy = """
        SELECT * FROM notification WHERE channel = ? AND due_at <= ? AND message_id IS NULL
        ORDER BY due_at, incident_id LIMIT ?
        """

    /// When the next of them is due; nil: none.
    package func nextDue() throws -> Date? {
        try Int64.fetchOne(database, cached: Self.earliestDue, arguments: [channel]).map(Date.init(milliseconds:))
    }

    static let earliestDue = """
        SELECT min(due_at) FROM notification WHERE channel = ? AND due_at IS NOT NULL AND message_id IS NULL
        """

    /// Notifications that are pending, due, or in a message, by incident, from behind `id` on; the empty string begins.
    package func openNotifications(after id: String, limit: Int) throws -> [NotificationRecord] {
        try NotificationRecord.readable(database, cached: Self.open, [channel, id, limit])
    }

    static let isOpen = "(n.pending_since IS NOT NULL OR n.due_at IS NOT NULL OR n.message_id IS NOT NULL)"

    /// The index is named since SQLite prefers the key, behind which is all that the channel ever knew.
    static let open = """
        SELECT * FROM notification n INDEXED BY notification_open WHERE channel = ? AND incident_id > ? AND \(isOpen)
        ORDER BY incident_id LIMIT ?
        """

    // MARK: - Groups

    /// What is pending and in no message yet, by kind and reason.
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

    /// The incidents of a kind that were seen, and are not confirmed yet.
    package func unconfirmed(_ kind: IncidentKind, limit: Int) throws -> [IncidentRecord] {
        try IncidentRow.records(database, cached: Self.unconfirmedOfKind, [kind.rawValue, limit])
    }

    static let unconfirmedOfKind = "\(IncidentRow.select) WHERE i.kind = ? AND i.state = 'pending' LIMIT ?"

    /// The members of a group, the most severe first, of these the longest pending.
    package func pending(_ group: NotificationGroup, limit: Int) throws -> [NotificationRecord] {
        try NotificationRecord.readable(
            database, cached: Self.members, [channel, group.kind.rawValue, group.reason.rawValue, limit])
    }

    static let members = """
        SELECT * FROM notification
        WHERE channel = ? AND kind = ? AND reason = ? AND pending_since IS NOT NULL AND message_id IS NULL
        ORDER BY rank DESC, pending_since, incident_id LIMIT ?
        """

    /// Writes down what the next message of the group has to keep to; the parameter is that of `PendingGroup`.
    package func pace(_ group: NotificationGroup, lastAt: Date?) throws {
        try database.upsert(
            [
                "channel": channel, "kind": group.kind.rawValue, "reason": group.reason.rawValue,
                "last_at": lastAt?.milliseconds,
            ], into: "notification_group", key: ["channel", "kind", "reason"])
    }

    // MARK: - Rows

    /// The stored number of a severity is its place here.
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
