import Foundation
import GRDB

extension Store {
    /// How far checks and outbox have come, by what is committed.
    package func progress(now: Date) async throws -> WorkProgress {
        try await read { database in
            var progress = WorkProgress()
            for row in try Row.fetchAll(
                database,
                // An unchanged check moves the small row alone; a changed state removes or outdates it.
                cached: """
                    SELECT d.name, coalesce(r.last_checked_at, d.last_checked_at) AS last_checked_at
                    FROM domain d LEFT JOIN domain_recent r ON r.name = d.name
                    WHERE coalesce(r.last_checked_at, d.last_checked_at) IS NOT NULL
                    """)
            {
                progress.checks[row["name"]] = Date(milliseconds: row["last_checked_at"])
            }
            for row in try Row.fetchAll(
                database,
                cached: """
                    SELECT channel, sum(attempts) AS attempts FROM outbox
                    WHERE state IN ('queued', 'leased') GROUP BY channel
                    """)
            {
                progress.channels[row["channel"], default: .init()].attempts = row["attempts"]
            }
            // A message that a newer one supersedes is settled by a check, and says nothing about the sender.
            for (channel, settled) in try Self.instants(database, Self.lastSettled) {
                progress.channels[channel, default: .init()].lastSettled = settled
            }
            for (channel, due) in try Self.instants(database, Self.oldestDue, ["now": now.milliseconds]) {
                progress.channels[channel, default: .init()].dueSince = due
            }
            return progress
        }
    }

    /// In the words of the index of past messages.
    static let lastSettled = """
        SELECT channel, max(settled_at) AS instant FROM outbox
        WHERE settled_at IS NOT NULL AND state IN ('delivered', 'dead', 'expired') GROUP BY channel
        """

    /// By channel, since when something could have been claimed: neither before its schedule, nor before a hold ended.
    static let oldestDue = """
        SELECT o.channel, max(min(CASE o.state WHEN 'leased' THEN o.lease_until ELSE o.not_before END),
            coalesce((SELECT held_until FROM channel c WHERE c.name = o.channel), 0)) AS instant
        FROM outbox o WHERE o.state IN ('queued', 'leased') AND \(isFirst)
        GROUP BY o.channel HAVING instant <= :now
        """

    private static func instants(
        _ database: Database, _ sql: String, _ arguments: StatementArguments = StatementArguments()
    ) throws -> [(channel: String, instant: Date)] {
        try Row.fetchAll(database, cached: sql, arguments: arguments).compactMap { row in
            guard let instant: Int64 = row["instant"] else { return nil }
            return (row["channel"], Date(milliseconds: instant))
        }
    }
}
