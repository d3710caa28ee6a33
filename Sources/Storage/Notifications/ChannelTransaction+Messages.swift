// Messages under way, and the log of finished messages.

import Evidence
import Foundation
import GRDB
import Monitoring

/// One message under way. Its bytes are frozen. The loop sends it again until the receiver answers clearly or the
/// message is no longer needed.
package struct MessageRecord: StoredRow, Equatable, Sendable {
    /// 0 before it is stored.
    package var id: Int64
    /// 64 hexadecimal characters, the same at every attempt.
    package let key: String
    package let reason: NotificationReason
    /// The kind of all its incidents.
    package let kind: IncidentKind
    /// The body that is sent, without secrets.
    package var body: Data
    /// What the bytes state about each incident, the most severe first.
    package var members: [Member]
    package let createdAt: Date
    /// Attempts so far, without throttled ones.
    package var attempts = 0
    package var retryAt: Date
    /// An attempt is under way or ended without a clear answer, so the receiver may have the message.
    package var isUnclear = false
    /// Attempts that were sent and got no answer.
    package var unanswered = 0
    /// The only recipient of this mail, after the mail server deferred it for that one; nil: all recipients.
    package var recipient: String?
    /// The body is in the plain form, because the receiver refused the full one.
    package var isPlain = false
    /// The same bytes are sent once more: to one deferred recipient, or because a pager may process a trigger late.
    package var isRepeat = false

    private enum CodingKeys: String, CodingKey {
        case id, key, reason, kind, body, members, attempts, unanswered, recipient
        case createdAt = "created_at"
        case retryAt = "retry_at"
        case isUnclear = "is_unclear"
        case isPlain = "is_plain"
        case isRepeat = "is_repeat"
    }

    package struct Member: Codable, Equatable, Sendable {
        package let incidentID: String
        package let version: Int
        package let state: Incident.State
        package var acknowledgedAt: Date? { acknowledged.map(Date.init(milliseconds:)) }
        /// In milliseconds, as instants are stored.
        private let acknowledged: Int64?

        private enum CodingKeys: String, CodingKey {
            case version, state
            case incidentID = "incident"
            case acknowledged = "acknowledged_at"
        }

        package init(incidentID: String, version: Int, state: Incident.State, acknowledgedAt: Date?) {
            self.incidentID = incidentID
            self.version = version
            self.state = state
            acknowledged = acknowledgedAt?.milliseconds
        }
    }

    package init(
        id: Int64 = 0, key: String, reason: NotificationReason, kind: IncidentKind, body: Data, members: [Member],
        createdAt: Date, retryAt: Date
    ) {
        self.id = id
        self.key = key
        self.reason = reason
        self.kind = kind
        self.body = body
        self.members = members
        self.createdAt = createdAt
        self.retryAt = retryAt
    }
}

extension MessageRecord {
    /// Reasons that do not state that an incident fires.
    static let ends = NotificationReason.allCases.filter { $0.type == .resolved || $0.type == .acknowledged }

    /// It was sent without a clear answer, so the receiver may know that an incident fires.
    package var mayHaveNotified: Bool { isUnclear && !Self.ends.contains(reason) }
}

extension ChannelTransaction {
    /// The messages under way, by their next attempt.
    package func messages() throws -> [MessageRecord] {
        try MessageRecord.readable(database, cached: Self.ofChannel, [channel])
    }

    static let ofChannel = "SELECT * FROM message WHERE channel = ? ORDER BY retry_at, id"

    /// The ids of messages that cannot be read, for example because a later version wrote them.
    package func unreadableMessages() throws -> [Int64] {
        try Row.fetchAll(database, cached: Self.ofChannel, arguments: [channel])
            .filter { (try? MessageRecord(row: $0)) == nil }.map { $0["id"] }
    }

    /// Deletes an unreadable message and releases its notifications. They count as maybe delivered.
    package func discard(_ message: Int64) throws {
        try database.execute(
            cached:
                "UPDATE notification SET message_id = NULL, maybe_delivered = 1 WHERE channel = ? AND message_id = ?",
            arguments: [channel, message])
        try database.execute(
            cached: "DELETE FROM message WHERE id = ? AND channel = ?", arguments: [message, channel])
    }

    /// Stores a message. Returns it with its id.
    package func insert(_ message: MessageRecord) throws -> MessageRecord {
        try message.upsert(into: "message", with: ["channel": channel], without: "id", database)
        var stored = message
        stored.id = database.lastInsertedRowID
        return stored
    }

    /// Writes the progress and the body of a message. Its members never change.
    package func update(_ message: MessageRecord) throws {
        try database.execute(
            cached: """
                UPDATE message SET attempts = ?, retry_at = ?, is_unclear = ?, unanswered = ?, is_plain = ?, is_repeat = ?,
                    body = ?
                WHERE id = ? AND channel = ?
                """,
            arguments: [
                message.attempts, message.retryAt.milliseconds, message.isUnclear, message.unanswered, message.isPlain,
                message.isRepeat, message.body, message.id, channel,
            ])
    }

    /// Deletes a message and releases its notifications, even those whose incident cannot be read.
    package func delete(_ message: MessageRecord) throws {
        for member in message.members {
            try database.execute(
                cached: Self.releasingMember, arguments: [channel, member.incidentID, message.id])
        }
        try database.execute(
            cached: "DELETE FROM message WHERE id = ? AND channel = ?", arguments: [message.id, channel])
    }

    static let releasingMember =
        "UPDATE notification SET message_id = NULL WHERE channel = ? AND incident_id = ? AND message_id = ?"

    /// Adds a line to the delivery log.
    package func log(_ delivery: DeliveryRecord) throws {
        try delivery.upsert(into: "delivery", without: "id", database)
    }
}
