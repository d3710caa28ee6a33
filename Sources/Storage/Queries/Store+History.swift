// What happened: runs of observations, bodies and incidents.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Runs of checks of a domain, the one that began last first.
    package func observations(of domain: Domain, limit: Int) async throws -> [ObservationRun] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                cached: """
                    SELECT facts, last_at, count FROM observation WHERE domain = ?
                    ORDER BY first_at DESC, id DESC LIMIT ?
                    """,
                arguments: [domain.name, max(0, limit)])
            return try rows.map { row in
                ObservationRun(
                    observation: try Stored.decode(
                        Observation.self, from: row["facts"], what: "observation of \(domain)"),
                    lastAt: Date(milliseconds: row["last_at"]), count: row["count"])
            }
        }
    }

    /// A body by its hash; nil where it was too large to keep or has aged out.
    package func body(_ hash: ContentHash) async throws -> Data? {
        try await read { database in
            try Data.fetchOne(database, cached: "SELECT bytes FROM body WHERE sha256 = ?", arguments: [hash.hex])
        }
    }

    /// Incidents, newest first, pending ones included.
    /// `domain`: nil for all domains.
    package func incidents(domain: Domain?, limit: Int) async throws -> [Incident] {
        let limit = max(0, limit)
        return try await read { database in
            guard let domain else {
                return try Row.fetchAll(
                    database, cached: "SELECT * FROM incident ORDER BY opened_at DESC, id LIMIT ?", arguments: [limit]
                ).map(Self.incident)
            }
            return try Row.fetchAll(database, cached: Self.incidentsOfDomain, arguments: [domain.name, limit])
                .map(Self.incident)
        }
    }

    static let incidentsOfDomain = "SELECT * FROM incident WHERE domain = ? ORDER BY opened_at DESC, id LIMIT ?"

    /// Incidents that were told and are not over, and those that ended at `since` or later; by id.
    package func toldIncidents(endedSince since: Date) async throws -> [Incident] {
        try await read { database in
            try Row.fetchAll(database, cached: Self.toldIncidents, arguments: ["since": since.milliseconds])
                .map(Self.incident)
        }
    }

    /// Incidents are kept for years, and a feed asks this each minute: the two indexes by their end find the few that may
    /// be meant.
    static let toldIncidents = """
        SELECT * FROM incident WHERE fired_at IS NOT NULL AND id IN (
            SELECT id FROM incident WHERE resolved_at IS NULL
            UNION ALL SELECT id FROM incident WHERE resolved_at >= :since)
        AND (state IN ('firing', 'recovering') OR resolved_at >= :since) ORDER BY id
        """

    /// One incident by its id.
    package func incident(id: String) async throws -> Incident? {
        try await read { database in
            try Row.fetchOne(database, cached: "SELECT * FROM incident WHERE id = ?", arguments: [id]).map(
                Self.incident)
        }
    }

    /// Stands in the column for the domain of an incident that is about none.
    static let noDomain = ""

    static func record(_ incident: Incident, _ database: Database) throws {
        try database.execute(
            cached: """
                INSERT INTO incident (id, domain, kind, severity, state, since, opened_at, fired_at, resolved_at, reason,
                    sequence, next_reminder_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET severity = excluded.severity, state = excluded.state,
                    since = excluded.since, opened_at = excluded.opened_at, fired_at = excluded.fired_at,
                    resolved_at = excluded.resolved_at, reason = excluded.reason, sequence = excluded.sequence,
                    next_reminder_at = excluded.next_reminder_at
                """,
            arguments: [
                incident.id, incident.domain?.name ?? noDomain, incident.kind.rawValue, incident.severity.rawValue,
                incident.state.rawValue, incident.since.milliseconds, incident.openedAt.milliseconds,
                incident.firedAt?.milliseconds, incident.resolvedAt?.milliseconds, incident.reason?.rawValue,
                incident.sequence, incident.nextReminderAt?.milliseconds,
            ])
    }

    static func incident(_ row: Row) throws -> Incident {
        let id: String = row["id"]
        let name: String = row["domain"]
        let domain = name == noDomain ? nil : try? Domain(name)
        guard domain != nil || name == noDomain, let kind = IncidentKind(rawValue: row["kind"]),
            let severity = Severity(rawValue: row["severity"]), let state = Incident.State(rawValue: row["state"])
        else {
            throw StoreError(
                code: .corrupt, message: "the stored incident \(id) cannot be read; another version may have written it"
            )
        }
        func instant(_ column: String) -> Date? { (row[column] as Int64?).map(Date.init(milliseconds:)) }
        return Incident(
            id: id, domain: domain, kind: kind, severity: severity, state: state,
            since: Date(milliseconds: row["since"]), openedAt: Date(milliseconds: row["opened_at"]),
            firedAt: instant("fired_at"), resolvedAt: instant("resolved_at"),
            reason: (row["reason"] as String?).flatMap(Incident.Resolution.init(rawValue:)),
            sequence: row["sequence"], nextReminderAt: instant("next_reminder_at"))
    }
}
