// Reads incidents and messages from the monitor's store, and adds a year of history to it. No other benchmark file knows the
// tables of the store.

import Foundation
import GRDB

struct MonitorStore {
    private let queue: DatabaseQueue

    /// Reads while the monitor runs; nil if there is no store yet.
    init?(reading path: String) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return nil }
        self.queue = queue
    }

    /// The number of checked domains.
    func checked() throws -> Int {
        try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM domain WHERE last_checked_at > 0") ?? 0 }
    }

    /// The number of domain incidents that have fired, and of those that are resolved.
    func incidents() throws -> (fired: Int, resolved: Int) {
        try queue.read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT count(*), coalesce(sum(resolved_at IS NOT NULL), 0) FROM incident
                    WHERE domain <> '' AND fired_at IS NOT NULL
                    """)
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }

    /// `each`: seconds from the confirmation or the end of each incident to the first message about it, ascending. `first`:
    /// seconds from the earliest confirmation or end to the earliest message.
    func delays(channel: String, ofEnds: Bool) throws -> (each: [Double], first: Double?) {
        let (instant, type) = ofEnds ? ("resolved_at", "AND d.type = 'incident.resolved'") : ("fired_at", "")
        return try queue.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT min(d.at) / 1000.0, i.\(instant) / 1000.0 FROM incident i
                    JOIN delivery d ON d.incident_id = i.id
                    WHERE i.domain <> '' AND i.fired_at IS NOT NULL AND i.\(instant) IS NOT NULL
                        AND d.outcome = 'delivered' AND d.channel = ? \(type)
                    GROUP BY i.id
                    """, arguments: [channel])
            let begin = try Double.fetchOne(
                database, sql: "SELECT min(\(instant)) / 1000.0 FROM incident WHERE domain <> ''")
            let pairs = rows.map { row -> (Double, Double) in (row[0], row[1]) }
            return (pairs.map { $0 - $1 }.sorted(), pairs.map(\.0).min().flatMap { first in begin.map { first - $0 } })
        }
    }

    /// The incidents of many domains and of the monitor itself: kind and state.
    func ofTheGlobal() throws -> [String] {
        try queue.read {
            try String.fetchAll(
                $0, sql: "SELECT kind || ' ' || state FROM incident WHERE domain = '' ORDER BY opened_at")
        }
    }

    /// Adds to a store that no monitor uses, for each domain: 24 resolved incidents, one every 15 days, with two messages
    /// each; 24 earlier versions of the file at every place.
    static func addYear(to path: String) throws {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        let now = Int(Date().timeIntervalSince1970 * 1000)
        // Instants in the state are seconds since 2001.
        let since2001 = now / 1000 - 978_307_200
        let numbers = "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 24)"
        let sql = """
            \(numbers)
            INSERT INTO incident (id, domain, kind, severity, state, since, opened_at, fired_at, resolved_at, reason, version,
                is_flapping, change)
            SELECT lower(hex(randomblob(16))), name, 'cdn.stale', 'error', 'resolved', \(now) - n * 1296000000,
                \(now) - n * 1296000000, \(now) - n * 1296000000, \(now) - n * 1296000000 + 7200000, 'recovered', 2, 0,
                coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'change'), 0) + row_number() OVER ()
            FROM domain, number;
            INSERT OR REPLACE INTO meta SELECT 'change', CAST(max(change) AS TEXT) FROM incident;

            INSERT INTO delivery (channel, incident_id, type, reason, version, key, at, attempts, outcome, status)
            SELECT 'webhook', id, 'incident.firing', 'firing', 1, id || '-1', fired_at, 1, 'delivered', 200
            FROM incident WHERE resolved_at IS NOT NULL
            UNION ALL
            SELECT 'webhook', id, 'incident.resolved', 'resolved', 2, id || '-2', resolved_at, 1, 'delivered', 200
            FROM incident WHERE resolved_at IS NOT NULL;

            -- The contents are those of other domains' files.
            UPDATE version SET number = 25 WHERE number IS NOT NULL;
            UPDATE domain SET version = 25 WHERE version IS NOT NULL;
            \(numbers)
            INSERT INTO version (domain, meaning, content, number, first_at)
            SELECT v.domain, lower(hex(randomblob(32))),
                (SELECT content FROM version o WHERE o.id = 1 + (v.id + n) % (SELECT count(*) FROM version)), 25 - n,
                \(now) - n * 1296000000
            FROM version v, number WHERE v.number = 25;
            INSERT INTO version_interval (domain, place, at, after, version)
            SELECT s.domain, s.place, v.first_at + iif(s.place = '', 0, 18000000),
                v.first_at + iif(s.place = '', 0, 18000000) - 60000, v.id
            FROM version_interval s JOIN version v ON v.domain = s.domain WHERE v.number < 25;

            \(numbers)
            UPDATE domain SET state = CAST(json_set(CAST(state AS TEXT), '$.propagations', json((
                SELECT json_group_array(json_object(
                    'changedAt', \(since2001) - (21 - n) * 1296000, 'seconds', 17000 + n * 100))
                FROM number WHERE n <= 20))) AS BLOB);
            """
        try queue.write { try $0.execute(sql: sql) }
    }
}
