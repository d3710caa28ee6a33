// Bounds the size of the store. First old rows are deleted, then free pages, in steps small enough that no check waits
// long for the writer. A reader selects the rows, so only the deletion occupies the writer.

import Evidence
import Foundation
import GRDB

extension Store {
    /// How long the store keeps delivery logs, and resolved incidents with their notifications.
    package static let keepDeliveries = Duration.seconds(30 * 86400)
    package static let keepIncidents = Duration.seconds(2 * 365 * 86400)
    /// `seen_at` is written once a day, so a body that is still served may look this old.
    private static let seenWithin = Duration.seconds(86400)
    /// A site that answers differently each time would otherwise fill the disk before its bodies age out.
    package static let maximumBodiesPerDomain = 1000
    private static let step = 200
    /// Free pages that stay in the file for new rows, so that the file does not shrink and grow all the time.
    static let spareFreePages = 256

    /// Deletes bodies last seen before `keepObservations`, old incidents and old deliveries. Then returns free pages to
    /// the file system. Stops between steps if the task is cancelled.
    package func prune(now: Date, keepObservations: Duration) async throws {
        func end(of kept: Duration) -> Int64 { (now - kept.inSeconds).milliseconds }
        let seenBefore = end(of: keepObservations + Self.seenWithin)
        try await remove(
            "body", "rowid", Self.agedBodies, ["before": seenBefore],
            // A check may have seen the body again since the selection.
            unless: "seen_at >= \(seenBefore) OR \(Self.isServed)")
        try await remove(
            "body", "rowid", Self.surplusBodies, ["limit": Self.maximumBodiesPerDomain], unless: Self.isServed)
        try await remove("delivery", "id", Self.agedDeliveries, ["before": end(of: Self.keepDeliveries)])
        try await remove(
            "message_log", "key", Self.agedMessages, ["before": end(of: Self.keepDeliveries)],
            // A message may be under way for longer if no receiver accepts it.
            unless: "EXISTS (SELECT 1 FROM message m WHERE m.key = message_log.key)")
        try await remove(
            "incident", "id", Self.endedIncidents,
            ["before": end(of: Self.keepIncidents)],
            unless: "resolved_at IS NULL")
        try await remove("silence", "id", Self.endedSilences, ["before": end(of: Self.keepSilences)])
        try await prunePropagation(before: end(of: Self.keepPropagation), now: now)
        try await giveBack()
    }

    static let agedBodies = "SELECT rowid FROM body WHERE seen_at < :before"
    /// The body is the newest version at the origin or at an edge, whatever its age.
    private static let isServed = """
        EXISTS (
            SELECT 1 FROM version v JOIN version_interval s ON s.domain = v.domain AND s.version = v.id
            WHERE v.domain = body.domain AND v.content = body.sha256 AND NOT EXISTS (
                SELECT 1 FROM version_interval n WHERE n.domain = s.domain AND n.place = s.place AND n.at > s.at))
        """
    static let surplusBodies = """
        SELECT rowid FROM (
            SELECT rowid, row_number() OVER (PARTITION BY domain ORDER BY seen_at DESC) AS age FROM body)
        WHERE age > :limit
        """
    /// `forget` deletes the row of a domain.
    static func isForgotten(_ column: String) -> String {
        "NOT EXISTS (SELECT 1 FROM domain b WHERE b.name = \(column))"
    }
    static let agedDeliveries = "SELECT id FROM delivery WHERE at < :before"
    static let agedMessages = "SELECT key FROM message_log WHERE at < :before"
    static let endedIncidents = """
        SELECT id FROM incident WHERE state = 'resolved' AND resolved_at < :before
        """
    static let endedSilences = "SELECT id FROM silence WHERE ends_at < :before"

