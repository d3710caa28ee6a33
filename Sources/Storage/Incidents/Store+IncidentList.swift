// Incidents as the page lists them: the open ones, the pending ones, and those that ended lately. A change of the file that
// channels are notified of is none.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Confirmed incidents that are not resolved, those that nobody acknowledged first, then the newest; at most `limit`.
    package func unresolvedIncidents(limit: Int) async throws -> [IncidentRecord] {
        try await read { try IncidentRow.records($0, cached: Self.openList, [limit]) }
    }

    static let openList = """
        \(IncidentRow.select) WHERE \(IncidentRow.isUnresolved) AND i.kind <> 'change'
        ORDER BY i.ack_at IS NOT NULL, i.since DESC, i.id LIMIT ?
        """

    /// Incidents that are not confirmed yet, the newest first.
    package func pendingIncidents(limit: Int) async throws -> [IncidentRecord] {
        try await read { try IncidentRow.records($0, cached: Self.pendingList, [limit]) }
    }

    static let pendingList = """
        \(IncidentRow.select) WHERE i.change = 0 AND i.state = 'pending' ORDER BY i.since DESC, i.id LIMIT ?
        """

    /// Resolved since an instant, the newest end first.
    package func resolvedIncidents(since start: Date, limit: Int, offset: Int = 0) async throws -> [IncidentRecord] {
        try await read {
            try IncidentRow.records($0, cached: Self.resolvedList, [start.milliseconds, limit, max(0, offset)])
        }
    }

    static let resolvedList = """
        \(IncidentRow.select) WHERE i.resolved_at >= ? AND i.version > 0 AND i.kind <> 'change'
        ORDER BY i.resolved_at DESC, i.id LIMIT ? OFFSET ?
        """

    package func resolvedIncidentCount(since start: Date) async throws -> Int {
        try await read {
            try Int.fetchOne($0, cached: Self.resolvedCount, arguments: [start.milliseconds]) ?? 0
        }
    }

    static let resolvedCount = """
        SELECT count(*) FROM incident
        WHERE resolved_at >= ? AND resolved_at IS NOT NULL AND version > 0 AND kind <> 'change'
        """

    /// One incident by its whole id, and what a message would say of it.
    package func incidentWithFacts(id: String) async throws -> (record: IncidentRecord, facts: IncidentFacts?)? {
        try await read { database in
            guard let record = try IncidentRow.record(id, database) else { return nil }
            return (record, try IncidentRow.facts(id, database))
        }
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
