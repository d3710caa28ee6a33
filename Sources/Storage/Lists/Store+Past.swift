// What a domain went through: its incidents, and when nobody looked.

import Evidence
import Foundation
import GRDB
import Monitoring

/// A domain's past, for the history bar.
package struct DomainPast: Equatable, Sendable {
    /// When it was first seen; nil: it was not checked yet.
    package var firstSeen: Date?
    /// Confirmed ones, the newest first; some that ended before may be there.
    package var incidents: [Incident]
    /// When no monitor ran, oldest first.
    package var pauses: [ClosedRange<Date>]

    package init(firstSeen: Date? = nil, incidents: [Incident] = [], pauses: [ClosedRange<Date>] = []) {
        self.firstSeen = firstSeen
        self.incidents = incidents
        self.pauses = pauses
    }
}

extension Store {
    /// As many incidents as a picture of days can show; of more the newest count.
    private static let mostPast = 500

    /// What may lie after an instant.
    package func past(of domain: Domain, since start: Date) async throws -> DomainPast {
        try await read { database in
            let first = try Int64.fetchOne(
                database, cached: "SELECT min(at) FROM version_interval WHERE domain = ?", arguments: [domain.name])
            let incidents = try IncidentRow.records(
                database, cached: Self.pastOfDomain, [domain.name, start.milliseconds, Self.mostPast])
            return DomainPast(
                firstSeen: first.map(Date.init(milliseconds:)), incidents: incidents.map(\.incident),
                pauses: try Self.pauses(since: start, database))
        }
    }

    static let pastOfDomain = """
        \(IncidentRow.select) WHERE i.domain = ? AND i.kind <> 'change' AND i.fired_at IS NOT NULL
        AND (i.resolved_at IS NULL OR i.resolved_at > ?) ORDER BY i.opened_at DESC, i.id LIMIT ?
        """

    static func pauses(since start: Date, _ database: Database) throws -> [ClosedRange<Date>] {
        try Row.fetchAll(
            database, cached: "SELECT began, ended FROM pause WHERE began > ? - 366 * 86400000 AND ended > ?",
            arguments: [start.milliseconds, start.milliseconds]
        ).map { Date(milliseconds: $0["began"])...Date(milliseconds: $0["ended"]) }
    }
}
