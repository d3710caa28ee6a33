// The rows that a channel's loop reads and writes. The rules are in `decide` and in the loop.

import Evidence
import Foundation
import GRDB
import Monitoring

/// The state of a channel as a whole: a row of `channel`.
package struct ChannelRecord: StoredRow, Equatable, Sendable {
    package let name: String
    /// The type of the channel in the configuration, such as `slack`.
    package let type: String
    /// A hash of the destination of its messages. If the destination changes, the channel starts over.
    package let destination: String
    /// The change number of the last incident change that the loop has processed.
    package var cursor: Int64 = 0
    /// Sends nothing until a time, and why.
    package var hold: Hold?
    package var trouble: Trouble?
    /// Consecutive failed attempts.
    package var failures = 0
    /// Consecutive answers that refuse the channel (401, 403, 404, …). The pauses grow with them.
    package var refusals = 0
    /// Consecutive messages, each a different one, that the receiver refused (400, 413, 422).
    package var refusedMessages = 0
    /// The first of the consecutive answers that only ask to wait; nil: the last answer did not.
    package var throttledSince: Date?
    /// Refusals of messages before this time no longer count.
    package var refusalsLiftedAt: Date?

    private enum CodingKeys: String, CodingKey {
        case name, type, destination, cursor, hold, trouble, failures, refusals
        case refusedMessages = "refused_messages"
        case throttledSince = "throttled_since"
        case refusalsLiftedAt = "refusals_lifted_at"
    }

    package struct Hold: Codable, Equatable, Sendable {
        package enum Reason: String, Codable, Sendable {
            /// The receiver asked to wait.
            case throttled
            /// The receiver refuses the channel, or its messages.
            case refused
            /// Several attempts in a row failed.
            case failing
        }

        package let until: Date
        package let reason: Reason

        package init(until: Date, reason: Reason) {
            self.until = until
            self.reason = reason
        }
    }

    package struct Trouble: Codable, Equatable, Sendable {
        package enum State: String, Codable, Sendable {
            /// Attempts fail. The loop tries one message at a time.
            case degraded
            /// The receiver refuses the channel. Somebody has to fix it.
            case disabled
        }

        package var state: State
        package let since: Date
        /// The last error of the receiver or of the network, without secrets.
        package var error: String?

        package init(state: State, since: Date, error: String?) {
            self.state = state
            self.since = since
            self.error = error
        }
    }

    package init(name: String, type: String, destination: String = "") {
        self.name = name
        self.type = type
        self.destination = destination
    }
}

/// The tables of one channel within one transaction. Valid only inside the closure that receives it.
package struct ChannelTransaction {
    package let channel: String
    let database: Database

    // MARK: - Incidents

    /// The highest change number given so far; 0 before the first.
    package func latestChange() throws -> Int64 { try IncidentRow.latestChange(database) }

    package func incident(_ id: String) throws -> IncidentRecord? { try IncidentRow.record(id, database) }

    /// Confirmed incidents with a higher change number, in the order of their numbers.
    package func incidents(changedAfter change: Int64, limit: Int) throws -> [IncidentRecord] {
        try IncidentRow.records(database, cached: Self.changed, [change, limit])
    }

    static let changed = """
        \(IncidentRow.select) WHERE i.change > ? AND i.version > 0 ORDER BY i.change LIMIT ?
        """

    /// A page of the confirmed, unresolved incidents, by id. Starts after `id`; the empty string is the first page.
    package func unresolvedIncidents(after id: String, limit: Int) throws -> [IncidentRecord] {
        try IncidentRow.records(database, cached: Self.unresolved, [id, limit])
    }

    static let unresolved = """
        \(IncidentRow.select) WHERE i.id > ? AND \(IncidentRow.isUnresolved) ORDER BY i.id LIMIT ?
        """

    /// Confirmed, unresolved global incidents, oldest first.
    package func globalIncidents() throws -> [IncidentRecord] {
        try IncidentRow.records(.openGlobal, database).reversed()
    }

    /// The confirmed, unresolved incident of a domain and kind; nil: none.
    package func unresolvedIncident(_ kind: IncidentKind, of domain: Domain) throws -> IncidentRecord? {
        try IncidentRow.records(IncidentQuery(domain: domain, kind: kind, state: .open, limit: 1), database).first
    }

    /// When the last confirmed global incident with this cause resolved; nil: none did.
    package func lastEnd(of cause: GlobalCause) throws -> Date? {
        try Int64.fetchOne(database, cached: Self.lastEnd, arguments: [cause.rawValue]).map(Date.init(milliseconds:))
    }

    static let lastEnd = """
        SELECT resolved_at FROM incident WHERE cause = ? AND resolved_at > 0 AND version > 0 AND state = 'resolved'
        ORDER BY resolved_at DESC LIMIT 1
        """

    /// Whether a confirmed incident of the kind is unresolved.
    package func hasUnresolved(_ kind: IncidentKind) throws -> Bool {
        try Bool.fetchOne(database, cached: Self.anyUnresolved, arguments: [kind.rawValue]) == true
    }

    /// The number of unresolved incidents of a kind that the channel knows as firing.
    package func unresolvedCount(_ kind: IncidentKind) throws -> Int {
        try Int.fetchOne(database, cached: Self.countUnresolved, arguments: [channel, kind.rawValue]) ?? 0
    }

    static let countUnresolved = """
        SELECT COUNT(*) FROM incident i JOIN notification n ON n.incident_id = i.id AND n.channel = ?1
        WHERE i.kind = ?2 AND n.state = 'firing' AND \(IncidentRow.isUnresolved)
        """

    static let anyUnresolved = """
        SELECT EXISTS (SELECT 1 FROM incident i WHERE i.kind = ? AND \(IncidentRow.isUnresolved))
        """

    /// nil if there are none, or if they cannot be read.
    package func account(_ id: String) throws -> IncidentAccount? { try IncidentRow.account(id, database) }

    // MARK: - The channel

    package func record() throws -> ChannelRecord? { try ChannelRecord.named(channel, database) }

    package func save(_ record: ChannelRecord) throws { try record.save(database) }

    /// Deletes the channel with its notifications and messages, because its destination changed or it was removed.
    package func forget() throws {
        try database.execute(cached: "DELETE FROM channel WHERE name = ?", arguments: [channel])
        try database.execute(cached: "DELETE FROM notification WHERE channel = ?", arguments: [channel])
        try database.execute(cached: "DELETE FROM message WHERE channel = ?", arguments: [channel])
        try database.execute(cached: "DELETE FROM notification_group WHERE channel = ?", arguments: [channel])
    }
}

