// The delivery log and pending counts, for the page, the API, metrics and commands. No decision reads them.

import Evidence
import Facts
import Foundation
import GRDB
import Monitoring

/// One line of the delivery log: the result of one message for one incident.
package struct DeliveryRecord: StoredRow, Equatable, Sendable {
    /// 0 before it is stored.
    package var id: Int64 = 0
    package let channel: String
    package let incidentID: String
    /// The incident, if the caller asked for it and the store still has it.
    package var incident: Incident?
    package let type: EventType
    package let reason: NotificationReason
    package let version: Int
    package let key: String
    /// When the loop finished the message.
    package var at: Date
    package let attempts: Int
    package let outcome: Outcome
    /// The HTTP status of the last answer; nil: no answer.
    package let status: Int?
    /// An error of the receiver or of the network, without secrets; at most 500 characters.
    package let error: String?

    private enum CodingKeys: String, CodingKey {
        case id, channel, type, reason, version, key, at, attempts, outcome, status, error
        case incidentID = "incident_id"
    }

    package enum Outcome: String, Codable, Sendable, CaseIterable {
        case delivered
        /// Several attempts got no answer. It counts as delivered, because the receiver may be slow.
        case unanswered
        /// The receiver refused this message, in its plain form too.
        case refused
        /// The message was no longer needed, or became too old.
        case abandoned
    }

    package init(
        channel: String, incidentID: String, type: EventType, reason: NotificationReason, version: Int, key: String,
        at: Date, attempts: Int, outcome: Outcome, status: Int? = nil, error: String? = nil
    ) {
        self.channel = channel
        self.incidentID = incidentID
        self.type = type
        self.reason = reason
        self.version = version
        self.key = key
        self.at = at
        self.attempts = attempts
        self.outcome = outcome
        self.status = status
        // The receiver's answer to a delivered message is not an error.
        self.error = outcome == .delivered ? nil : error.map { String($0.prefix(500)) }
    }
}

/// The number of pending notifications of a channel.
package struct PendingCount: Codable, Equatable, Sendable {
    package let channel: String
    package let count: Int
    /// The start of the longest pending one. For one in a message: the creation of the message.
    package let since: Date
    /// Why the channel waits; nil: for a group, for the next attempt of a message, or for its next turn.
    package let waits: Wait?

    package struct Wait: Codable, Equatable, Sendable {
        package enum Reason: String, Codable, Sendable {
            /// The receiver asked to wait.
            case throttled
            /// The receiver refuses the channel, or its messages.
            case refused
            /// Several attempts in a row failed.
            case failing
            /// An attempt failed. The next one is scheduled.
            case retry
        }

        package let reason: Reason
        package let until: Date

        package init(_ reason: Reason, until: Date) {
            self.reason = reason
            self.until = until
        }

        /// Follows a time: `until 13:33 UTC: the receiver asked to wait`.
        package var words: String {
            switch reason {
            case .throttled: "the receiver asked to wait"
            case .refused: "the receiver refuses messages; `deliveries retry` tries now"
            case .failing: "the channel fails; `deliveries retry` tries now"
            case .retry: "the last attempt failed"
            }
        }
    }

    package init(channel: String, count: Int, since: Date, waits: Wait? = nil) {
        self.channel = channel
        self.count = count
        self.since = since
        self.waits = waits
    }

    private enum Key: String, CodingKey { case channel, count, since, waits }

    /// Encodes nil as `null`, so that every key is present.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(channel, forKey: .channel)
        try container.encode(count, forKey: .count)
        try container.encode(since, forKey: .since)
        try container.encode(waits, forKey: .waits)
    }
}

/// A position in the delivery log, for paging.
package typealias DeliveryPlace = ListPlace<Int64>

extension DeliveryPlace {
    package init(_ record: DeliveryRecord) { (at, id) = (record.at.milliseconds, record.id) }
}

