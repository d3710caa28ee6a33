// Growth has a bound: old rows go, and then the pages that they leave, in steps small enough that no check waits long for
// the writer. What may go is looked for by a reader, beside the writer; only the removal is a write.

import Foundation
import GRDB

extension Store {
    /// Settled messages and resolved incidents are the trail of what happened and are kept this long.
    package static let keepMessages = Duration.seconds(30 * 86400)
    package static let keepIncidents = Duration.seconds(2 * 365 * 86400)
    /// A site that answers differently each time would else fill the disk well within its term.
    package static let maximumRunsPerDomain = 1000
    private static let step = 200
    /// Free pages that are kept for the next rows; giving each back only to ask for it again would be work for nothing.
    static let spareFreePages = 256

    /// Removes observations last seen before `keepObservations`, bodies that none of the rest names, what is settled for
    /// long, and then gives free pages back to the file system. The latest observation of a domain stays, of each depth,
    /// however old. Stops between steps when cancelled.
    package func prune(now: Date, keepObservations: Duration) async throws {
        let old = (now - keepObservations.timeInterval).milliseconds
        try await remove("observation", "id", Self.agedRuns, ["before": old])
        try await remove("observation", "id", Self.surplusRuns, ["limit": Self.maximumRunsPerDomain])
        try await remove(
            "body", "sha256", Self.unnamedBodies, [:],
            // A check may have seen the body again since it was looked for.
            unless: "EXISTS (SELECT 1 FROM observation_body l WHERE l.sha256 = body.sha256)")
        try await remove(
            "cdn_header", "id", Self.agedHeaders, ["before": old],
            // A poll may have met the same headers again since.
            unless: "last_at >= \(old)")
        try await remove("cdn_header", "id", Self.surplusHeaders, ["limit": Self.maximumHeaderRunsPerDomain])
        try await remove(
            "outbox", "id", Self.settledMessages, ["before": (now - Self.keepMessages.timeInterval).milliseconds],
            unless: "settled_at IS NULL")
        try await remove(
            "incident", "id", Self.endedIncidents, ["before": (now - Self.keepIncidents.timeInterval).milliseconds],
            unless: "resolved_at IS NULL")
        try await remove(
            "silence", "id", Self.endedSilences, ["before": (now - Self.keepSilences.timeInterval).milliseconds])
        try await remove("withheld", "incident_id", Self.withheldOfNothing, [:])
        try await remove("acknowledgement", "incident_id", Self.acknowledgedOfNothing, [:])
        try await giveBack()
    }

    /// The latest run of each domain, vantage and depth is one that the next check may continue.
    static let agedRuns = """
        SELECT id FROM observation o WHERE first_at < :before AND last_at < :before
        AND EXISTS (
            SELECT 1 FROM observation n
            WHERE n.domain = o.domain AND n.vantage = o.vantage AND n.depth = o.depth AND n.id > o.id)
        """
    static let surplusRuns = """
        SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY domain, vantage, depth ORDER BY id DESC) AS age
            FROM observation)
        WHERE age > :limit
        """
    static let agedHeaders = "SELECT id FROM cdn_header WHERE first_at < :before AND last_at < :before"
    static let surplusHeaders = """
        SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY domain ORDER BY last_at DESC, id DESC) AS age FROM cdn_header)
        WHERE age > :limit
        """
    static let unnamedBodies = """
        SELECT sha256 FROM body b WHERE NOT EXISTS (SELECT 1 FROM observation_body l WHERE l.sha256 = b.sha256)
        """
    /// Of an incident that is not over they are the only word on who knows of it, and stay.
    static let settledMessages = """
        SELECT id FROM outbox o WHERE settled_at < :before
        AND NOT EXISTS (SELECT 1 FROM incident i WHERE i.id = o.incident_id AND i.state <> 'resolved')
        """
    static let endedIncidents = "SELECT id FROM incident WHERE state = 'resolved' AND resolved_at < :before"
    static let endedSilences = "SELECT id FROM silence WHERE ends_at < :before"
    static let withheldOfNothing = """
        SELECT incident_id FROM withheld w WHERE NOT EXISTS (SELECT 1 FROM incident i WHERE i.id = w.incident_id)
        """

    static let acknowledgedOfNothing = """
        SELECT incident_id FROM acknowledgement a WHERE NOT EXISTS (SELECT 1 FROM incident i WHERE i.id = a.incident_id)
        """

    /// `unless`: what is looked at once more in the moment of the removal.
    private func remove(
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

    /// Hands free pages at the end of the file back. Does nothing for a file that was made without that ability.
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