    /// `unless`: a condition that keeps a row, checked again in the transaction that deletes.
    func remove(
        _ table: String, _ key: String, _ candidates: String, _ arguments: StatementArguments, unless: String = "FALSE"
    ) async throws {
        let keys = try await read { try DatabaseValue.fetchAll($0, sql: candidates, arguments: arguments) }
        for start in stride(from: 0, to: keys.count, by: Self.step) {
            guard !Task.isCancelled else { return }
            let some = keys[start..<min(start + Self.step, keys.count)]
            let marks = Array(repeating: "?", count: some.count).joined(separator: ", ")
            try await write { database in
                try database.execute(
                    sql: "DELETE FROM \(table) WHERE \(key) IN (\(marks)) AND NOT (\(unless))",
                    arguments: StatementArguments(some))
            }
            await Task.yield()
        }
    }

    /// Truncates free pages at the end of the file. Does nothing unless the file has `auto_vacuum = INCREMENTAL`.
    /// https://www.sqlite.org/pragma.html#pragma_incremental_vacuum
    private func giveBack() async throws {
        while !Task.isCancelled {
            let step = Self.step
            let isDone = try await write { database in
                guard try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") == 2,
                    let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count"), free > Self.spareFreePages
                else { return true }
                try database.execute(sql: "PRAGMA incremental_vacuum(\(min(step, free - Self.spareFreePages)))")
                return try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? free >= free
            }
            if isDone { return }
            await Task.yield()
        }
    }
}

// MARK: - Old rows of the propagation chart

extension Store {
    /// The age and the number of version intervals that the store keeps for each place.
    package static let keepPropagation = Duration.seconds(400 * 86400)
    package static let maximumVersionIntervals = 500

    private func prunePropagation(before: Int64, now: Date) async throws {
        let crowded = try await read { database in
            try Row.fetchAll(database, sql: Self.crowdedPlaces, arguments: ["before": before])
                .map { (domain: $0["domain"] as String, place: $0["place"] as String, until: $0["until"] as Int64) }
        }
        for place in crowded {
            guard !Task.isCancelled else { return }
            try await write { database in
                try database.execute(
                    cached: "DELETE FROM version_interval WHERE domain = ? AND place = ? AND at < ?",
                    arguments: [place.domain, place.place, place.until])
            }
        }
        try await remove(
            "version_interval", "domain", Self.forgottenIntervals, ["before": before],
            unless: "NOT \(Self.isForgotten("domain"))")
        try await remove(
            "version", "id", Self.agedVersions, ["before": (now - 86400).milliseconds],
            // The origin may have served it again since the selection.
            unless:
                "EXISTS (SELECT 1 FROM version_interval s WHERE s.domain = version.domain AND s.version = version.id)")
        try await remove("pause", "began", "SELECT began FROM pause WHERE ended < :before", ["before": before])
    }

    /// Each place keeps its latest row, whatever its age.
    static let crowdedPlaces = """
        SELECT domain, place, max(CASE WHEN next < :before THEN next ELSE until END) AS until FROM (
            SELECT domain, place, at AS until, row_number() OVER (PARTITION BY domain, place ORDER BY at DESC) AS age,
                lead(at) OVER (PARTITION BY domain, place ORDER BY at) AS next
            FROM version_interval)
        WHERE (age = \(maximumVersionIntervals) AND next IS NOT NULL) OR (next IS NOT NULL AND next < :before)
        GROUP BY domain, place
        """
    /// The last row of a forgotten domain marks the end of monitoring.
    static let forgottenIntervals = """
        SELECT domain FROM version_interval s WHERE \(isForgotten("s.domain")) GROUP BY domain HAVING max(at) < :before
        """
    /// Versions older than a day without an interval. An origin that changes at each answer creates many of them.
    /// The version with the highest number stays while its domain is watched, so that numbers are never reused.
    static let agedVersions = """
        SELECT id FROM version v WHERE first_at < :before
        AND (number IS NULL OR \(isForgotten("v.domain"))
            OR number < (SELECT max(number) FROM version n WHERE n.domain = v.domain))
        AND NOT EXISTS (SELECT 1 FROM version_interval s WHERE s.domain = v.domain AND s.version = v.id)
        """
}
