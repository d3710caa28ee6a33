// The row of a domain: the columns for lists, the time of the last check, and the state. A check that changed nothing
// writes only instants. SQLite then leaves the overflow pages of the documents as they are.

import Evidence
import Foundation
import GRDB
import Monitoring

enum DomainRow {
    /// The columns that a check writes when more than instants changed. Encoded before the transaction begins.
    struct Content: Sendable {
        let status: DomainStatus
        let reason: String
        let comparison: Comparison.State?
        let since: Date?
        let summary: Data?
        let state: Data

        init(_ state: DomainState) throws {
            let summary = DomainSummary(state)
            status = summary?.status ?? .waiting
            reason = summary?.reason ?? ""
            comparison = summary?.comparison
            since = summary?.since
            self.summary = try summary.map(Stored.encode)
            self.state = try Stored.encode(state)
        }
    }

    /// Writes the instants of a check that changed nothing else. Returns false if the domain has no row with a state.
    static func noteUnchanged(_ state: DomainState, _ database: Database) throws -> Bool {
        guard let last = state.lastCheckedAt else { return false }
        try database.execute(
            cached: "UPDATE domain SET last_checked_at = ?, unchanged_at = ? WHERE name = ? AND format = ?",
            arguments: [
                last.milliseconds, last.timeIntervalSinceReferenceDate, state.domain.name, DomainState.formatVersion,
            ])
        return database.changesCount > 0
    }

    /// `origin`: the origin's current version and its start; nil if this check saw no version there.
    static func write(
        _ state: DomainState, _ content: Content, origin: (version: Int64, at: Int64)?, at now: Date,
        _ database: Database
    ) throws {
        try database.execute(
            cached: """
                INSERT INTO domain (name, rank, reason, since, version, version_at, comparison, last_checked_at,
                    summary, format, state)
                VALUES (?1, ?2, ?3, coalesce(?4, ?5), ?6, ?7, ?8, ?9, ?10, ?11, ?12)
                ON CONFLICT (name) DO UPDATE SET
                    since = CASE WHEN ?4 IS NULL AND rank = excluded.rank THEN since ELSE excluded.since END,
                    rank = excluded.rank, reason = excluded.reason, comparison = excluded.comparison,
                    version = coalesce(excluded.version, version),
                    version_at = coalesce(excluded.version_at, version_at),
                    last_checked_at = excluded.last_checked_at, unchanged_at = NULL,
                    summary = excluded.summary, format = excluded.format, state = excluded.state
                """,
            arguments: [
                state.domain.name, content.status.rank, content.reason, content.since?.milliseconds,
                now.milliseconds, origin?.version, origin?.at, content.comparison?.rawValue,
                state.lastCheckedAt?.milliseconds, content.summary, DomainState.formatVersion, content.state,
            ])
    }
}

// MARK: - Which domains lists show

extension Store {
    /// Replaces the domains that lists show by those of the running configuration. Writes only differences.
    package func watch(_ domains: [WatchedDomain]) async throws {
        let wanted = Dictionary(domains.map { ($0.domain.name, Self.keys($0)) }) { first, _ in first }
        let interval = domains.shortestInterval.map { String($0.inSeconds) }
        try await write { database in
            // The shortest interval of all domains, in seconds.
            if let interval, try Self.meta("interval", database) != interval {
                try Self.setMeta("interval", interval, database)
            }
            let watched = Set(try String.fetchAll(database, cached: "SELECT name FROM domain WHERE watched = 1"))
            for name in watched.subtracting(wanted.keys) {
                try database.execute(cached: "UPDATE domain SET watched = 0 WHERE name = ?", arguments: [name])
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
                            INSERT INTO domain (name, watched, rank) VALUES (?, 1, ?)
                            ON CONFLICT (name) DO UPDATE SET watched = 1
                            """, arguments: [name, DomainStatus.waiting.rank])
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
        }
    }

    /// The labels of all watched domains, by name. Includes domains without a check.
    package func watchedLabels() async throws -> [Domain: [String: String]] {
        try await read { database in
            var all: [Domain: [String: String]] = [:]
            for row in try Row.fetchAll(database, cached: Self.labelsOfWatched) {
                guard let domain = try? Domain(row["name"] as String) else { continue }
                let parts = (row["key"] as String?)?.dropFirst().split(separator: "=", maxSplits: 1)
                all[domain, default: [:]].merge(parts.map { [String($0[0]): $0.count > 1 ? String($0[1]) : ""] } ?? [:])
                { $1 }
            }
            return all
        }
    }

    static let labelsOfWatched = """
        SELECT b.name, k.key FROM domain b LEFT JOIN domain_key k ON k.name = b.name AND k.key >= '=' AND k.key < '>'
        WHERE b.watched = 1
        """

    /// Search keys: the name and each parent domain except the TLD, in ASCII and in Unicode; and each label.
    private static func keys(_ watched: WatchedDomain) -> Set<String> {
        let names = Set([watched.domain.name, watched.domain.unicodeName]).flatMap { name in
            let parts = name.split(separator: ".")
            return (0..<max(1, parts.count - 1)).map { parts[$0...].joined(separator: ".") }
        }
        return Set(names + watched.labels.map { "=\($0.key)=\($0.value)" })
    }
}
