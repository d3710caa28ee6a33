// The log of what was sent, and what is pending: for the page, the API, metrics and commands. No decision reads these.

import Evidence
import Facts
import Foundation
import GRDB
import Monitoring

/// One line of the log of what was sent. No decision reads it; the page, `history` and metrics do.
package struct DeliveryRecord: StoredRow, Equatable, Sendable {
    /// 0 before it is stored.
    package var id: Int64 = 0
    package let channel: String
    package let incidentID: String
    /// What it is about; nil where nobody asked, and where the store no longer knows.
    package var incident: Incident?
    package let type: EventType
    package let reason: NotificationReason
    package let version: Int
    package let key: String
    /// When it was settled.
    package var at: Date
    package let attempts: Int
    package let outcome: Outcome
    /// The HTTP status of the last answer, where one came.
    package let status: Int?
    /// Words of the receiver or of the network, without secrets; at most 500 characters.
    package let error: String?

    private enum CodingKeys: String, CodingKey {
        case id, channel, type, reason, version, key, at, attempts, outcome, status, error
        case incidentID = "incident_id"
    }

    package enum Outcome: String, Codable, Sendable, CaseIterable {
        case delivered
        /// It was sent a few times, and no answer came: it counts as delivered, since the receiver may be slow.
        case unanswered
        /// The receiver refused this very message, in its plainest form too.
        case refused
        /// Nobody needed it any more, or its time ran out.
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
        // What a receiver says to a message that it took is no error.
        self.error = outcome == .delivered ? nil : error.map { String($0.prefix(500)) }
    }
}

/// How many notifications of a channel are pending.
package struct PendingCount: Codable, Equatable, Sendable {
    package let channel: String
    package let count: Int
    /// Since when the oldest of them is pending; of one that is in a message, since when the message is under way.
    package let since: Date
    /// What they wait for; nil: for others of their kind, or for their turn, which comes within minutes.
    package let waits: Wait?

    package struct Wait: Codable, Equatable, Sendable {
        package enum Reason: String, Codable, Sendable {
            /// The receiver asked to wait.
            case throttled
            /// The receiver refuses us, or our messages.
            case refused
            /// The channel has failed for a while.
            case failing
            /// An attempt failed, and the next one is at its time.
            case retry
        }

        package let reason: Reason
        package let until: Date

        package init(_ reason: Reason, until: Date) {
            self.reason = reason
            self.until = until
        }

        /// `as the receiver asked`; to follow an instant.
        package var words: String {
            switch reason {
            case .throttled: "as the receiver asked"
            case .refused: "since the receiver refuses them; `deliveries retry` tries now"
            case .failing: "since the channel fails; `deliveries retry` tries now"
            case .retry: "after a try that failed"
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

    /// Every key is always there.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(channel, forKey: .channel)
        try container.encode(count, forKey: .count)
        try container.encode(since, forKey: .since)
        try container.encode(waits, forKey: .waits)
    }
}

/// Where a page of the log of deliveries ended.
package struct DeliveryPlace: Equatable, Sendable {
    fileprivate let at: Int64
    fileprivate let id: Int64

    package init(_ record: DeliveryRecord) {
        self.init(at: record.at.milliseconds, id: record.id)
    }

    fileprivate init(at: Int64, id: Int64) {
        self.at = at
        self.id = id
    }

    /// `1795244400000-42`, as `text` gives it.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let at = Int64(parts[0]), let id = Int64(parts[1]) else { return nil }
        self.init(at: at, id: id)
    }

    package var text: String { "\(at)-\(id)" }
}

extension Store {
    /// What was sent, newest first.
    ///
    /// `channel`, `incident`, `domain`: nil for all. An incident outranks a domain.
    /// `after`: only what comes after it in that order.
    package func deliveries(
        channel: String? = nil, incident: String? = nil, domain: Domain? = nil, after: DeliveryPlace? = nil, limit: Int
    ) async throws -> [DeliveryRecord] {
        let (condition, value): (String, String?) =
            if let incident {
                (Self.deliveriesOfIncident, incident)
            } else if let domain {
                (Self.deliveriesOfDomain, domain.name)
            } else {
                (channel == nil ? Self.deliveriesOfAll : Self.deliveriesOfChannel, nil)
            }
        // Before the newest that can be: so that there is one text for the first page and for all others.
        let place = after ?? DeliveryPlace(at: .max, id: .max)
        return try await read { database in
            var arguments: StatementArguments = [place.at, place.id, max(0, limit)]
            if let value {
                arguments = [channel, value] + arguments
            } else if let channel {
                arguments = [channel] + arguments
            }
            return try DeliveryRecord.readable(database, cached: condition, arguments)
        }
    }

    /// The same deliveries with their incidents.
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

    static let deliveriesOfAll = "SELECT * FROM delivery WHERE (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?"
    static let deliveriesOfChannel = """
        SELECT * FROM delivery WHERE channel = ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?
        """
    static let deliveriesOfIncident = """
        SELECT * FROM delivery WHERE coalesce(?, channel) = channel AND incident_id = ? AND (at, id) < (?, ?)
        ORDER BY at DESC, id DESC LIMIT ?
        """
    static let deliveriesOfDomain = """
        SELECT * FROM delivery WHERE coalesce(?, channel) = channel
        AND incident_id IN (SELECT id FROM incident WHERE domain = ?) AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?
        """

    /// Pending notifications by channel, those of messages under way included.
    ///
    /// `isConfigured`: whether a channel of this name is in the configuration: of a removed one nothing waits to be sent. Only
    /// those who know no configuration leave it out.
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

    /// nil where nothing that has an instant keeps the channel's next message back.
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

    /// Each part by a small table or index: most rows of `notification` say what a channel knows of the past.
    static let pendingCounts = """
        SELECT channel, sum(count) AS count, min(since) AS since FROM (
            SELECT channel, count(*) AS count, min(pending_since) AS since FROM notification
            WHERE pending_since IS NOT NULL AND message_id IS NULL GROUP BY channel
            UNION ALL
            SELECT channel, sum(json_array_length(members)), min(created_at) FROM message GROUP BY channel)
        GROUP BY channel ORDER BY channel
        """
}

// MARK: - One message as people ask for it

/// One attempt to send a message.
package struct DeliveryAttempt: Codable, Equatable, Sendable {
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
        self.error =
            outcome == DeliveryRecord.Outcome.delivered.rawValue ? nil : error.map { String($0.prefix(500)) }
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

    static func number(_ text: String) -> Int64? {
        text.isOfDigits ? Int64(text) : nil
    }

    static func isKey(_ text: String) -> Bool {
        text.utf8.count >= 8 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    }
}

extension ChannelTransaction {
    /// Of the attempts of one message the first and so many of the latest are kept.
    static let mostAttempts = 50

    /// Keeps what a message says.
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

    /// Of a row of `message_log`; none where they cannot be read, since they are for people alone.
    static func attempts(_ row: Row) -> [DeliveryAttempt] {
        (try? Stored.decode([DeliveryAttempt].self, text: row["attempts"], what: "attempts")) ?? []
    }

    static let deliveriesOfKey = "SELECT * FROM delivery WHERE key = ? ORDER BY id"
    static let logOfKey = "SELECT channel, text, attempts FROM message_log WHERE key = ?"
    static let messageOfKey = "SELECT channel, retry_at, members FROM message WHERE key = ?"
}
