// The outbox: claim, send, mark. Claiming before sending and marking after it is "at least once": a message whose answer
// was never read goes out again, under the same key and with the same bytes.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Puts messages into the outbox by themselves, such as a test message or what a new channel is told.
    package func enqueue(_ drafts: [OutboxDraft]) async throws {
        try await write { database in
            for draft in drafts { try Self.enqueue(draft, database) }
        }
    }

    /// Takes the next due message of a channel: the most severe first, then the oldest, and never one before an earlier
    /// open message of the same incident.
    ///
    /// `owner`: the process; the marks below only work for the owner of the lease.
    /// `lease`: after this the message is free again, as its sender must have died.
    /// Returns nil where nothing is due or the channel is held.
    package func claim(channel: String, owner: String, now: Date, lease: Duration) async throws -> OutboxRow? {
        let instant = now.milliseconds
        return try await write { database in
            let held = try Bool.fetchOne(
                database, sql: "SELECT held_until > ? FROM channel WHERE name = ?", arguments: [instant, channel])
            if held == true { return nil }
            let id = try Int64.fetchOne(
                database, sql: Self.nextClaim, arguments: ["channel": channel, "now": instant])
            guard let id else { return nil }
            try database.execute(
                sql: "UPDATE outbox SET state = 'leased', lease_owner = ?, lease_until = ? WHERE id = ?",
                arguments: [owner, (now + lease.timeInterval).milliseconds, id])
            return try Row.fetchOne(database, sql: "SELECT * FROM outbox WHERE id = ?", arguments: [id])
                .map(OutboxRow.init)
        }
    }

    /// True of the open row `o` that has no earlier open one of its channel and incident.
    static let isFirst = """
        NOT EXISTS (
            SELECT 1 FROM outbox e
            WHERE e.channel = o.channel AND e.incident_id = o.incident_id AND e.state IN ('queued', 'leased')
            AND (e.sequence < o.sequence OR e.sequence = o.sequence AND e.id < o.id))
        """

    static let nextClaim = """
        SELECT o.id FROM outbox o
        WHERE o.channel = :channel AND o.state IN ('queued', 'leased')
        AND (o.state = 'queued' AND o.not_before <= :now OR o.state = 'leased' AND o.lease_until <= :now)
        AND \(isFirst)
        ORDER BY o.severity DESC, o.created_at, o.id LIMIT 1
        """

    /// Keeps the bytes of the first attempt, before it is made. Bytes already there stay.
    /// Returns the bytes to send, or nil where the lease is no longer ours.
    package func freeze(_ row: OutboxRow, owner: String, bytes: Data) async throws -> Data? {
        try await write { database in
            try database.execute(
                sql: "UPDATE outbox SET frozen = coalesce(frozen, ?) WHERE \(Self.ours)",
                arguments: [bytes, row.id, owner])
            return try Data.fetchOne(
                database, sql: "SELECT frozen FROM outbox WHERE \(Self.ours)", arguments: [row.id, owner])
        }
    }

    /// Puts other bytes in the place of refused ones: the receiver never accepted those, so the key may carry new ones.
    package func replaceFrozen(_ row: OutboxRow, owner: String, bytes: Data) async throws {
        try await write { database in
            try database.execute(
                sql: "UPDATE outbox SET frozen = ? WHERE \(Self.ours)", arguments: [bytes, row.id, owner])
        }
    }

    /// Says that the receiver has it.
    package func markDelivered(_ row: OutboxRow, owner: String, now: Date, status: Int?) async throws {
        try await settle(row, owner, .delivered, now, Attempt(class: "delivered", status: status, error: nil))
    }

    /// Says that the receiver refused this very message for good.
    package func markDead(_ row: OutboxRow, owner: String, now: Date, attempt: Attempt) async throws {
        try await settle(row, owner, .dead, now, attempt)
    }

    /// Puts the message back until `notBefore`.
    /// `counted`: false for a receiver that only asked to wait.
    package func markRetry(_ row: OutboxRow, owner: String, notBefore: Date, counted: Bool, attempt: Attempt)
        async throws
    {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE outbox SET state = 'queued', lease_owner = NULL, lease_until = NULL, not_before = ?,
                    attempts = attempts + ?, last_class = ?, last_status = ?, last_error = ? WHERE \(Self.ours)
                    """,
                arguments: [
                    notBefore.milliseconds, counted ? 1 : 0, attempt.class, attempt.status, attempt.error, row.id,
                    owner,
                ])
        }
    }

    /// Gives a lease back untouched, as when the process is about to end before the message went out.
    package func release(_ row: OutboxRow, owner: String) async throws {
        try await write { database in
            try database.execute(
                sql: "UPDATE outbox SET state = 'queued', lease_owner = NULL, lease_until = NULL WHERE \(Self.ours)",
                arguments: [row.id, owner])
        }
    }

    /// Frees the leases of former processes: the exclusive lock says that they are gone. Once, at start.
    package func releaseLeases(except owner: String) async throws {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE outbox SET state = 'queued', lease_owner = NULL, lease_until = NULL
                    WHERE state = 'leased' AND lease_owner IS NOT ?
                    """, arguments: [owner])
        }
    }

    /// Gives up the open messages of a channel whose time has run out.
    /// Returns how many.
    package func markExpired(channel: String, now: Date) async throws -> Int {
        let instant = now.milliseconds
        return try await write { database in
            try database.execute(
                sql: """
                    UPDATE outbox SET state = 'expired', settled_at = :now, lease_owner = NULL, lease_until = NULL
                    WHERE channel = :channel AND expires_at <= :now
                    AND (state = 'queued' OR state = 'leased' AND lease_until <= :now)
                    """, arguments: ["now": instant, "channel": channel])
            return database.changesCount
        }
    }

    /// Drops the open messages of channels that no longer exist.
    /// Returns how many.
    package func dropMessages(exceptChannels channels: Set<String>, now: Date) async throws -> Int {
        try await write { database in
            let known = try String.fetchAll(
                database, sql: "SELECT DISTINCT channel FROM outbox WHERE state IN ('queued', 'leased')")
            var dropped = 0
            for name in known where !channels.contains(name) {
                try database.execute(
                    sql: """
                        UPDATE outbox SET state = 'dead', settled_at = ?, last_error = 'the channel was removed'
                        WHERE channel = ? AND state IN ('queued', 'leased')
                        """, arguments: [now.milliseconds, name])
                dropped += database.changesCount
            }
            return dropped
        }
    }

    // MARK: - Within a transaction

    /// `row.id` and the owner, in this order: a sender whose lease ran out must not touch what another one has.
    private static let ours = "id = ? AND state = 'leased' AND lease_owner = ?"

    static func enqueue(_ draft: OutboxDraft, _ database: Database) throws {
        for type in draft.supersedes {
            try database.execute(
                sql: """
                    UPDATE outbox SET state = 'superseded', settled_at = ?
                    WHERE channel = ? AND incident_id = ? AND type = ? AND sequence < ? AND state = 'queued'
                    """,
                arguments: [
                    draft.createdAt.milliseconds, draft.channel, draft.incidentID, type.rawValue, draft.sequence,
                ])
        }
        let rank = Severity.allCases.sorted().firstIndex(of: draft.severity) ?? 0
        try database.execute(
            sql: """
                INSERT INTO outbox (message_key, incident_id, channel, type, sequence, severity, facts, created_at,
                    not_before, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (message_key) DO NOTHING
                """,
            arguments: [
                draft.messageKey, draft.incidentID, draft.channel, draft.type.rawValue, draft.sequence, rank,
                draft.facts, draft.createdAt.milliseconds, draft.createdAt.milliseconds, draft.expiresAt.milliseconds,
            ])
    }

    private func settle(_ row: OutboxRow, _ owner: String, _ state: OutboxRow.State, _ now: Date, _ attempt: Attempt)
        async throws
    {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE outbox SET state = ?, settled_at = ?, lease_owner = NULL, lease_until = NULL,
                    attempts = attempts + 1, last_class = ?, last_status = ?, last_error = ? WHERE \(Self.ours)
                    """,
                arguments: [
                    state.rawValue, now.milliseconds, attempt.class, attempt.status, attempt.error, row.id, owner,
                ])
        }
    }
}
