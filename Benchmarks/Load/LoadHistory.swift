// A year of the past, put into a store that the monitor is not using: what it reads at its start must not grow with it.

import Foundation
import GRDB

enum LoadHistory {
    /// Of each domain: 24 resolved incidents, one each fifteen days, two messages about each; and ten changes of its last month.
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
                        :now - n * 1296000000, :now - n * 1296000000, :now - n * 1296000000 + 7200000, 'recovered', 2, 0, 0
                    FROM domain, number
                    """, arguments: ["now": now])
            try database.execute(
                sql: """
                    INSERT INTO delivery (channel, incident_id, type, reason, version, key, at, attempts, outcome, status)
                    SELECT 'webhook', id, 'incident.firing', 'firing', 1, id || '-1', fired_at, 1, 'delivered', 200
                    FROM incident
                    UNION ALL
                    SELECT 'webhook', id, 'incident.resolved', 'resolved', 2, id || '-2', resolved_at, 1, 'delivered', 200
                    FROM incident
                    """)
            try database.execute(
                sql: """
                    \(numbers)
                    INSERT INTO observation (domain, vantage, depth, first_at, last_at, count, plain, steady, facts)
                    SELECT domain, vantage, depth, first_at - n * 86400000, first_at - n * 86400000 + 3600000, 12,
                        hex(randomblob(32)), hex(randomblob(32)), facts
                    FROM observation, number WHERE n <= 10
                    """)
        }
    }
}
