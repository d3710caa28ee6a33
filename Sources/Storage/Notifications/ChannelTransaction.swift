// What one channel's loop reads and writes. The rules are in `decide` and in the loop; here are rows.

import Evidence
import Foundation
import GRDB
import Monitoring

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

    /// Confirmed and unresolved incidents of the fleet, oldest first.
    package func fleetIncidents() throws -> [IncidentRecord] {
        try IncidentRow.records(database, cached: Self.unresolvedOfFleet)
    }

    private static let fleetKinds = IncidentKind.allCases.filter(\.isOfFleet).map { "'\($0.rawValue)'" }

    static let unresolvedOfFleet = """
        \(IncidentRow.select) WHERE i.kind IN (\(fleetKinds.joined(separator: ", ")))
        AND \(IncidentRow.isUnresolved) ORDER BY i.opened_at, i.id
        """

    /// When the last incident of the fleet with one of these causes ended; nil where none fired and ended.
    package func lastEnd(of causes: [FleetCause]) throws -> Date? {
        try causes.compactMap { cause in
            try Int64.fetchOne(database, cached: Self.lastEnd, arguments: [cause.name]).map(Date.init(milliseconds:))
        }.max()
    }

    static let lastEnd = """
        SELECT resolved_at FROM incident WHERE cause = ? AND resolved_at > 0 AND version > 0 AND state = 'resolved'
        ORDER BY resolved_at DESC LIMIT 1
        """

    /// Whether any confirmed incident of the kind is unresolved.
    package func hasUnresolved(_ kind: IncidentKind) throws -> Bool {
        try Bool.fetchOne(database, cached: Self.anyUnresolved, arguments: [kind.rawValue]) == true
    }

    static let anyUnresolved = """
        SELECT EXISTS (SELECT 1 FROM incident i WHERE i.kind = ? AND \(IncidentRow.isUnresolved))
        """

    /// nil where none are stored, or they cannot be read.
    package func facts(_ id: String) throws -> IncidentFacts? { try IncidentRow.facts(id, database) }

    // MARK: - The channel

    package func record() throws -> ChannelRecord? { try ChannelRow.record(channel, database) }

    /// Writes the row of this channel.
    package func save(_ record: ChannelRecord) throws { try ChannelRow.save(record, database) }

    /// Deletes all that this channel knows and sends, since another channel has its name now. Its own row stays.
    package func forget() throws {
        try database.execute(cached: "DELETE FROM notification WHERE channel = ?", arguments: [channel])
        try database.execute(cached: "DELETE FROM message WHERE channel = ?", arguments: [channel])
        try database.execute(cached: "DELETE FROM notification_group WHERE channel = ?", arguments: [channel])
    }
}

extension Store {
    /// Runs what a channel's loop does in one transaction that may write. `body` may run twice, where the first time
    /// was rolled back, so it must have no other effect.
    package func transact<Value: Sendable>(
        channel: String, _ body: @escaping @Sendable (ChannelTransaction) throws -> Value
    ) async throws -> Value {
        try await write { try body(ChannelTransaction(channel: channel, database: $0)) }
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
            try Row.fetchAll(database, cached: "SELECT * FROM channel ORDER BY name").map(ChannelRow.record)
        }
    }

    /// Ends a channel's hold, unless the receiver asked for it, and lets it try again what it refused. Its loop does
    /// the rest. Returns the channel; nil for an unknown one.
    package func endHold(channel: String, now: Date) async throws -> ChannelRecord? {
        try await write { try Self.endHold(channel, now, $0) }
    }

    /// The same for a person who has mended something, and does not wait for `group_interval`; also returns how many
    /// notifications the channel still has to send.
    package func retry(channel: String, now: Date) async throws -> (record: ChannelRecord, pending: Int)? {
        let record = try await write { database in
            let record = try Self.endHold(channel, now, database)
            try database.execute(cached: Self.forgettingPace, arguments: [channel])
            return record
        }
        guard let record else { return nil }
        return (record, try await pendingNotifications().first { $0.channel == channel }?.count ?? 0)
    }

    private static func endHold(_ channel: String, _ now: Date, _ database: Database) throws -> ChannelRecord? {
        guard var record = try ChannelRow.record(channel, database) else { return nil }
        if record.hold?.reason != .throttled { record.hold = nil }
        record.refusalsLiftedAt = now
        try ChannelRow.save(record, database)
        return record
    }

    static let forgettingPace = "UPDATE notification_group SET last_at = NULL WHERE channel = ?"

    /// Incidents that the channel knows or may know as firing: what stays open there once the channel is removed.
    package func unendedNotifications(channel: String) async throws -> [IncidentRecord] {
        try await read { try IncidentRow.records($0, cached: Self.unended, [channel]) }
    }

    static let unended = """
        \(IncidentRow.select)
        WHERE i.id IN (SELECT incident_id FROM notification WHERE channel = ? AND (state = 'firing' OR may_know = 1))
        ORDER BY i.opened_at, i.id
        """
}