extension Store {
    /// A page of the delivery log, newest first.
    ///
    /// `channel`, `incident`, `domain`: nil for all. `incident` takes precedence over `domain`.
    /// `after`: only deliveries that follow this position.
    package func deliveries(
        channel: String? = nil, incident: String? = nil, domain: Domain? = nil, after: DeliveryPlace? = nil, limit: Int
    ) async throws -> [DeliveryRecord] {
        var conditions = ["TRUE"]
        var arguments: [String: any DatabaseValueConvertible] = ["limit": max(0, limit)]
        if let incident {
            conditions.append("incident_id = :incident")
            arguments["incident"] = incident
        } else if let domain {
            conditions.append("incident_id IN (SELECT id FROM incident WHERE domain = :domain)")
            arguments["domain"] = domain.name
        }
        if let channel {
            // A channel has many deliveries, an incident few: the unary plus keeps SQLite from using the former's index.
            conditions.append("\(conditions.count > 1 ? "+" : "")channel = :channel")
            arguments["channel"] = channel
        }
        if let after {
            conditions.append("(at, id) < (:at, :id)")
            (arguments["at"], arguments["id"]) = (after.at, after.id)
        }
        let sql = """
            SELECT * FROM delivery WHERE \(conditions.joined(separator: " AND ")) ORDER BY at DESC, id DESC LIMIT :limit
            """
        let bound = StatementArguments(arguments)
        return try await read { try DeliveryRecord.readable($0, cached: sql, bound) }
    }

    /// The same deliveries with `incident` filled in.
    package func named(_ records: [DeliveryRecord]) async throws -> [DeliveryRecord] {
        try await read { database in
            var incidents: [String: Incident] = [:]
            for id in Set(records.map(\.incidentID)) { incidents[id] = try IncidentRow.record(id, database)?.incident }
            return records.map { record in
                var named = record
                named.incident = incidents[record.incidentID]
                return named
            }
        }
    }

    /// Pending notifications by channel, including those in messages under way.
    ///
    /// `isConfigured`: whether the configuration has this channel. A removed channel has nothing to send. Omit it only
    /// if the caller has no configuration.
    package func pendingNotifications(
        of isConfigured: (String) -> Bool = { _ in true }
    ) async throws -> [PendingCount] {
        let now = now()
        return try await read { database in
            try Row.fetchAll(database, cached: Self.pendingCounts).map { row in
                let channel: String = row["channel"]
                return PendingCount(
                    channel: channel, count: row["count"], since: Date(milliseconds: row["since"]),
                    waits: try Self.wait(of: channel, now, database))
            }
        }.filter { isConfigured($0.channel) }
    }

    /// nil if neither a hold nor a retry delays the channel's next message.
    private static func wait(
        of channel: String, _ now: Date, _ database: Database
    ) throws -> PendingCount.Wait? {
        if let hold = try ChannelRecord.named(channel, database)?.hold, hold.until > now {
            let reason: PendingCount.Wait.Reason =
                switch hold.reason {
                case .throttled: .throttled
                case .refused: .refused
                case .failing: .failing
                }
            return PendingCount.Wait(reason, until: hold.until)
        }
        let retry = try Int64.fetchOne(database, cached: nextTry, arguments: [channel]).map(Date.init(milliseconds:))
        guard let retry, retry > now else { return nil }
        return PendingCount.Wait(.retry, until: retry)
    }

    static let nextTry = "SELECT min(retry_at) FROM message WHERE channel = ?"

    /// Each part reads a small table or index, because most rows of `notification` are old.
    static let pendingCounts = """
        SELECT channel, sum(count) AS count, min(since) AS since FROM (
            SELECT channel, count(*) AS count, min(pending_since) AS since FROM notification
            WHERE pending_since IS NOT NULL AND message_id IS NULL GROUP BY channel
            UNION ALL
            SELECT channel, sum(json_array_length(members)), min(created_at) FROM message GROUP BY channel)
        GROUP BY channel ORDER BY channel
        """
}

// MARK: - One message, for people

/// One attempt to send a message.
package struct DeliveryAttempt: Codable, Equatable, Sendable {
    package let at: Date
    /// One of `delivered`, `transient`, `throttled`, `message_refused`, `channel_refused`.
    package let outcome: String
    /// The HTTP status of the answer; nil: no answer.
    package let status: Int?
    /// An error of the receiver or of the network, without secrets; at most 500 characters.
    package let error: String?

    package init(at: Date, outcome: String, status: Int? = nil, error: String? = nil) {
        self.at = at
        self.outcome = outcome
        self.status = status
        self.error =
            outcome == DeliveryRecord.Outcome.delivered.rawValue ? nil : error.map { String($0.prefix(500)) }
    }
}

