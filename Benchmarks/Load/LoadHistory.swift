// A year of the past, put into a store that the monitor is not using: what it reads at its start must not grow with it.

import Foundation
import GRDB

enum LoadHistory {
    /// Of each domain: 24 resolved incidents, one each fifteen days, two messages about each; 24 earlier versions of
    /// its file at every place; and ten changes of its last month.
    static func add(to path: String) throws {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.write { database in
            let numbers = "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 24)"
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            try database.execute(
                sql: """
                    \(numbers)
                    INSERT INTO incident (id, domain, kind, severity, state, since, opened_at, fired_at, resolved_at,
                        reason, version, is_flapping, change)
                    SELECT lower(hex(randomblob(16))), name, 'cdn.stale', 'error', 'resolved', :now - n * 1296000000,
                        :now - n * 1296000000, :now - n * 1296000000, :now - n * 1296000000 + 7200000, 'recovered', 2, 0,
                        (SELECT value FROM counter) + row_number() OVER ()
                    FROM domain, number
                    """, arguments: ["now": now])
            try database.execute(sql: "UPDATE counter SET value = (SELECT max(change) FROM incident)")
            try database.execute(
                sql: """
                    INSERT INTO delivery (channel, incident_id, type, reason, version, key, at, attempts, outcome, status)
                    SELECT 'webhook', id, 'incident.firing', 'firing', 1, id || '-1', fired_at, 1, 'delivered', 200
                    FROM incident WHERE resolved_at IS NOT NULL
                    UNION ALL
                    SELECT 'webhook', id, 'incident.resolved', 'resolved', 2, id || '-2', resolved_at, 1, 'delivered', 200
                    FROM incident WHERE resolved_at IS NOT NULL
                    """)
            try database.execute(
                sql: """
                    \(numbers)
                    INSERT INTO observation (domain, vantage, depth, first_at, last_at, count, plain, steady, facts)
                    SELECT domain, vantage, depth, first_at - n * 86400000, first_at - n * 86400000 + 3600000, 12,
                        hex(randomblob(32)), hex(randomblob(32)), facts
                    FROM observation, number WHERE n <= 10
                    """)
            try addVersions(database, numbers: numbers, now: now)
        }
    }

    /// Their contents are those of other domains' files, so that there is something to compare.
    private static func addVersions(_ database: Database, numbers: String, now: Int64) throws {
        try database.execute(
            sql: """
                UPDATE version SET number = 25 WHERE number IS NOT NULL;
                UPDATE brief SET version = 25 WHERE version IS NOT NULL;
                \(numbers)
                INSERT INTO version (domain, meaning, content, number, first_at)
                SELECT v.domain, lower(hex(randomblob(32))),
                    (SELECT content FROM version o WHERE o.id = 1 + (v.id + n) % (SELECT count(*) FROM version)), 25 - n,
                    \(now) - n * 1296000000
                FROM version v, number WHERE v.number = 25;
                INSERT INTO stretch (domain, place, at, after, version)
                SELECT s.domain, s.place, v.first_at + iif(s.place = '', 0, 18000000),
                    v.first_at + iif(s.place = '', 0, 18000000) - 60000, v.id
                FROM stretch s JOIN version v ON v.domain = s.domain WHERE v.number < 25;
                """)
        let before2001 = 978_307_200
        try database.execute(
            sql: """
                \(numbers)
                UPDATE domain SET state = CAST(json_set(CAST(state AS TEXT), '$.propagations', json((
                    SELECT json_group_array(json_object(
                        'changedAt', \(now / 1000 - Int64(before2001)) - (21 - n) * 1296000, 'seconds', 17000 + n * 100))
                    FROM number WHERE n <= 20))) AS BLOB)
                """)
    }
}
