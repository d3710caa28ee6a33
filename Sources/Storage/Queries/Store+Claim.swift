// Who is next: the claim of a message, and of those that share it.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Of one digest; more form the next one.
    static let largestDigest = 1000

    /// Takes the next due message of a channel: the most severe first, then the oldest, and never one before an earlier
    /// open message of the same incident. With rules it first drops what need not be said any more, and takes all that may
    /// share one message with it; membership is written in the same transaction, and stays.
    ///
    /// `owner`: the process; the marks only work for the owner of the lease.
    /// `lease`: after this the message is free again, as its sender must have died.
    /// Returns nil where nothing is due or the channel is held; of a digest the first row, which stands for all of them.
    package func claim(
        channel: String, owner: String, now: Date, lease: Duration, rules: ClaimRules? = nil
    ) async throws -> OutboxRow? {
        let instant = now.milliseconds
        return try await write { database in
            let held = try Bool.fetchOne(
                database, cached: "SELECT held_until > ? FROM channel WHERE name = ?", arguments: [instant, channel])
            if held == true { return nil }
            if let rules {
                try Self.supersedeUnsaid(channel, rules, instant, database)
                try Self.collapse(channel, rules, database)
            }
            let groups = try rules?.groupWait.map { try Self.groups(channel, now: now, wait: $0, database) }
            let id = try Int64.fetchOne(
                database, cached: Self.nextClaim,
                arguments: ["channel": channel, "now": instant, "ripe": Self.ripe(groups)])
            guard let id else { return nil }
            if groups != nil, let rules { try Self.formDigest(with: id, rules, instant, database) }
            try database.execute(
                cached: """
                    UPDATE outbox SET state = 'leased', lease_owner = :owner, lease_until = :until,
                        \(Self.abandoned)
                    WHERE (id = :id OR digest = (SELECT digest FROM outbox WHERE id = :id))
                        AND state IN ('queued', 'leased')
                    """, arguments: ["owner": owner, "until": (now + lease.timeInterval).milliseconds, "id": id])
            return try Row.fetchOne(
                database,
                cached: """
                    SELECT * FROM outbox WHERE id = :id OR digest = (SELECT digest FROM outbox WHERE id = :id)
                    ORDER BY id LIMIT 1
                    """, arguments: ["id": id]
            ).map(OutboxRow.init)
        }
    }

    /// All rows of a message, the most severe first: several of a digest, else the one.
    package func members(of row: OutboxRow) async throws -> [OutboxRow] {
        guard let digest = row.digest else { return [row] }
        return try await read { database in
            try Row.fetchAll(
                database, cached: "SELECT * FROM outbox WHERE digest = ? ORDER BY severity DESC, created_at, id",
                arguments: [digest]
            ).map(OutboxRow.init)
        }
    }

    /// When there may next be something to send to a channel; nil where nothing is open.
    /// `groupWait`: as in the rules of the claim.
    package func nextDue(channel: String, after now: Date, groupWait: Duration? = nil) async throws -> Date? {
        try await read { database in
            let times = try Row.fetchOne(
                database,
                cached: """
                    SELECT min(CASE WHEN (:grouped AND \(Self.isGroupable)) THEN NULL WHEN \(Self.isFirst)
                        THEN iif(o.state = 'leased', o.lease_until, o.not_before) END) AS due,
                        min(o.expires_at) AS ends, (SELECT held_until FROM channel WHERE name = :channel) AS held
                    FROM outbox o WHERE o.channel = :channel AND o.state IN ('queued', 'leased')
                    """, arguments: ["channel": channel, "grouped": groupWait != nil])
            guard let times, let ends = times["ends"] as Int64? else { return nil }
            let groups = try groupWait.map { try Self.groups(channel, now: now, wait: $0, database) } ?? []
            let dues = [times["due"] as Int64?].compactMap(\.self) + groups.map(\.due)
            guard let due = dues.min() else { return nil }
            // A hold delays what is due; it does not delay the end of what nobody wants any more.
            return max(now, Date(milliseconds: min(max(due, times["held"] ?? due), ends)))
        }
    }

    /// True of the open row `o` that has no earlier open one of its channel and incident, but for those of its own digest.
    static let isFirst = """
        NOT EXISTS (
            SELECT 1 FROM outbox e
            WHERE e.channel = o.channel AND e.incident_id = o.incident_id AND e.state IN ('queued', 'leased')
            AND (e.sequence < o.sequence OR e.sequence = o.sequence AND e.id < o.id)
            AND (o.digest IS NULL OR e.digest IS NOT o.digest))
        """

    /// In the words of the index of open messages, without which SQLite does not take it.
    private static let isOpen = "o.state IN ('queued', 'leased')"

    /// True of a row `o` that may yet share a message with others. No attempt was made: its bytes are free.
    static let isGroupable = """
        (o.state = 'queued' AND o.kind IS NOT NULL AND o.digest IS NULL AND o.frozen IS NULL
            AND o.type IN ('incident.firing', 'incident.resolved'))
        """

    static let nextClaim = """
        SELECT o.id FROM outbox o
        WHERE o.channel = :channel AND o.state IN ('queued', 'leased')
        AND (o.state = 'queued' AND o.not_before <= :now OR o.state = 'leased' AND o.lease_until <= :now)
        AND (:ripe IS NULL OR NOT \(isGroupable) OR instr(:ripe, '|' || o.type || ' ' || o.kind || '|') > 0)
        AND \(isFirst)
        ORDER BY o.severity DESC, o.created_at, o.id LIMIT 1
        """

    // MARK: - Within a transaction

    /// Messages of one type about incidents of one kind, which share one message once they are due.
    private struct Group {
        let name: String
        let isRipe: Bool
        let due: Int64
    }

    /// A group is due a while after its first message. Ends are due at once where no other end can be near: no incident of
    /// the kind goes on.
    private static func groups(
        _ channel: String, now: Date, wait: Duration, _ database: Database
    ) throws -> [Group] {
        let rows = try Row.fetchAll(
            database,
            cached: """
                SELECT o.type, o.kind, min(o.created_at) AS oldest, max(o.created_at) AS newest,
                    min(o.not_before) AS due, o.type = 'incident.resolved' AND NOT EXISTS (
                        SELECT 1 FROM incident i WHERE i.kind = o.kind AND i.resolved_at IS NULL
                        AND i.state IN ('firing', 'recovering')) AS is_last
                FROM outbox o WHERE o.channel = ? AND o.state IN ('queued', 'leased') AND \(isGroupable) AND \(isFirst)
                GROUP BY o.type, o.kind
                """, arguments: [channel])
        let length = Int64(wait.timeInterval * 1000)
        return rows.map { row in
            let oldest: Int64 = row["oldest"]
            // Made before the clock was set back: nobody knows how long it has waited.
            let isStrange = (row["newest"] as Int64) > now.milliseconds
            let isRipe = (row["is_last"] as Bool) || isStrange || oldest <= now.milliseconds - length
            return Group(
                name: "\(row["type"] as String) \(row["kind"] as String)", isRipe: isRipe,
                due: isRipe ? row["due"] : max(row["due"], oldest + length))
        }
    }

    private static func ripe(_ groups: [Group]?) -> String? {
        groups.map { "|" + $0.filter(\.isRipe).map(\.name).joined(separator: "|") + "|" }
    }

    /// Joins a row that is about to be sent with all that may share its message.
    private static func formDigest(with id: Int64, _ rules: ClaimRules, _ now: Int64, _ database: Database) throws {
        let members = try Row.fetchAll(
            database,
            cached: """
                SELECT o.id, o.message_key FROM outbox o JOIN outbox lead
                    ON lead.id = :id AND o.channel = lead.channel AND o.type = lead.type AND o.kind = lead.kind
                WHERE o.state IN ('queued', 'leased') AND o.not_before <= :now AND \(isGroupable) AND \(isFirst)
                    AND lead.digest IS NULL AND lead.frozen IS NULL
                ORDER BY o.id = lead.id DESC, o.severity DESC, o.created_at, o.id LIMIT \(largestDigest)
                """, arguments: ["id": id, "now": now])
        try join(members, rules, database)
    }

    /// Makes rows with `id` and `message_key` one message.
    static func join(_ members: [Row], _ rules: ClaimRules, _ database: Database) throws {
        guard members.count > 1 else { return }
        let key = rules.digestKey(members.map { $0["message_key"] as String }.sorted())
        let ids = members.map { String($0["id"] as Int64) }.joined(separator: ", ")
        try database.execute(
            sql: """
                UPDATE outbox SET digest = ?, expires_at = (SELECT max(expires_at) FROM outbox WHERE id IN (\(ids)))
                WHERE id IN (\(ids))
                """, arguments: [key])
    }

    /// What the channel was last told about the incident of the row `o`, or may have been; an end where it was nothing.
    private static let lastHeard = """
        coalesce((
            SELECT t.type FROM outbox t WHERE t.channel = o.channel AND t.incident_id = o.incident_id
            AND t.type <> 'incident.acknowledged' AND (t.state = 'delivered' OR t.receipt <> 0)
            ORDER BY t.sequence DESC, t.id DESC LIMIT 1
        ), 'incident.resolved')
        """

    /// Drops what was never told and is over: the end alone says all of it, or to a pager nothing. Nor does a pager hear who
    /// has what in hand of which it never heard.
    private static func supersedeUnsaid(
        _ channel: String, _ rules: ClaimRules, _ now: Int64, _ database: Database
    ) throws {
        let arguments: StatementArguments = ["channel": channel, "now": now]
        try database.execute(
            cached: """
                UPDATE outbox AS o SET state = 'superseded', settled_at = :now
                WHERE o.channel = :channel AND \(isOpen) AND o.state = 'queued' AND o.digest IS NULL AND o.receipt = 0
                AND o.type <> 'incident.resolved'
                AND EXISTS (
                    SELECT 1 FROM outbox r WHERE r.channel = o.channel AND r.incident_id = o.incident_id
                    AND r.type = 'incident.resolved' AND r.state IN ('queued', 'leased') AND r.state = 'queued'
                    AND r.sequence > o.sequence)
                AND \(lastHeard) = 'incident.resolved'
                """, arguments: arguments)
        guard !rules.tellsUnsaidEnds else { return }
        try database.execute(
            cached: """
                UPDATE outbox AS o SET state = 'superseded', settled_at = :now
                WHERE o.channel = :channel AND \(isOpen) AND o.state = 'queued' AND o.receipt = 0
                AND o.type IN ('incident.resolved', 'incident.acknowledged')
                AND \(isFirst) AND \(lastHeard) = 'incident.resolved'
                """, arguments: arguments)
    }

    /// True of a row of that name of which nobody may have heard, and whose bytes are free.
    static func isUntried(_ row: String) -> String {
        "\(row).state = 'queued' AND \(row).digest IS NULL AND \(row).frozen IS NULL AND \(row).receipt = 0"
    }

    /// Makes one message of the oldest of too many. Half of the bound stays by itself, so that not each further message
    /// makes another digest. Of each incident the first open messages go in, or none.
    private static func collapse(_ channel: String, _ rules: ClaimRules, _ database: Database) throws {
        guard let most = rules.mostQueued else { return }
        // In the words of the index, as above.
        let isFree = "e.state IN ('queued', 'leased') AND \(Self.isUntried("e"))"
        let count = try Int.fetchOne(
            database, cached: "SELECT count(*) FROM outbox e WHERE e.channel = ? AND \(isFree)", arguments: [channel])
        guard let count, count > most else { return }
        let oldest = try Row.fetchAll(
            database,
            cached: """
                SELECT e.id, e.message_key FROM outbox e WHERE e.channel = ? AND \(isFree)
                AND NOT EXISTS (
                    SELECT 1 FROM outbox b WHERE b.channel = e.channel AND b.incident_id = e.incident_id
                    AND b.state IN ('queued', 'leased') AND b.id <> e.id
                    AND NOT (\(Self.isUntried("b"))))
                ORDER BY e.id LIMIT ?
                """, arguments: [channel, count - most / 2])
        try join(oldest, rules, database)
    }
}
