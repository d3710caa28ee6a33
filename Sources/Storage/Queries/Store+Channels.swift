// Channels as a whole: held ones, what is due, and the trail of what was told.

import Evidence
import Foundation
import GRDB
import Monitoring

/// Why nothing is sent to a channel for now.
package enum ChannelHold: String, Sendable {
    /// It asked us to wait.
    case throttled
    /// It refuses us; something must be mended.
    case refused
    /// It has been failing for a while.
    case failing
}

extension Store {
    /// Holds a whole channel; a later call takes the place of an earlier one. It outlives a restart.
    package func hold(channel: String, until: Date, reason: ChannelHold) async throws {
        try await write { database in
            try database.execute(
                cached: """
                    INSERT INTO channel (name, held_until, reason) VALUES (?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET held_until = excluded.held_until, reason = excluded.reason
                    """, arguments: [channel, until.milliseconds, reason.rawValue])
        }
    }

    /// Ends the holds that are ours, not the receiver's wish: at a start somebody may have mended what was wrong.
    package func endOwnHolds() async throws {
        try await write { database in
            try database.execute(
                cached: "DELETE FROM channel WHERE reason IS NOT ?", arguments: [ChannelHold.throttled.rawValue])
        }
    }

    /// Rows of the outbox by channel and state.
    package func outboxCounts() async throws -> [OutboxCount] {
        try await read { database in
            try Row.fetchAll(database, cached: Self.countsOfOutbox).map { row in
                OutboxCount(
                    channel: row["channel"], state: OutboxRow.State(rawValue: row["state"]) ?? .dead,
                    rows: row["rows"], oldest: Date(milliseconds: row["oldest"]))
            }
        }
    }

    /// Messages about a domain, newest first: who was told what, when, after how many attempts.
    /// `domain`: nil for all domains.
    package func messages(domain: Domain?, limit: Int) async throws -> [OutboxRow] {
        let limit = max(0, limit)
        return try await read { database in
            guard let domain else {
                return try Row.fetchAll(
                    database, cached: "SELECT * FROM outbox ORDER BY created_at DESC, id DESC LIMIT ?",
                    arguments: [limit]
                ).map(OutboxRow.init)
            }
            return try Row.fetchAll(database, cached: Self.messagesOfDomain, arguments: [domain.name, limit])
                .map(OutboxRow.init)
        }
    }

    /// One question for all domains and for one would go through all messages.
    static let messagesOfDomain = """
        SELECT * FROM outbox WHERE incident_id IN (SELECT id FROM incident WHERE domain = ?)
        ORDER BY created_at DESC, id DESC LIMIT ?
        """

    /// The open messages, which are few, and the past ones, which are many, each by its index: the status page asks it each
    /// time.
    static let countsOfOutbox = """
        SELECT channel, state, count(*) AS rows, min(created_at) AS oldest FROM outbox
        WHERE settled_at IS NOT NULL GROUP BY channel, state
        UNION ALL
        SELECT channel, state, count(*), min(created_at) FROM outbox
        WHERE state IN ('queued', 'leased') GROUP BY channel, state
        ORDER BY channel, state
        """
}

extension Duration {
    var timeInterval: TimeInterval { self / .seconds(1) }
}