/// A message that is finished or under way.
package struct SentMessage: Equatable, Sendable {
    package let key: String
    package let channel: String
    /// The text of the message; nil if it is not kept, for example for a feed.
    package let text: String?
    /// One line per incident; empty while the message is under way.
    package let deliveries: [DeliveryRecord]
    /// Its incidents, if the store still has them.
    package let incidents: [Incident]
    /// Oldest first. The first one, and up to 50 of the latest.
    package let attempts: [DeliveryAttempt]
    /// The next attempt; nil: the message is finished.
    package let retryAt: Date?
}

extension SentMessage {
    /// Whether a text can name a message: the number of one of its deliveries, or at least eight characters of its key.
    package static func isName(_ text: String) -> Bool { number(text) != nil || isKey(text) }

    static func number(_ text: String) -> Int64? {
        text.isOfDigits ? Int64(text) : nil
    }

    static func isKey(_ text: String) -> Bool {
        text.utf8.count >= 8 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}

extension ChannelTransaction {
    /// The log keeps the first attempt of a message and this many of the latest.
    static let mostAttempts = 50

    /// Stores the text of a message.
    package func keep(text: String, of key: String, at now: Date) throws {
        try database.execute(
            cached: """
                INSERT INTO message_log (key, channel, at, text) VALUES (?, ?, ?, ?)
                ON CONFLICT (key) DO UPDATE SET channel = excluded.channel, at = excluded.at, text = excluded.text
                """, arguments: [key, channel, now.milliseconds, text])
    }

    /// Adds an attempt to the log.
    package func log(_ attempt: DeliveryAttempt, of key: String) throws {
        var attempts = try Row.fetchOne(database, cached: Store.logOfKey, arguments: [key]).map(Store.attempts) ?? []
        attempts.append(attempt)
        if attempts.count > 1 + Self.mostAttempts { attempts.remove(at: 1) }
        try database.execute(
            cached: """
                INSERT INTO message_log (key, channel, at, attempts) VALUES (?, ?, ?, ?)
                ON CONFLICT (key) DO UPDATE SET at = excluded.at, attempts = excluded.attempts
                """, arguments: [key, channel, attempt.at.milliseconds, try Stored.text(attempts)])
    }
}

extension Store {
    static func sentMessage(key: String, _ database: Database) throws -> SentMessage? {
        let deliveries = try DeliveryRecord.readable(database, cached: deliveriesOfKey, [key])
        let kept = try Row.fetchOne(database, cached: Self.logOfKey, arguments: [key])
        let underWay = try Row.fetchOne(database, cached: messageOfKey, arguments: [key])
        guard let channel: String = deliveries.first?.channel ?? kept?["channel"] ?? underWay?["channel"] else {
            return nil
        }
        let members =
            try underWay.map {
                try Stored.decode([MessageRecord.Member].self, text: $0["members"], what: "message").map(
                    \.incidentID)
            } ?? []
        var seen: Set<String> = []
        let ids = (deliveries.map(\.incidentID) + members).filter { seen.insert($0).inserted }
        return SentMessage(
            key: key, channel: channel, text: kept?["text"], deliveries: deliveries,
            incidents: try ids.compactMap { try IncidentRow.record($0, database)?.incident },
            attempts: kept.map(Self.attempts) ?? [], retryAt: underWay?.instant("retry_at"))
    }

    /// The attempts of a `message_log` row; empty if they cannot be read, because only people read them.
    static func attempts(_ row: Row) -> [DeliveryAttempt] {
        (try? Stored.decode([DeliveryAttempt].self, text: row["attempts"], what: "attempts")) ?? []
    }

    static let deliveriesOfKey = "SELECT * FROM delivery WHERE key = ? ORDER BY id"
    static let logOfKey = "SELECT channel, text, attempts FROM message_log WHERE key = ?"
    static let messageOfKey = "SELECT channel, retry_at, members FROM message WHERE key = ?"
}
