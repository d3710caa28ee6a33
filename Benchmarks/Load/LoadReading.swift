// What the store says about incidents and messages, read beside the monitor. This file is all of the load that knows tables.

import Foundation
import GRDB

struct LoadReading {
    private let queue: DatabaseQueue

    /// nil where there is no store yet.
    init?(path: String) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return nil }
        self.queue = queue
    }

    /// How many domains were checked.
    func checked() throws -> Int {
        try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM domain WHERE last_checked_at > 0") ?? 0 }
    }

    /// How many incidents of domains have fired, and how many of them are resolved.
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

    /// Seconds from each incident's confirmation, or end, to the first message about it; those without one are absent.
    func delays(channel: String, ofEnds: Bool) throws -> [Double] {
        let (instant, type) = ofEnds ? ("resolved_at", "AND d.type = 'incident.resolved'") : ("fired_at", "")
        return try queue.read { database in
            try Double.fetchAll(
                database,
                sql: """
                    SELECT (min(d.at) - i.\(instant)) / 1000.0 FROM incident i
                    JOIN delivery d ON d.incident_id = i.id
                    WHERE i.domain <> '' AND i.fired_at IS NOT NULL AND i.\(instant) IS NOT NULL
                        AND d.outcome = 'delivered' AND d.channel = ? \(type)
                    GROUP BY i.id
                    """, arguments: [channel])
        }
    }

    /// Seconds from the first confirmation, or end, of all to the first message of its kind at the channel.
    func first(channel: String, ofEnds: Bool) throws -> Double? {
        let (instant, type) = ofEnds ? ("resolved_at", "AND d.type = 'incident.resolved'") : ("fired_at", "")
        return try queue.read { database in
            try Double.fetchOne(
                database,
                sql: """
                    SELECT (min(d.at) - (SELECT min(\(instant)) FROM incident WHERE domain <> '')) / 1000.0
                    FROM delivery d JOIN incident i ON d.incident_id = i.id
                    WHERE i.domain <> '' AND d.outcome = 'delivered' AND d.channel = ? \(type)
                    """, arguments: [channel])
        }
    }

    /// The incidents of all domains together and of the monitor itself: kind and state.
    func ofTheFleet() throws -> [String] {
        try queue.read {
            try String.fetchAll(
                $0, sql: "SELECT kind || ' ' || state FROM incident WHERE domain = '' ORDER BY opened_at")
        }
    }
}
