// What is remembered of all domains together, and of the monitor itself.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// What the last judgement over the fleet left; nil before the first that had something to remember.
    package func fleetState() async throws -> FleetState? {
        try await read { try Self.fleetState($0) }
    }

    /// The one transaction of a judgement over the fleet: state, incidents and messages, all or nothing.
    package func commit(_ record: FleetRecord, now: Date) async throws {
        try await write { database in
            try database.execute(
                cached:
                    "INSERT INTO fleet (id, state) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state",
                arguments: [try Stored.encode(record.state)])
            for incident in record.incidents { try Self.record(incident, database) }
            for incident in record.dropped {
                try database.execute(cached: "DELETE FROM incident WHERE id = ?", arguments: [incident.id])
            }
            try Self.recall(record.recalled, at: now, database)
            for draft in record.outbox { try self.owe(draft, database) }
            for id in record.withheld { try Self.withhold(id, at: now, database) }
            for id in record.reawakened { try Self.reawaken(id, at: now, database) }
        }
    }

    /// Incidents of the fleet that are not over, oldest first.
    package func openFleetIncidents() async throws -> [FleetIncident] {
        try await fleetState()?.open.sorted { $0.incident.openedAt < $1.incident.openedAt } ?? []
    }

    // MARK: - Within a transaction

    static func fleetState(_ database: Database) throws -> FleetState? {
        try Data.fetchOne(database, cached: "SELECT state FROM fleet WHERE id = 1")
            .map { try Stored.decode(FleetState.self, from: $0, what: "state of the fleet") }
    }

    /// Takes back what is owed and not on its way. What is still true once nothing keeps it back any more is told then.
    private static func recall(_ kinds: Set<IncidentKind>, at now: Date, _ database: Database) throws {
        guard !kinds.isEmpty else { return }
        let marks = Array(repeating: "?", count: kinds.count).joined(separator: ", ")
        let waiting = """
            FROM outbox WHERE state = 'queued' AND attempts = 0 AND frozen IS NULL AND digest IS NULL AND receipt = 0
            AND type NOT IN (?, ?)
            AND incident_id IN (
                SELECT id FROM incident WHERE resolved_at IS NULL AND domain <> '' AND kind IN (\(marks)))
            """
        let arguments =
            StatementArguments([EventType.resolved.rawValue, EventType.acknowledged.rawValue])
            + StatementArguments(kinds.map(\.rawValue).sorted())
        let incidents = try String.fetchAll(
            database, sql: "SELECT DISTINCT incident_id \(waiting)", arguments: arguments)
        for id in incidents { try withhold(id, at: now, database) }
        // Nobody has tried to send them. Rows that stayed would keep the keys by which the same may be owed later.
        try database.execute(sql: "DELETE FROM outbox WHERE id IN (SELECT id \(waiting))", arguments: arguments)
        for id in incidents { try recallHand(id, database) }
    }

    /// The word that somebody has it in hand goes with the beginning, and is owed again behind it.
    private static func recallHand(_ incidentID: String, _ database: Database) throws {
        try database.execute(
            cached: """
                DELETE FROM outbox AS o WHERE incident_id = ? AND type = ? AND \(isUntried("o"))
                AND NOT EXISTS (
                    SELECT 1 FROM outbox t WHERE t.channel = o.channel AND t.incident_id = o.incident_id
                    AND t.type <> o.type AND (t.state IN ('queued', 'leased', 'delivered') OR t.receipt <> 0))
                """, arguments: [incidentID, EventType.acknowledged.rawValue])
    }
}
