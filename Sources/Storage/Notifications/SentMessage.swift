// One message as people ask for it: what it said, whom it was about, and each attempt to send it. No decision reads these rows.

import Evidence
import Foundation
import GRDB
import Monitoring

/// One attempt to send a message.
package struct DeliveryAttempt: Equatable, Sendable {
    package let at: Date
    /// A fixed word: `delivered`, `transient`, `throttled`, `message_refused`, `channel_refused`.
    package let outcome: String
    /// The HTTP status of the answer, where one came.
    package let status: Int?
    /// Words of the receiver or of the network, without secrets; at most 500 characters.
    package let error: String?

    package init(at: Date, outcome: String, status: Int? = nil, error: String? = nil) {
        self.at = at
        self.outcome = outcome
        self.status = status
        self.error = error.map { String($0.prefix(500)) }
    }
}

/// A message that was sent, or is under way.
package struct SentMessage: Equatable, Sendable {
    package let key: String
    package let channel: String
    /// What it says; nil where that is not kept, as for a feed.
    package let text: String?
    /// What became of it, a line an incident; empty while it is under way.
    package let deliveries: [DeliveryRecord]
    /// What it is about, as far as the store still knows.
    package let incidents: [Incident]
    /// Oldest first. Of very many the first and the latest.
    package let attempts: [DeliveryAttempt]
    /// When it is tried next; nil: it is settled.
    package let retryAt: Date?

    package init(
        key: String, channel: String, text: String?, deliveries: [DeliveryRecord], incidents: [Incident],
        attempts: [DeliveryAttempt], retryAt: Date?
    ) {
        self.key = key
        self.channel = channel
        self.text = text
        self.deliveries = deliveries
        self.incidents = incidents
        self.attempts = attempts
        self.retryAt = retryAt
    }
}

extension SentMessage {
    /// Whether a text can name a message: the number of one of its deliveries, or the beginning of its key, at least eight
    /// characters of it.
    package static func isName(_ text: String) -> Bool { number(text) != nil || isKey(text) }

    fileprivate static func number(_ text: String) -> Int64? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(text) : nil
    }

    fileprivate static func isKey(_ text: String) -> Bool {
        text.utf8.count >= 8 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}

extension ChannelTransaction {
    /// Of the attempts of one message the first and so many of the latest are kept.
    static let mostAttempts = 50

    /// Keeps what a message says.
    package func keep(text: String, of key: String, at now: Date) throws {
        try database.execute(
            cached: "INSERT OR REPLACE INTO message_text (key, channel, at, text) VALUES (?, ?, ?, ?)",
            arguments: [key, channel, now.milliseconds, text])
    }

    /// Adds an attempt to the log.
    package func log(_ attempt: DeliveryAttempt, of key: String) throws {
        try database.execute(
            cached: "INSERT INTO delivery_attempt (key, at, outcome, status, error) VALUES (?, ?, ?, ?, ?)",
            arguments: [key, attempt.at.milliseconds, attempt.outcome, attempt.status, attempt.error])
        try database.execute(cached: Self.surplusAttempts, arguments: ["key": key, "kept": Self.mostAttempts])
    }

    static let surplusAttempts = """
        DELETE FROM delivery_attempt WHERE key = :key
        AND id > (SELECT min(id) FROM delivery_attempt WHERE key = :key)
        AND id <= (SELECT id FROM delivery_attempt WHERE key = :key ORDER BY id DESC LIMIT 1 OFFSET :kept)
        """
}

extension Store {
    /// One message whole; nil for an unknown name, and for the beginning of several keys.
    package func sentMessage(named name: String) async throws -> SentMessage? {
        try await read { database in
            guard let key = try Self.key(named: name, database) else { return nil }
            let deliveries = try Row.fetchAll(database, cached: Self.deliveriesOfKey, arguments: [key])
                .compactMap(Self.delivery)
            let kept = try Row.fetchOne(database, cached: Self.textOfKey, arguments: [key])
            let underWay = try Row.fetchOne(database, cached: Self.messageOfKey, arguments: [key])
            guard let channel: String = deliveries.first?.channel ?? kept?["channel"] ?? underWay?["channel"] else {
                return nil
            }
            let members: [String] =
                try underWay.map {
                    try String.fetchAll(
                        database, cached: Self.membersOfMessage, arguments: [$0["id"] as Int64])
                } ?? []
            var seen: Set<String> = []
            let ids = (deliveries.map(\.incidentID) + members).filter { seen.insert($0).inserted }
            return SentMessage(
                key: key, channel: channel, text: kept?["text"], deliveries: deliveries,
                incidents: try ids.compactMap { try IncidentRow.record($0, database)?.incident },
                attempts: try Row.fetchAll(database, cached: Self.attemptsOfKey, arguments: [key]).map { row in
                    DeliveryAttempt(
                        at: Date(milliseconds: row["at"]), outcome: row["outcome"], status: row["status"],
                        error: row["error"])
                }, retryAt: underWay?.instant("retry_at"))
        }
    }

    /// A number is that of a delivery first: what the list shows is meant more often than a key of digits alone.
    private static func key(named name: String, _ database: Database) throws -> String? {
        if let id = SentMessage.number(name),
            let key = try String.fetchOne(database, cached: keyOfDelivery, arguments: [id])
        {
            return key
        }
        guard SentMessage.isKey(name) else { return nil }
        let keys = try String.fetchAll(database, cached: keysByPrefix, arguments: ["prefix": name.lowercased()])
        return keys.count == 1 ? keys.first : nil
    }

    static let keyOfDelivery = "SELECT key FROM delivery WHERE id = ?"
    static let keysByPrefix = "SELECT key FROM message_text WHERE key >= :prefix AND key < :prefix || '~' LIMIT 2"
    static let deliveriesOfKey = "SELECT * FROM delivery WHERE key = ? ORDER BY id"
    static let attemptsOfKey = "SELECT * FROM delivery_attempt WHERE key = ? ORDER BY id"
    static let textOfKey = "SELECT channel, text FROM message_text WHERE key = ?"
    static let messageOfKey = "SELECT id, channel, retry_at FROM message WHERE key = ?"
    static let membersOfMessage = "SELECT incident_id FROM message_member WHERE message_id = ? ORDER BY position"
}