extension Store {
    /// Runs one write transaction of a channel's loop.
    /// `isDurable`: flushes to disk, with every commit before it. A message may be sent only after such a commit.
    package func transact<Value: Sendable>(
        channel: String, isDurable: Bool = false, _ body: @escaping @Sendable (ChannelTransaction) throws -> Value
    ) async throws -> Value {
        try await write(isDurable: isDurable) { try body(ChannelTransaction(channel: channel, database: $0)) }
    }

    /// Runs one read transaction of a channel's loop.
    package func inspect<Value: Sendable>(
        channel: String, _ body: @escaping @Sendable (ChannelTransaction) throws -> Value
    ) async throws -> Value {
        try await read { try body(ChannelTransaction(channel: channel, database: $0)) }
    }

    /// The highest change number given so far; 0 before the first.
    package func latestChange() async throws -> Int64 { try await read { try IncidentRow.latestChange($0) } }

    /// All channels with a row, by name.
    package func channelRecords() async throws -> [ChannelRecord] {
        try await read { database in
            try ChannelRecord.readable(database, cached: "SELECT * FROM channel ORDER BY name")
        }
    }

    /// Ends a channel's hold, unless the receiver asked to wait, and lets the channel send again what was refused.
    /// The loop does the rest. Returns the channel; nil if the store has no row for it.
    package func endHold(channel: String, now: Date) async throws -> ChannelRecord? {
        try await write { try Self.endHold(channel, now, $0) }
    }

    /// As `endHold`, for `deliveries retry`: also skips `group_interval` and the wait for the next attempt. Returns the
    /// channel, and how many of its notifications are pending.
    package func retry(channel: String, now: Date) async throws -> (record: ChannelRecord, pending: Int)? {
        let record = try await write(isDurable: true) { database in
            let record = try Self.endHold(channel, now, database)
            try database.execute(cached: Self.forgettingLastSent, arguments: [channel])
            try database.execute(cached: Self.retryingNow, arguments: ["now": now.milliseconds, "channel": channel])
            return record
        }
        guard let record else { return nil }
        return (record, try await pendingNotifications().first { $0.channel == channel }?.count ?? 0)
    }

    private static func endHold(_ channel: String, _ now: Date, _ database: Database) throws -> ChannelRecord? {
        guard var record = try ChannelRecord.named(channel, database) else { return nil }
        if record.hold?.reason != .throttled { record.hold = nil }
        record.refusalsLiftedAt = now
        try record.save(database)
        return record
    }

    static let retryingNow = "UPDATE message SET retry_at = :now WHERE channel = :channel AND retry_at > :now"
    static let forgettingLastSent = "UPDATE notification_group SET last_at = NULL WHERE channel = ?"

    /// Incidents that the channel knows or may know as firing. They stay open there if its destination changes.
    package func unendedNotifications(channel: String) async throws -> [IncidentRecord] {
        try await read { try IncidentRow.records($0, cached: Self.unended, [channel]) }
    }

    static let unended = """
        \(IncidentRow.select)
        WHERE i.id IN (
            SELECT incident_id FROM notification
            WHERE channel = ? AND (state = 'firing' OR maybe_delivered = 1 OR EXISTS (
                SELECT 1 FROM message m WHERE m.id = message_id AND m.is_unclear = 1)))
        ORDER BY i.opened_at, i.id
        """
}

extension ChannelRecord {
    static func named(_ name: String, _ database: Database) throws -> ChannelRecord? {
        try readable(database, cached: "SELECT * FROM channel WHERE name = ?", [name]).first
    }

    fileprivate func save(_ database: Database) throws { try upsert(into: "channel", key: ["name"], database) }
}
