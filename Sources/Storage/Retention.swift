// Growth has a bound: old rows go, and then the pages that they leave, in steps small enough that no check waits long
// for the writer. A reader looks for what may go while the writer works; only the removal is a write.

import Foundation
import GRDB

extension Store {
    /// The log of deliveries, and resolved incidents with what channels know of them, are kept this long.
    package static let keepDeliveries = Duration.seconds(30 * 86400)
    package static let keepIncidents = Duration.seconds(2 * 365 * 86400)
    /// An incident that a channel is still to be notified of is kept this much longer at most.
    static let keepPending = Duration.seconds(30 * 86400)
    static let keepSetAside = Duration.seconds(90 * 86400)
    /// A site that answers differently each time would otherwise fill the disk within the time that observations are
    /// kept.
    package static let maximumRunsPerDomain = 1000
    private static let step = 200
    /// Free pages that are kept for the next rows, so that pages are not given back only to be asked for again.
    static let spareFreePages = 256

    /// Removes observations last seen before `keepObservations`, bodies that no other observation names, old incidents
    /// and deliveries, and then gives free pages back to the file system. The latest observation of a domain stays, of
    /// each depth, however old, as long as it is watched. Stops between steps when cancelled.
    package func prune(now: Date, keepObservations: Duration) async throws {
        let old = (now - keepObservations.timeInterval).milliseconds
        try await remove("observation", "id", Self.agedRuns, ["before": old])
        try await remove("observation", "id", Self.surplusRuns, ["limit": Self.maximumRunsPerDomain])
        try await remove(
            "body", "sha256", Self.unnamedBodies, [:],
            // A check may have seen the body again in the meantime.
            unless: "EXISTS (SELECT 1 FROM observation_body l WHERE l.sha256 = body.sha256)")
        try await remove(
            "delivery", "id", Self.agedDeliveries, ["before": (now - Self.keepDeliveries.timeInterval).milliseconds])
        let logBefore = (now - Self.keepDeliveries.timeInterval).milliseconds
        try await remove(
            "message_log", "key", Self.agedMessages, ["before": logBefore],
            // A message that nobody takes may be under way for longer.
            unless: "EXISTS (SELECT 1 FROM message m WHERE m.key = message_log.key)")
        let incidentsBefore = now - Self.keepIncidents.timeInterval
        try await remove(
            "incident", "id", Self.endedIncidents,
            [
                "before": incidentsBefore.milliseconds,
                "latest": (incidentsBefore - Self.keepPending.timeInterval).milliseconds,
            ], unless: "resolved_at IS NULL")
        try await remove(
            "silence", "id", Self.endedSilences, ["before": (now - Self.keepSilences.timeInterval).milliseconds])
        try await prunePropagation(now: now)
        try await remove(
            "set_aside_state", "id", "SELECT id FROM set_aside_state WHERE at < :before",
            ["before": (now - Self.keepSetAside.timeInterval).milliseconds])
        try await giveBack()
    }

    /// The latest run of each domain, vantage and depth is one that the next check may continue.
    static let agedRuns = """
        SELECT id FROM observation o WHERE first_at < :before AND last_at < :before
        AND (EXISTS (
                SELECT 1 FROM observation n
                WHERE n.domain = o.domain AND n.vantage = o.vantage AND n.depth = o.depth AND n.id > o.id)
            OR \(isForgotten("o.domain")))
        """
    /// A domain that was forgotten has no summary.
    static func isForgotten(_ column: String) -> String {
        "NOT EXISTS (SELECT 1 FROM domain_summary b WHERE b.name = \(column))"
    }
    static let surplusRuns = """
        SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY domain, vantage, depth ORDER BY id DESC) AS age
            FROM observation)
        WHERE age > :limit
        """
    static let unnamedBodies = """
        SELECT sha256 FROM body b WHERE NOT EXISTS (SELECT 1 FROM observation_body l WHERE l.sha256 = b.sha256)
        """
    static let agedDeliveries = "SELECT id FROM delivery WHERE at < :before"
    static let agedMessages = "SELECT key FROM message_log WHERE at < :before"
    static let endedIncidents = """
        SELECT id FROM incident i WHERE state = 'resolved' AND resolved_at < :before
        AND (resolved_at < :latest OR NOT EXISTS (
            SELECT 1 FROM notification n WHERE n.incident_id = i.id AND \(ChannelTransaction.isOpen)))
        """
    static let endedSilences = "SELECT id FROM silence WHERE ends_at < :before"

    /// `unless`: what is examined again in the transaction that removes.
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

    /// Gives free pages at the end of the file back. Does nothing for a file that was made without that ability.
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

// MARK: - The past of the propagation picture

extension Store {
    /// What each place served when is kept this long, and no more changes than these.
    package static let keepPropagation = Duration.seconds(400 * 86400)
    package static let maximumVersionIntervals = 500
    static let keepCounts = Duration.seconds(8 * 86400)

    func prunePropagation(now: Date) async throws {
        let before = (now - Self.keepPropagation.timeInterval).milliseconds
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
            // The origin may serve it again in the meantime.
            unless:
                "EXISTS (SELECT 1 FROM version_interval s WHERE s.domain = version.domain AND s.version = version.id)")
        try await remove(
            "status_count", "minute", "SELECT minute FROM status_count WHERE minute < :before",
            ["before": (now - Self.keepCounts.timeInterval).milliseconds / 60_000])
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
    /// The last row of such a domain says since when nobody looked.
    static let forgottenIntervals = """
        SELECT domain FROM version_interval s WHERE \(isForgotten("s.domain")) GROUP BY domain HAVING max(at) < :before
        """
    /// A day old, and of no interval: an origin that changes with each answer makes many. The newest keeps the numbering, as long
    /// as its domain is watched.
    static let agedVersions = """
        SELECT id FROM version v WHERE first_at < :before
        AND (number IS NULL OR \(isForgotten("v.domain"))
            OR number < (SELECT max(number) FROM version n WHERE n.domain = v.domain))
        AND NOT EXISTS (SELECT 1 FROM version_interval s WHERE s.domain = v.domain AND s.version = v.id)
        """
}
