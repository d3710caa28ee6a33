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
                sql: """
                    INSERT INTO channel (name, held_until, reason) VALUES (?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET held_until = excluded.held_until, reason = excluded.reason
                    """, arguments: [channel, until.milliseconds, reason.rawValue])
        }
    }

    /// Ends the holds that are ours, not the receiver's wish: at a start somebody may have mended what was wrong.
    package func endOwnHolds() async throws {
        try await write { database in
            try database.execute(
                sql: "DELETE FROM channel WHERE reason IS NOT ?", arguments: [ChannelHold.throttled.rawValue])
        }
    }

    /// When there may next be something to send to a channel; nil where nothing is open.
    package func nextDue(channel: String, after now: Date) async throws -> Date? {
        try await read { database in
            let times = try Row.fetchOne(
                database,
                sql: """
                    SELECT min(CASE WHEN \(Self.isFirst) THEN iif(o.state = 'leased', o.lease_until, o.not_before) END)
                        AS due,
                        min(o.expires_at) AS ends, (SELECT held_until FROM channel WHERE name = :channel) AS held
                    FROM outbox o WHERE o.channel = :channel AND o.state IN ('queued', 'leased')
                    """, arguments: ["channel": channel])
            guard let times, let due = times["due"] as Int64?, let ends = times["ends"] as Int64? else { return nil }
            // A hold delays what is due; it does not delay the end of what nobody wants any more.
            return max(now, Date(milliseconds: min(max(due, times["held"] ?? due), ends)))
        }
    }

    /// Rows of the outbox by channel and state.
    package func outboxCounts() async throws -> [OutboxCount] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT channel, state, count(*) AS rows, min(created_at) AS oldest FROM outbox
                    GROUP BY channel, state ORDER BY channel, state
                    """)
            return rows.map { row in
                OutboxCount(
                    channel: row["channel"], state: OutboxRow.State(rawValue: row["state"]) ?? .dead,
                    rows: row["rows"], oldest: Date(milliseconds: row["oldest"]))
            }
        }
    }

    /// Messages about a domain, newest first: who was told what, when, after how many attempts.
    /// `domain`: nil for all domains.
    package func messages(domain: Domain?, limit: Int) async throws -> [OutboxRow] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM outbox WHERE :domain IS NULL
                    OR incident_id IN (SELECT id FROM incident WHERE domain = :domain)
                    ORDER BY created_at DESC, id DESC LIMIT :limit
                    """, arguments: ["domain": domain?.name, "limit": max(0, limit)])
            return rows.map(OutboxRow.init)
        }
    }
}

extension Duration {
    var timeInterval: TimeInterval { self / .seconds(1) }
}
