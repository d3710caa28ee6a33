// Lists of watched domains: search, counts and groups use indexes. A page decodes only the rows that it shows.

import Evidence
import Foundation
import GRDB
import Monitoring

package struct SummaryRecord: Equatable, Sendable {
    package let domain: Domain
    package let status: DomainStatus
    /// Since when the domain has this status, as far as known.
    package var since: Date?
    /// The number of the origin's current version, and its start.
    package var version: Int?
    package var versionSince: Date?
    package var lastCheckedAt: Date?
    /// nil before the first check, or if it cannot be read.
    package var summary: DomainSummary?
}

extension SummaryRecord {
    /// A domain without a check.
    package init(unchecked domain: Domain) { self.init(domain: domain, status: .waiting) }
}

/// Which domains a list shows.
package struct SummaryFilter: Equatable, Sendable {
    /// Empty: any.
    package var statuses: [DomainStatus]
    /// A prefix of a name or of one of its parent domains; empty: any.
    package var search: String
    /// `key=value`; nil: any.
    package var label: String?
    /// nil: any.
    package var reason: String?
    /// nil: any.
    package var comparison: Comparison.State?
    /// A prefix of a name; empty: any.
    package var prefix: String
    /// Names that sort after this one; empty: any.
    package var after: String

    package init(
        statuses: [DomainStatus] = [], search: String = "", label: String? = nil, reason: String? = nil,
        comparison: Comparison.State? = nil, prefix: String = "", after: String = ""
    ) {
        self.statuses = statuses
        self.search = search
        self.label = label
        self.reason = reason
        self.comparison = comparison
        self.prefix = prefix
        self.after = after
    }

    package enum Order: String, Sendable, CaseIterable {
        case trouble, longest, name
    }

    var condition: String {
        var parts = ["watched = 1"]
        if !statuses.isEmpty { parts.append("rank IN (\(statuses.map { "\($0.rank)" }.joined(separator: ", ")))") }
        if reason != nil { parts.append("reason = :reason") }
        if comparison != nil { parts.append("comparison = :comparison") }
        if !prefix.isEmpty { parts.append("name >= :prefix AND name < :end") }
        if !after.isEmpty { parts.append("name > :after") }
        if label != nil { parts.append("name IN (SELECT name FROM domain_key WHERE key = :label)") }
        if !search.isEmpty { parts.append("name IN (\(NameSearch.names))") }
        return parts.joined(separator: " AND ")
    }

    var arguments: [String: any DatabaseValueConvertible] {
        var all: [String: any DatabaseValueConvertible] = [:]
        if let reason { all["reason"] = reason }
        if let comparison { all["comparison"] = comparison.rawValue }
        if !prefix.isEmpty { (all["prefix"], all["end"]) = (prefix, NameSearch.end(of: prefix)) }
        if !after.isEmpty { all["after"] = after }
        if let label { all["label"] = "=\(label)" }
        if !search.isEmpty { all.merge(NameSearch.arguments(search)) { $1 } }
        return all
    }
}

/// Watched domains whose name, or a parent domain of it, has a prefix.
enum NameSearch {
    static let names = "SELECT name FROM domain_key WHERE key >= :from AND key < :to"

    static func arguments(_ text: String) -> [String: any DatabaseValueConvertible] {
        let key = text.precomposedStringWithCanonicalMapping.lowercased()
        // Keys of labels start with "=" and match exactly.
        return ["from": key, "to": key.hasPrefix("=") ? key : end(of: key)]
    }

    /// An upper bound for all names with this prefix, including names beyond ASCII.
    static func end(of beginning: String) -> String { beginning + "\u{10FFFF}" }
}

/// A watched domain that is not up to date, without its documents: thousands of them are grouped for one page.
package struct TroubledDomain: Equatable, Sendable {
    package let domain: Domain
    package let status: DomainStatus
    /// `DomainSummary.reason`.
    package let reason: String
    package let since: Date?

    package init(domain: Domain, status: DomainStatus, reason: String, since: Date?) {
        (self.domain, self.status, self.reason, self.since) = (domain, status, reason, since)
    }
}

