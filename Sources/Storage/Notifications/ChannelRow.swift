import Foundation
import GRDB

/// All columns of `channel` are read and written here.
enum ChannelRow {
    static func record(_ name: String, _ database: Database) throws -> ChannelRecord? {
        try Row.fetchOne(database, cached: "SELECT * FROM channel WHERE name = ?", arguments: [name]).map(record)
    }

    static func record(_ row: Row) -> ChannelRecord {
        var record = ChannelRecord(name: row["name"], type: row["type"])
        record.seen = row["seen"]
        if let until = row.instant("hold_until") {
            record.hold = ChannelRecord.Hold(
                until: until, reason: ChannelRecord.Hold.Reason(rawValue: row["hold_reason"] ?? "") ?? .failing)
        }
        if let since = row.instant("trouble_since") {
            record.trouble = ChannelRecord.Trouble(
                state: ChannelRecord.Trouble.State(rawValue: row["trouble_state"] ?? "") ?? .degraded, since: since,
                error: row["trouble_error"])
        }
        record.failures = row["failures"]
        record.refusals = row["refusals"]
        record.refusedMessages = row["refused_messages"]
        record.throttledSince = row.instant("throttled_since")
        record.refusalsLiftedAt = row.instant("refusals_lifted_at")
        return record
    }

    private static let upserting = upsert(
        into: "channel", key: "name",
        columns: """
            type, seen, hold_until, hold_reason, trouble_state, trouble_since, trouble_error, failures, refusals,
            refused_messages, throttled_since, refusals_lifted_at
            """)

    static func save(_ record: ChannelRecord, _ database: Database) throws {
        try database.execute(
            cached: upserting,
            arguments: [
                record.name, record.type, record.seen, record.hold?.until.milliseconds, record.hold?.reason.rawValue,
                record.trouble?.state.rawValue, record.trouble?.since.milliseconds, record.trouble?.error,
                record.failures, record.refusals, record.refusedMessages, record.throttledSince?.milliseconds,
                record.refusalsLiftedAt?.milliseconds,
            ])
    }
}
