// What one channel's loop reads and writes. The rules are in `decide` and in the loop; here are rows.

import Evidence
import Foundation
import GRDB
import Monitoring

/// What is known of a channel as a whole: a row of `channel`.
package struct ChannelRecord: StoredRow, Equatable, Sendable {
    package let name: String
    /// As the configuration names it.
    package let type: String
    /// Where its messages go, as a hash. Another destination under the same name begins anew.
    package let destination: String
    /// The last change of an incident that the channel has looked at.
    package var cursor: Int64 = 0
    /// Until when nothing is sent, and why.
    package var hold: Hold?
    package var trouble: Trouble?
    /// Attempts in a row that failed.
    package var failures = 0
    /// Refusals of us in a row (401, 403, 404, …); the pauses grow with them.
    package var refusals = 0
    /// Different messages in a row that were refused as such (400, 413, 422).
    package var refusedMessages = 0
    /// Since when it only asks to wait; nil where it does not.
    package var throttledSince: Date?
    /// Refusals of messages from before this instant do not count any more.
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
            /// It refuses us, or our messages.
            case refused
            /// It has failed for a while.
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
            /// Attempts fail; one message at a time is tried.
            case degraded
            /// It refuses us; something has to be repaired.
            case disabled
        }

        package var state: State
        package let since: Date
        /// The last words of the receiver or of the network, without secrets.
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

/// The tables of one channel, within one transaction.
///
/// It is valid within the closure that gets it.
package struct ChannelTransaction {
    package let channel: String
    let database: Database

    // MARK: - Incidents

    /// The highest number that a change of an incident has; 0 before the first.
    package func latestChange() throws -> Int64 { try IncidentRow.latestChange(database) }

    package func incident(_ id: String) throws -> IncidentRecord? { try IncidentRow.record(id, database) }

    /// Confirmed incidents that changed after a number, by their numbers.
    package func incidents(changedAfter change: Int64, limit: Int) throws -> [IncidentRecord] {
        try IncidentRow.records(database, cached: Self.changed, [change, limit])
    }

    static let changed = """
        \(IncidentRow.select) WHERE i.change > ? AND i.version > 0 ORDER BY i.change LIMIT ?
        """

    /// Confirmed and unresolved incidents by id, from behind `id` on; the empty string begins.
    package func unresolvedIncidents(after id: String, limit: Int) throws -> [IncidentRecord] {
        try IncidentRow.records(database, cached: Self.unresolved, [id, limit])
    }

    static let unresolved = """
        \(IncidentRow.select) WHERE i.id > ? AND \(IncidentRow.isUnresolved) ORDER BY i.id LIMIT ?
        """

    /// Confirmed and unresolved global incidents, oldest first.
    package func globalIncidents() throws -> [IncidentRecord] {
        try IncidentRow.records(.openGlobal, database).reversed()
    }

    /// The confirmed and unresolved incident of a kind that a domain has; nil: none.
    package func unresolvedIncident(_ kind: IncidentKind, of domain: Domain) throws -> IncidentRecord? {
        try IncidentRow.records(database, cached: Self.unresolvedOfDomain, [domain.name, kind.rawValue]).last
    }

    static let unresolvedOfDomain = """
        \(IncidentRow.select) WHERE i.domain = ? AND i.kind = ? AND \(IncidentRow.isUnresolved) ORDER BY i.opened_at
        """

    /// When the last global incident with this cause ended; nil where none fired and ended.
    package func lastEnd(of cause: GlobalCause) throws -> Date? {
        try Int64.fetchOne(database, cached: Self.lastEnd, arguments: [cause.rawValue]).map(Date.init(milliseconds:))
    }

    static let lastEnd = """
        SELECT resolved_at FROM incident WHERE cause = ? AND resolved_at > 0 AND version > 0 AND state = 'resolved'
        ORDER BY resolved_at DESC LIMIT 1
        """

    /// Whether any confirmed incident of the kind is unresolved.
    package func hasUnresolved(_ kind: IncidentKind) throws -> Bool {
        try Bool.fetchOne(database, cached: Self.anyUnresolved, arguments: [kind.rawValue]) == true
    }

    /// How many incidents of a kind go on that the channel knows as firing.
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

    /// nil where none are stored, or they cannot be read.
    package func facts(_ id: String) throws -> IncidentFacts? { try IncidentRow.facts(id, database) }

    // MARK: - The channel

    package func record() throws -> ChannelRecord? { try ChannelRecord.named(channel, database) }

    /// Writes the row of this channel.
    package func save(_ record: ChannelRecord) throws { try record.save(database) }

    /// Deletes all that this channel knows and sends, and the channel: its messages go elsewhere now, or nowhere.
    package func forget() throws {
        try database.execute(cached: "DELETE FROM channel WHERE name = ?", arguments: [channel])
        try database.execute(cached: "DELETE FROM notification WHERE channel = ?", arguments: [channel])
        try database.execute(cached: "DELETE FROM message WHERE channel = ?", arguments: [channel])
        try database.execute(cached: "DELETE FROM notification_group WHERE channel = ?", arguments: [channel])
    }
}

