// What an operator does with messages: look, send again, drop. Each change is one short transaction, so that it works beside
// the daemon.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Messages, newest first.
    /// `channel`: nil for all of them. `states`: empty for all of them.
    package func outbox(channel: String?, states: Set<OutboxRow.State>, limit: Int) async throws -> [OutboxEntry] {
        let wanted = states.isEmpty ? Set(OutboxRow.State.allCases) : states
        let marks = Array(repeating: "?", count: wanted.count).joined(separator: ", ")
        let arguments = StatementArguments(wanted.map(\.rawValue).sorted()) + [channel, channel, max(0, limit)]
        return try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT o.*, i.domain AS incident_domain, i.kind AS incident_kind FROM outbox o
                    LEFT JOIN incident i ON i.id = o.incident_id
                    WHERE o.state IN (\(marks)) AND (? IS NULL OR o.channel = ?)
                    ORDER BY o.created_at DESC, o.id DESC LIMIT ?
                    """, arguments: arguments)
            return rows.map { row in
                OutboxEntry(
                    row: OutboxRow(row),
                    domain: (row["incident_domain"] as String?).flatMap { $0 == Self.noDomain ? nil : $0 },
                    kind: (row["incident_kind"] as String?).flatMap(IncidentKind.init(rawValue:)))
            }
        }
    }

    /// The messages that were given up, oldest first.
    package func deadMessages() async throws -> [Int64] {
        try await read { try Int64.fetchAll($0, cached: "SELECT id FROM outbox WHERE state = 'dead' ORDER BY id") }
    }

    /// Sends messages again which were given up, and waiting ones at once.
    ///
    /// A message gets as much time as it had at first. One is refused that would open an alert which nobody closes, as its
    /// incident is over or a successor in the same story has reached the channel; and one that another message says already.
    /// A hold of the channel that is ours ends.
    package func retry(_ ids: [Int64], now: Date) async throws -> [OutboxAnswer] {
        let instant = now.milliseconds
        return try await change(ids, ifDropped: "it was dropped") { row, database in
            if let words = try self.futility(of: row, database) { return words }
            try database.execute(
                cached: """
                    UPDATE outbox SET state = 'queued', lease_owner = NULL, lease_until = NULL, settled_at = NULL,
                        not_before = :now, attempts = 0, expires_at = max(expires_at, :now + expires_at - created_at),
                        -- Refused bytes were never taken, so the plain form may be tried again after a full one.
                        frozen = iif(state = 'dead', NULL, frozen), digest = iif(state = 'dead', NULL, digest),
                        last_class = NULL
                    WHERE \(Self.ofMessage) AND state = :state
                    """,
                arguments: ["now": instant, "id": row.id, "digest": row.digest, "state": row.state.rawValue])
            // Whoever asks for it has mended the channel, or wants to see what it says.
            try Self.endOwnHold(of: row.channel, database)
            return nil
        }
    }

    /// Gives messages up by hand. The row stays for as long as other settled ones, so that nothing makes it anew.
    package func drop(_ ids: [Int64], now: Date) async throws -> [OutboxAnswer] {
        let instant = now.milliseconds
        return try await change(ids, ifDropped: "it was dropped before") { row, database in
            try database.execute(
                cached: """
                    UPDATE outbox SET state = 'dropped', settled_at = :now WHERE \(Self.ofMessage) AND state = :state
                    """, arguments: ["now": instant, "id": row.id, "digest": row.digest, "state": row.state.rawValue])
            return nil
        }
    }

    /// Gives a channel a try at once, as somebody has mended it or wants to see what it says. A wait that the receiver asked
    /// for is kept.
    /// Returns how many messages wait for it; nil where nothing is known of such a channel.
    package func retry(channel: String, now: Date) async throws -> Int? {
        try await write { database in
            try Self.endOwnHold(of: channel, database)
            let isKnown = try Bool.fetchOne(
                database,
                cached: """
                    SELECT EXISTS (SELECT 1 FROM outbox WHERE channel = ?1)
                        OR EXISTS (SELECT 1 FROM channel_trouble WHERE name = ?1)
                        OR EXISTS (SELECT 1 FROM channel_known WHERE name = ?1)
                    """, arguments: [channel])
            guard isKnown == true, self.isPresent(channel) else { return nil }
            try database.execute(
                cached: """
                    UPDATE outbox SET not_before = min(not_before, ?)
                    WHERE channel = ? AND state = 'queued' AND last_class IS NOT 'throttled'
                    """, arguments: [now.milliseconds, channel])
            return try Int.fetchOne(
                database, cached: "SELECT count(*) FROM outbox WHERE channel = ? AND state = 'queued'",
                arguments: [channel])
        }
    }

    /// The row itself, and all that share its message. Of a refused digest each goes its own way: its bytes were never
    /// taken.
    private static let ofMessage = "(id = :id OR digest = :digest AND :state <> 'dead')"

    /// Why a message had better not be sent again; nil where it may.
    private func futility(of row: OutboxRow, _ database: Database) throws -> String? {
        guard isPresent(row.channel) else { return "its channel is not in the configuration" }
        guard try row.lastError != Self.removedWords || Self.isKnown(row.channel, database) else {
            return "its channel is not in the configuration; one that is back is known after five minutes at most"
        }
        let facts = try Row.fetchOne(
            database,
            cached: """
                SELECT
                    EXISTS (SELECT 1 FROM outbox l WHERE l.channel = :channel AND l.incident_id = :incident
                        AND l.state = 'delivered' AND (l.sequence > :sequence OR l.sequence = :sequence AND l.id > :id))
                        AS is_late,
                    EXISTS (SELECT 1 FROM outbox l WHERE l.channel = :channel AND l.incident_id = :incident
                        AND l.state IN ('queued', 'leased') AND l.id <> :id AND l.type = :type
                        AND (l.type = 'incident.firing' OR l.sequence = :sequence)) AS is_said,
                    EXISTS (SELECT 1 FROM incident WHERE id = :incident AND resolved_at IS NOT NULL)
                    AND NOT EXISTS (SELECT 1 FROM outbox l WHERE l.channel = :channel AND l.incident_id = :incident
                        AND l.state IN ('queued', 'leased') AND l.type = 'incident.resolved') AS is_over
                """,
            arguments: [
                "channel": row.channel, "incident": row.incidentID, "sequence": row.sequence, "id": row.id,
                "type": row.type.rawValue,
            ])
        guard let facts else { return nil }
        if facts["is_late"] { return "a later message of the same incident has reached the channel" }
        // What waits is only made due.
        guard row.state != .queued else { return nil }
        if facts["is_said"] { return "another message that waits says the same" }
        if facts["is_over"], row.type != .resolved {
            return "its incident is over, and nobody would tell the end of it"
        }
        return nil
    }

    /// Whether a running daemon has met a channel. Who acts by hand need not have the configuration.
    private static func isKnown(_ channel: String, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database, cached: "SELECT EXISTS (SELECT 1 FROM channel_known WHERE name = ?)", arguments: [channel])
            == true
    }

    /// A wait that the receiver asked for goes on.
    private static func endOwnHold(of channel: String, _ database: Database) throws {
        try database.execute(
            cached: "DELETE FROM channel WHERE name = ? AND reason IS NOT ?",
            arguments: [channel, ChannelHold.throttled.rawValue])
    }

    /// Why nobody can do anything with a message by hand; nil where somebody can.
    private static func refusal(_ state: OutboxRow.State, ifDropped: String) -> String? {
        switch state {
        case .queued, .dead, .expired: nil
        case .leased: "it is being sent right now"
        case .delivered: "it was delivered"
        case .superseded: "a later message took its place"
        case .dropped: ifDropped
        }
    }

    /// `step` returns why it did nothing.
    private func change(
        _ ids: [Int64], ifDropped: String, _ step: @escaping @Sendable (OutboxRow, Database) throws -> String?
    ) async throws -> [OutboxAnswer] {
        try await write { database in
            var done: Set<String> = []
            return try ids.map { id in
                let row = try Row.fetchOne(database, cached: "SELECT * FROM outbox WHERE id = ?", arguments: [id])
                guard let row else { return OutboxAnswer(id: id, refusal: "there is no such message") }
                let message = OutboxRow(row)
                // Done with the first of those that share the message.
                if let digest = message.digest, done.contains(digest) { return OutboxAnswer(id: id, refusal: nil) }
                let refusal =
                    try Self.refusal(message.state, ifDropped: ifDropped) ?? step(message, database)
                if refusal == nil, message.state != .dead, let digest = message.digest { done.insert(digest) }
                return OutboxAnswer(id: id, refusal: refusal)
            }
        }
    }
}
