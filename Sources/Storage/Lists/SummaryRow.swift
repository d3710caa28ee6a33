// What a check and a configuration write into the lists.

import Evidence
import Foundation
import GRDB
import Monitoring

enum SummaryRow {
    /// Made before the transaction.
    struct Content: Sendable {
        let name: String
        let status: DomainStatus
        let reason: String
        let comparison: Comparison.State?
        let since: Date?
        let facts: Data?

        init(_ state: DomainState) throws {
            let summary = DomainSummary(state)
            name = state.domain.name
            status = summary?.status ?? .waiting
            reason = summary?.reason ?? ""
            comparison = summary?.comparison
            since = summary?.since
            facts = try summary.map(Stored.encode)
        }
    }

    /// `origin`: the version that the origin serves, and since when, where the check saw one.
    static func record(
        _ content: Content, origin: (version: Int64, at: Int64)?, at now: Date, _ database: Database
    ) throws {
        let former = try Int.fetchOne(
            database, cached: "SELECT rank FROM domain_summary WHERE name = ? AND watched = 1",
            arguments: [content.name])
        try database.execute(
            cached: """
                INSERT INTO domain_summary (name, rank, reason, since, version, version_at, facts, comparison)
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
        let rank = content.status.rawValue
        if let former, former != rank { try noteCounts(at: now, moving: (former, rank), database) }
    }

    /// How many watched domains have each status.
    static func counts(_ database: Database) throws -> [Int: Int] {
        let rows = try Row.fetchAll(database, cached: countsOfRanks)
        return Dictionary(rows.map { ($0["rank"] as Int, $0["count"] as Int) }) { first, _ in first }
    }

    static let countsOfRanks = "SELECT rank, count(*) AS count FROM domain_summary WHERE watched = 1 GROUP BY rank"

    /// Writes down how many domains have each status, once a minute, where that changed.
    ///
    /// `moving`: the one domain whose status changed; nil: count all.
    static func noteCounts(at now: Date, moving: (from: Int, to: Int)? = nil, _ database: Database) throws {
        let minute = now.milliseconds / 60_000
        let last = try Row.fetchOne(database, cached: lastCounts, arguments: [minute])
        let known = last.flatMap { try? Stored.decode([Int: Int].self, text: $0["counts"], what: "counts") }
        var counts: [Int: Int]
        if let moving, let known, last?["is_newest"] == true {
            counts = known
            counts[moving.from, default: 0] -= 1
            counts[moving.to, default: 0] += 1
        } else {
            // The clock went back, or nothing is known yet.
            counts = try self.counts(database)
        }
        counts = counts.filter { $0.value > 0 }
        guard counts != known else { return }
        try database.execute(
            cached: """
                INSERT INTO status_count (minute, counts) VALUES (?, ?)
                ON CONFLICT (minute) DO UPDATE SET counts = excluded.counts
                """, arguments: [minute, try Stored.text(counts)])
    }

    private static let lastCounts = """
        SELECT counts, minute = (SELECT max(minute) FROM status_count) AS is_newest
        FROM status_count WHERE minute <= ? ORDER BY minute DESC LIMIT 1
        """
}

// MARK: - Which domains lists show

extension Store {
    /// Lists show the domains of the running configuration. Takes other ones, by their labels. Only what differs is written.
    package func watch(_ domains: [Domain: [String: String]], now: Date) async throws {
        let wanted = Dictionary(uniqueKeysWithValues: domains.map { ($0.key.name, Self.keys($0.key, $0.value)) })
        try await write { database in
            let watched = Set(
                try String.fetchAll(database, cached: "SELECT name FROM domain_summary WHERE watched = 1"))
            for name in watched.subtracting(wanted.keys) {
                try database.execute(cached: "UPDATE domain_summary SET watched = 0 WHERE name = ?", arguments: [name])
                try database.execute(cached: "DELETE FROM domain_key WHERE name = ?", arguments: [name])
            }
            var known: [String: Set<String>] = [:]
            for row in try Row.fetchAll(database, cached: "SELECT name, key FROM domain_key") {
                known[row["name"], default: []].insert(row["key"])
            }
            for (name, keys) in wanted {
                if !watched.contains(name) {
                    try database.execute(
                        cached: """
                            INSERT INTO domain_summary (name, watched, rank) VALUES (?, 1, ?)
                            ON CONFLICT (name) DO UPDATE SET watched = 1
                            """, arguments: [name, DomainStatus.waiting.rawValue])
                }
                let former = known[name] ?? []
                for key in former.subtracting(keys) {
                    try database.execute(
                        cached: "DELETE FROM domain_key WHERE key = ? AND name = ?", arguments: [key, name])
                }
                for key in keys.subtracting(former) {
                    try database.execute(
                        cached: "INSERT INTO domain_key (key, name) VALUES (?, ?)", arguments: [key, name])
                }
            }
            try SummaryRow.noteCounts(at: now, database)
        }
    }

    /// The name, and what follows each of its dots but the last, as it is kept and as people write it; and each label.
    private static func keys(_ domain: Domain, _ labels: [String: String]) -> Set<String> {
        let names = Set([domain.name, domain.unicodeName]).flatMap { name in
            let parts = name.split(separator: ".")
            return (0..<max(1, parts.count - 1)).map { parts[$0...].joined(separator: ".") }
        }
        return Set(names + labels.map { "=\($0.key)=\($0.value)" })
    }
}
