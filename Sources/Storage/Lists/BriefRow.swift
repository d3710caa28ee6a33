// What a check writes into the lists.

import Evidence
import Foundation
import GRDB
import Monitoring

enum BriefRow {
    /// Made before the transaction.
    struct Content: Sendable {
        let name: String
        let status: DomainStatus
        let reason: String
        let comparison: Comparison.State?
        let since: Date?
        let facts: Data?

        init(_ state: DomainState) throws {
            let brief = DomainBrief(state)
            name = state.domain.name
            status = brief?.status ?? .waiting
            reason = brief?.reason ?? ""
            comparison = brief?.comparison
            since = brief?.since
            facts = try brief.map(Stored.encode)
        }
    }

    /// `origin`: the version that the origin serves, and since when, where the check saw one.
    static func record(
        _ content: Content, origin: (version: Int64, at: Int64)?, at now: Date, _ database: Database
    ) throws {
        try database.execute(
            cached: """
                INSERT INTO brief (name, rank, reason, since, version, version_at, facts, comparison)
                VALUES (?1, ?2, ?3, coalesce(?4, ?5), ?6, ?7, ?8, ?9)
                ON CONFLICT (name) DO UPDATE SET
                    since = CASE WHEN ?4 IS NULL AND rank = excluded.rank THEN since ELSE excluded.since END,
                    rank = excluded.rank, reason = excluded.reason, comparison = excluded.comparison,
                    version = coalesce(excluded.version, version),
                    version_at = coalesce(excluded.version_at, version_at), facts = excluded.facts
                WHERE facts IS NOT excluded.facts OR rank <> excluded.rank
                    OR (excluded.version IS NOT NULL AND version IS NOT excluded.version)
                """,
            arguments: [
                content.name, content.status.rawValue, content.reason, content.since?.milliseconds, now.milliseconds,
                origin?.version, origin?.at, content.facts, content.comparison?.rawValue,
            ])
        try noteCounts(at: now, database)
    }

    /// Writes down how many domains have each status, once a minute, where that changed.
    static func noteCounts(at now: Date, _ database: Database) throws {
        try database.execute(
            cached: """
                INSERT INTO brief_count_at (minute, counts)
                SELECT ?1, counts FROM (
                    SELECT coalesce(json_group_object(rank, count), '{}') AS counts
                    FROM (SELECT rank, count FROM brief_count WHERE count > 0 ORDER BY rank))
                WHERE counts IS NOT (
                    SELECT counts FROM brief_count_at WHERE minute <= ?1 ORDER BY minute DESC LIMIT 1)
                ON CONFLICT (minute) DO UPDATE SET counts = excluded.counts
                """, arguments: [now.milliseconds / 60_000])
    }
}