extension Store {
    /// One page of the watched domains that match a filter, and the total.
    package func summaries(
        _ filter: SummaryFilter, order: SummaryFilter.Order = .trouble, limit: Int, offset: Int = 0
    ) async throws -> (total: Int, page: [SummaryRecord]) {
        try await read { database in
            let total =
                try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM domain WHERE \(filter.condition)",
                    arguments: StatementArguments(filter.arguments)) ?? 0
            let names = try String.fetchAll(
                database, sql: Self.names(filter, order),
                arguments: StatementArguments(
                    filter.arguments.merging(["limit": limit, "offset": max(0, offset)]) { $1 }))
            return (total, try Self.summaries(names, database))
        }
    }

    /// The names of the watched domains that match a filter, sorted.
    package func names(_ filter: SummaryFilter, limit: Int) async throws -> [String] {
        try await read {
            try String.fetchAll(
                $0, sql: Self.names(filter, .name),
                arguments: StatementArguments(filter.arguments.merging(["limit": limit, "offset": 0]) { $1 }))
        }
    }

    static func names(_ filter: SummaryFilter, _ order: SummaryFilter.Order) -> String {
        let columns =
            switch order {
            case .trouble: "rank, name"
            case .longest: "rank, since, name"
            case .name: "name"
            }
        return
            "SELECT name FROM domain WHERE \(filter.condition) ORDER BY \(columns) LIMIT :limit OFFSET :offset"
    }

    /// In the order of `names`; leaves out domains that are not watched.
    package func summaries(_ names: [String]) async throws -> [SummaryRecord] {
        guard !names.isEmpty else { return [] }
        return try await read { try Self.summaries(names, $0) }
    }

    private static func summaries(_ names: [String], _ database: Database) throws -> [SummaryRecord] {
        try Row.fetchAll(database, cached: summariesByName, arguments: [try Stored.text(names)]).compactMap { row in
            guard let domain = try? Domain(row["name"]), let status = DomainStatus(rank: row["rank"]) else {
                return nil
            }
            let summary = (row["summary"] as Data?).flatMap {
                try? Stored.decode(DomainSummary.self, from: $0, what: "summary of \(domain)")
            }
            return SummaryRecord(
                domain: domain, status: status, since: row.instant("since"), version: row["version"],
                versionSince: row.instant("version_at"), lastCheckedAt: row.instant("last_checked_at"),
                summary: summary)
        }
    }

    static let summariesByName = """
        SELECT name, rank, since, version, version_at, last_checked_at, summary
        FROM json_each(?) wanted JOIN domain ON name = wanted.value WHERE watched ORDER BY wanted.key
        """

    package func statusCounts() async throws -> [DomainStatus: Int] {
        try await read { database in
            let pairs = try Row.fetchAll(database, cached: Self.countsOfRanks).compactMap { row in
                DomainStatus(rank: row["rank"]).map { ($0, row["count"] as Int) }
            }
            return Dictionary(pairs) { first, _ in first }
        }
    }

    private static let countsOfRanks = "SELECT rank, count(*) AS count FROM domain WHERE watched = 1 GROUP BY rank"

    /// The domains that are not up to date: worst first, by reason, the longest first.
    package func troubled(_ filter: SummaryFilter) async throws -> [TroubledDomain] {
        try await read { database in
            try Row.fetchAll(database, sql: Self.troubled(filter), arguments: StatementArguments(filter.arguments))
                .compactMap { row in
                    guard let domain = try? Domain(row[0]), let status = DomainStatus(rank: row[1]) else { return nil }
                    return TroubledDomain(
                        domain: domain, status: status, reason: row[2],
                        since: (row[3] as Int64?).map(Date.init(milliseconds:)))
                }
        }
    }

    /// All of it is in the index `domain_by_reason`.
    static func troubled(_ filter: SummaryFilter) -> String {
        """
        SELECT name, rank, reason, since FROM domain WHERE \(filter.condition) AND rank < \(DomainStatus.direct.rank)
        ORDER BY rank, reason, since, name
        """
    }
}
