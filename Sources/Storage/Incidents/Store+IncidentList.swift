// Incidents as the page lists them: the open ones, the pending ones, and those that ended lately. A change of the file that
// channels are notified of is none.

import Evidence
import Foundation
import GRDB
import Monitoring

/// Which incidents a list shows.
package struct IncidentFilter: Equatable, Sendable {
    /// The beginning of a domain's name, or of what follows one of its dots; of a domain that is not watched any more, the
    /// beginning of its name alone. Empty: any.
    package var search: String
    package var kind: IncidentKind?

    package init(search: String = "", kind: IncidentKind? = nil) {
        self.search = search
        self.kind = kind
    }

    /// Begins with `AND` where it is not empty. Four texts, so that few are compiled.
    var condition: String {
        (kind == nil ? "" : " AND i.kind = :kind") + (search.isEmpty ? "" : " AND i.domain IN (\(Self.names))")
    }

    private static let names = """
        \(NameSearch.names) UNION SELECT domain FROM incident WHERE domain >= :kept AND domain < :end
        """

    func arguments(_ more: [String: any DatabaseValueConvertible] = [:]) -> StatementArguments {
        var all = more
        if let kind { all["kind"] = kind.rawValue }
        if !search.isEmpty {
            all.merge(NameSearch.arguments(search)) { $1 }
            let kept = Domain.kept(search)
            (all["kept"], all["end"]) = (kept, NameSearch.end(of: kept))
        }
        return StatementArguments(all)
    }
}

/// How many incidents pass a filter.
package struct IncidentCounts: Equatable, Sendable {
    /// Confirmed ones that are not resolved.
    package var open = 0
    package var unacknowledged = 0
    package var pending = 0
    /// Of a stretch of time.
    package var resolved = 0

    package init(open: Int = 0, unacknowledged: Int = 0, pending: Int = 0, resolved: Int = 0) {
        self.open = open
        self.unacknowledged = unacknowledged
        self.pending = pending
        self.resolved = resolved
    }
}

extension Store {
    /// Confirmed incidents that are not resolved, those that nobody acknowledged first, then the newest; at most `limit`.
    package func unresolvedIncidents(
        _ filter: IncidentFilter = IncidentFilter(), limit: Int
    ) async throws -> [IncidentRecord] {
        try await read {
            try IncidentRow.records($0, cached: Self.openList(filter), filter.arguments(["limit": limit]))
        }
    }

    private static let isOpen = "\(IncidentRow.isUnresolved) AND i.kind <> 'change'"
    private static let isPending = "i.change = 0 AND i.state = 'pending'"
    private static let isResolved =
        "i.resolved_at >= :start AND i.resolved_at IS NOT NULL AND i.version > 0 AND i.kind <> 'change'"
    /// As `Acknowledgement.holds`; or what it follows from is to be acknowledged, and not this.
    private static let isAcknowledged = """
        (i.inhibited_by IS NOT NULL OR i.ack_at IS NOT NULL
            AND i.ack_version >= max(coalesce(i.worse_version, 0), coalesce(i.again_version, 0)))
        """

    static func openList(_ filter: IncidentFilter) -> String {
        """
        \(IncidentRow.select) WHERE \(isOpen)\(filter.condition)
        ORDER BY \(isAcknowledged), i.since DESC, i.id LIMIT :limit
        """
    }

    /// Incidents that are not confirmed yet, the newest first.
    package func pendingIncidents(
        _ filter: IncidentFilter = IncidentFilter(), limit: Int
    ) async throws -> [IncidentRecord] {
        try await read {
            try IncidentRow.records($0, cached: Self.pendingList(filter), filter.arguments(["limit": limit]))
        }
    }

    static func pendingList(_ filter: IncidentFilter) -> String {
        "\(IncidentRow.select) WHERE \(isPending)\(filter.condition) ORDER BY i.since DESC, i.id LIMIT :limit"
    }

    /// Resolved since an instant, the newest end first.
    package func resolvedIncidents(
        _ filter: IncidentFilter = IncidentFilter(), since start: Date, limit: Int, offset: Int = 0
    ) async throws -> [IncidentRecord] {
        try await read {
            try IncidentRow.records(
                $0, cached: Self.resolvedList(filter),
                filter.arguments(["start": start.milliseconds, "limit": limit, "offset": max(0, offset)]))
        }
    }

    static func resolvedList(_ filter: IncidentFilter) -> String {
        """
        \(IncidentRow.select) WHERE \(isResolved)\(filter.condition)
        ORDER BY i.resolved_at DESC, i.id LIMIT :limit OFFSET :offset
        """
    }

    /// `start`: since when resolved ones count.
    package func incidentCounts(_ filter: IncidentFilter = IncidentFilter(), since start: Date) async throws
        -> IncidentCounts
    {
        try await read {
            let row = try Row.fetchOne(
                $0, cached: Self.counts(filter), arguments: filter.arguments(["start": start.milliseconds]))
            guard let row else { return IncidentCounts() }
            return IncidentCounts(
                open: row["open"], unacknowledged: row["unacknowledged"], pending: row["pending"],
                resolved: row["resolved"])
        }
    }

    static func counts(_ filter: IncidentFilter) -> String {
        func count(_ condition: String) -> String {
            "(SELECT count(*) FROM incident i WHERE \(condition)\(filter.condition))"
        }
        return """
            SELECT \(count(isOpen)) AS open, \(count("\(isOpen) AND NOT (\(isAcknowledged))")) AS unacknowledged,
                \(count(isPending)) AS pending, \(count(isResolved)) AS resolved
            """
    }

    /// What a message would say of each of these.
    package func incidentFacts(_ ids: [String]) async throws -> [String: IncidentFacts] {
        try await read { database in
            var all: [String: IncidentFacts] = [:]
            for id in ids { all[id] = try IncidentRow.facts(id, database) }
            return all
        }
    }
}
