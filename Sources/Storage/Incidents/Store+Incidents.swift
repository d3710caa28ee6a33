// Incidents for pages, the API and commands.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Incidents, newest first, pending ones included and changes left out.
    /// `domain`: nil for all domains and the fleet.
    package func incidents(domain: Domain?, limit: Int) async throws -> [Incident] {
        try await read { database in
            let records =
                if let domain {
                    try IncidentRow.records(database, cached: Self.incidentsOfDomain, [domain.name, max(0, limit)])
                } else {
                    try IncidentRow.records(database, cached: Self.newestIncidents, [max(0, limit)])
                }
            return records.map(\.incident)
        }
    }

    static let newestIncidents =
        "\(IncidentRow.select) WHERE i.kind <> 'change' ORDER BY i.opened_at DESC, i.id LIMIT ?"
    static let incidentsOfDomain = """
        \(IncidentRow.select) WHERE i.domain = ? AND i.kind <> 'change' ORDER BY i.opened_at DESC, i.id LIMIT ?
        """

    /// One incident by its id.
    package func incident(id: String) async throws -> Incident? {
        try await read { try IncidentRow.record(id, $0)?.incident }
    }

    /// Confirmed incidents of the fleet that are not resolved, oldest first, with what a message would say of each.
    package func openFleetIncidents() async throws -> [(IncidentRecord, IncidentFacts?)] {
        try await read { database in
            try IncidentRow.records(database, cached: ChannelTransaction.unresolvedOfFleet).map { record in
                (record, try IncidentRow.facts(record.incident.id, database))
            }
        }
    }
}

extension Store {
    /// How many incidents of each kind fire or recover, kinds without one included.
    package func openIncidentCounts() async throws -> [(kind: IncidentKind, count: Int)] {
        let counts = try await read { database in
            try Row.fetchAll(database, cached: Self.openCounts).reduce(into: [String: Int]()) {
                $0[$1["kind"]] = $1["count"]
            }
        }
        return IncidentKind.allCases.map { ($0, counts[$0.rawValue] ?? 0) }
    }

    static let openCounts = """
        SELECT kind, count(*) AS count FROM incident INDEXED BY incident_unresolved_of_kind
        WHERE version > 0 AND state <> 'resolved' GROUP BY kind
        """
}
