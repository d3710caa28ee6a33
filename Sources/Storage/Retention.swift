// Bounds the size of the store. First old rows are deleted, then free pages, in steps small enough that no check waits
// long for the writer. A reader selects the rows, so only the deletion occupies the writer.

import Evidence
import Foundation
import GRDB

extension Store {
    /// How long the store keeps resolved incidents with their notifications.
    package static let keepIncidents = Duration.seconds(2 * 365 * 86400)
    /// `seen_at` is written once a day, so a body that is still served may look this old.
    private static let seenWithin = Duration.seconds(86400)
    /// A site that answers differently each time would otherwise fill the disk before its bodies age out.
    package static let maximumBodiesPerDomain = 1000
    /// The age and the number of version intervals that the store keeps for each place.
    package static let keepPropagation = Duration.seconds(400 * 86400)
    package static let maximumVersionIntervals = 500
    private static let step = 200
    /// Free pages that stay in the file for new rows, so that the file does not shrink and grow all the time.
    static let spareFreePages = 256

    /// Deletes bodies last seen before `keepObservations`, the log of deliveries before `keepDeliveries`, and old
    /// incidents. Then returns free pages to the file system. Stops between steps if the task is cancelled.
    package func prune(now: Date, keepObservations: Duration, keepDeliveries: Duration) async throws {
        func end(of kept: Duration) -> StatementArguments { ["before": (now - kept.inSeconds).milliseconds] }
        let bodies = end(of: keepObservations + Self.seenWithin)
        try await remove("body", by: "rowid", "seen_at < :before", bodies, unless: Self.isServed)
        try await remove("body", by: "rowid", Self.isSurplus, unless: Self.isServed)
        try await remove("delivery", by: "id", "at < :before", end(of: keepDeliveries))
        try await remove(
            "message_log", by: "key", "at < :before", end(of: keepDeliveries),
            // A message may be under way for longer if no receiver accepts it.
            unless: "EXISTS (SELECT 1 FROM message m WHERE m.key = message_log.key)")
        try await remove(
            "incident", by: "id", "state = 'resolved' AND resolved_at < :before", end(of: Self.keepIncidents))
        try await remove("silence", by: "id", "ends_at < :before", end(of: Self.keepSilences))
        // A day longer, because a link expires by the wall clock.
        try await remove("used_link", by: "link", "ends_at < :before", end(of: .seconds(86400)))
        let propagation = end(of: Self.keepPropagation)
        try await remove("version_interval", by: "domain", Self.isOldInterval, propagation)
        try await removeSurplusIntervals()
        try await remove("version", by: "id", Self.isUnusedVersion, end(of: .seconds(86400)))
        try await remove("pause", by: "began", "ended < :before", propagation)
        try await giveBack()
    }

    /// The body is the newest version at the origin or at an edge, regardless of its age.
    private static let isServed = """
        EXISTS (
            SELECT 1 FROM version v JOIN version_interval s ON s.domain = v.domain AND s.version = v.id
            WHERE v.domain = body.domain AND v.content = body.sha256 AND NOT EXISTS (
                SELECT 1 FROM version_interval n WHERE n.domain = s.domain AND n.place = s.place AND n.at > s.at))
        """
    private static let isSurplus = """
        seen_at < (SELECT seen_at FROM body b WHERE b.domain = body.domain ORDER BY seen_at DESC
            LIMIT 1 OFFSET \(maximumBodiesPerDomain - 1))
        """
    /// `forget` deletes the row of a domain.
    private static func isForgotten(_ table: String) -> String {
        "NOT EXISTS (SELECT 1 FROM domain b WHERE b.name = \(table).domain)"
    }
    /// While its domain is watched, each place keeps its latest interval, regardless of its age.
    private static let isOldInterval = """
        (EXISTS (
            SELECT 1 FROM version_interval n WHERE n.domain = version_interval.domain
            AND n.place = version_interval.place AND n.at > version_interval.at AND n.at < :before)
        OR at < :before AND \(isForgotten("version_interval")))
        """
    /// Versions without an interval. An origin that changes at each answer creates many of them. The version with the
    /// highest number stays while its domain is watched, so that numbers are never reused.
    private static let isUnusedVersion = """
        first_at < :before
        AND (number IS NULL OR \(isForgotten("version"))
            OR number < (SELECT max(number) FROM version n WHERE n.domain = version.domain))
        AND NOT EXISTS (
            SELECT 1 FROM version_interval s WHERE s.domain = version.domain AND s.version = version.id)
        """

    /// Deletes the rows that meet a condition, in steps by the values of `key`. The deletion checks the condition again,
    /// because a check may have seen a body again meanwhile; and `unless`, which would make the selection slow.
    private func remove(
        _ table: String, by key: String, _ condition: String, _ arguments: StatementArguments = StatementArguments(),
        unless: String = "FALSE"
    ) async throws {
        let keys = try await read { database in
            try DatabaseValue.fetchAll(
                database, sql: "SELECT DISTINCT \(key) FROM \(table) WHERE \(condition)", arguments: arguments)
        }
        for start in stride(from: 0, to: keys.count, by: Self.step) {
            guard !Task.isCancelled else { return }
            let some = keys[start..<min(start + Self.step, keys.count)]
            let marks = Array(repeating: "?", count: some.count).joined(separator: ", ")
            try await write { database in
                try database.execute(
                    sql: "DELETE FROM \(table) WHERE \(condition) AND \(key) IN (\(marks)) AND NOT (\(unless))",
                    arguments: arguments + StatementArguments(some))
            }
            await Task.yield()
        }
    }

    /// Finds the oldest row to keep once for each place. A search for each row would block the writer for seconds.
    private func removeSurplusIntervals() async throws {
        let places = try await read { database in
            try Row.fetchAll(database, sql: Self.crowdedPlaces).map { ($0["domain"] as String, $0["place"] as String) }
        }
        for start in stride(from: 0, to: places.count, by: Self.step) {
            guard !Task.isCancelled else { return }
            let some = places[start..<min(start + Self.step, places.count)]
            try await write { database in
                for (domain, place) in some {
                    try database.execute(cached: Self.surplusIntervals, arguments: ["domain": domain, "place": place])
                }
            }
            await Task.yield()
        }
    }

    private static let crowdedPlaces = """
        SELECT domain, place FROM version_interval GROUP BY domain, place HAVING count(*) > \(maximumVersionIntervals)
        """
    private static let surplusIntervals = """
        DELETE FROM version_interval WHERE domain = :domain AND place = :place AND at < (
            SELECT at FROM version_interval WHERE domain = :domain AND place = :place
            ORDER BY at DESC LIMIT 1 OFFSET \(maximumVersionIntervals - 1))
        """

    /// Truncates free pages at the end of the file, which was created with `auto_vacuum = INCREMENTAL`.
    /// https://www.sqlite.org/pragma.html#pragma_incremental_vacuum
    private func giveBack() async throws {
        while !Task.isCancelled {
            let step = Self.step
            let isDone = try await write { database in
                let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
                guard free > Self.spareFreePages else { return true }
                try database.execute(sql: "PRAGMA incremental_vacuum(\(min(step, free - Self.spareFreePages)))")
                return try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? free >= free
            }
            if isDone { return }
            await Task.yield()
        }
    }
}