extension Store {
    /// Runs what a channel's loop does in one transaction that may write.
    /// `isDurable`: a power failure does not undo it, nor anything before it. Behind it a message may leave.
    package func transact<Value: Sendable>(
        channel: String, isDurable: Bool = false, _ body: @escaping @Sendable (ChannelTransaction) throws -> Value
    ) async throws -> Value {
        try await write(isDurable: isDurable) { try body(ChannelTransaction(channel: channel, database: $0)) }
    }

    /// The same for reading.
    package func inspect<Value: Sendable>(
        channel: String, _ body: @escaping @Sendable (ChannelTransaction) throws -> Value
    ) async throws -> Value {
        try await read { try body(ChannelTransaction(channel: channel, database: $0)) }
    }

    /// The highest number that a change of an incident has; 0 before the first.
    package func latestChange() async throws -> Int64 { try await read { try IncidentRow.latestChange($0) } }

    /// All channels that ever had a loop, by name.
    package func channelRecords() async throws -> [ChannelRecord] {
        try await read { database in
            try ChannelRecord.readable(database, cached: "SELECT * FROM channel ORDER BY name")
        }
    }

    /// Ends a channel's hold, unless the receiver asked for it, and lets it try again what it refused. Its loop does
    /// the rest. Returns the channel; nil for an unknown one.
    package func endHold(channel: String, now: Date) async throws -> ChannelRecord? {
        try await write { try Self.endHold(channel, now, $0) }
    }

    /// The same for a person who has mended something, and waits neither for `group_interval` nor for the next attempt of a
    /// message; also returns how many notifications the channel still has to send.
    package func retry(channel: String, now: Date) async throws -> (record: ChannelRecord, pending: Int)? {
        let record = try await write { database in
            let record = try Self.endHold(channel, now, database)
            try database.execute(cached: Self.forgettingPace, arguments: [channel])
            try database.execute(cached: Self.hastening, arguments: ["now": now.milliseconds, "channel": channel])
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

    static let hastening = "UPDATE message SET retry_at = :now WHERE channel = :channel AND retry_at > :now"
    static let forgettingPace = "UPDATE notification_group SET last_at = NULL WHERE channel = ?"

    /// Incidents that the channel knows or may know as firing: what stays open there once its messages go elsewhere.
    package func unendedNotifications(channel: String) async throws -> [IncidentRecord] {
        try await read { try IncidentRow.records($0, cached: Self.unended, [channel]) }
    }

    static let unended = """
        \(IncidentRow.select)
        WHERE i.id IN (
            SELECT incident_id FROM notification
            WHERE channel = ? AND (state = 'firing' OR maybe_delivered = 1))
        ORDER BY i.opened_at, i.id
        """
}

extension ChannelRecord {
    static func named(_ name: String, _ database: Database) throws -> ChannelRecord? {
        try fetchOne(database.cachedStatement(sql: "SELECT * FROM channel WHERE name = ?"), arguments: [name])
    }

    fileprivate func save(_ database: Database) throws { try upsert(into: "channel", key: ["name"], database) }
}
